// SPDX-License-Identifier: MIT
import type { Key } from "./english";

export const german: Record<Key, string> = {
  "page.title": "{project}: annotieren",
  "page.loading": "Einen Moment …",
  "page.waiting": "Warten auf den Server",
  "page.invalid_link": "Dieser Link ist nicht gültig",
  "page.stopped": "Hier geht es nicht weiter",
  "page.signed_out": "Nicht angemeldet",

  "join.title": "Auf diesem Gerät anmelden",
  "join.text":
    "Der persönliche Link funktioniert einmal und meldet ein Gerät an. Danach bleibt dieses Gerät angemeldet.",
  "join.button": "Anmelden",
  "join.used": "Dieser Link wurde schon benutzt oder ist abgelaufen. Bitte um einen neuen bitten.",
  "join.incomplete":
    "Der Link ist nicht vollständig: Der Teil nach dem # fehlt. Bitte den ganzen Link aus der Nachricht kopieren.",
  "join.already": "Angemeldet als {name}",
  "join.already_text":
    "Dieses Gerät ist schon angemeldet. Wenn der Link für ein anderes Gerät bestimmt ist, bitte dort öffnen: Er funktioniert nur einmal.",
  "join.still": "Dieser Link wurde schon benutzt oder ist abgelaufen. Dieses Gerät ist weiterhin angemeldet.",
  "join.continue": "Weiter als {name}",
  "join.use_link": "Mit dem Link anmelden",

  "account.label": "Angemeldet als {name}",
  "account.sign_out": "Abmelden",
  "account.title": "Auf diesem Gerät abmelden?",
  "account.text":
    "Alle gesendeten Antworten sind gespeichert. Um wiederzukommen, ist ein neuer persönlicher Link nötig; die Leitung kann ihn ausstellen.",
  "account.unsaved": "Abmelden geht erst, wenn alle Antworten gespeichert sind.",
  "account.stay": "Angemeldet bleiben",
  "signed_out.title": "Abgemeldet",
  "signed_out.text":
    "Die Seite kann geschlossen werden. Um später weiterzumachen, bitte die Leitung um einen neuen persönlichen Link bitten.",

  "welcome.title": "Willkommen, {name}",
  "welcome.lead":
    "Hier sind kurze Clips zu sehen. Die Aufgabe: die Verben auswählen, die sie beschreiben. Zuerst kommen ein paar Clips zum Üben.",
  "welcome.start": "Übungsrunde starten",

  "help.button": "Hilfe",
  "help.title": "Anleitung",
  "help.back": "Zurück zu den Clips",
  "help.keys": "Tasten",
  "help.saved":
    "Jede Antwort wird beim Senden gespeichert. Eine Pause ist jederzeit möglich: Dieses Gerät bleibt angemeldet; weiter geht es auf dieser Seite oder mit dem persönlichen Link.",

  "colours.title": "Farben",
  "colours.system": "System",
  "colours.light": "Hell",
  "colours.dark": "Dunkel",

  "key.space": "Leertaste",
  "key.enter": "Enter",
  "key.backspace": "Rücktaste",
  "key.escape": "Esc",

  "keys.verb": "ein Verb auswählen oder abwählen",
  "keys.nothing": "hier passiert nichts",
  "keys.other": "es passiert etwas, aber keines dieser Verben",
  "keys.unsure": "unsicher",
  "keys.flag": "den Clip für die Leitung markieren",
  "keys.comment": "einen Kommentar schreiben; Enter führt zurück zu den Tasten",
  "keys.pause": "den Clip anhalten oder fortsetzen",
  "keys.replay": "den Clip von vorn abspielen",
  "keys.frames": "voriges und nächstes Bild",
  "keys.half_speed": "halbes Tempo",
  "keys.enlarge": "den Clip vergrößern",
  "keys.send": "die Antwort senden",
  "keys.skip": "einen Clip überspringen, der nicht läuft",
  "keys.back": "zurückgehen und frühere Antworten korrigieren",
  "keys.help": "diese Anleitung zeigen",

  "clip.title": "Clip Nr. {number}",
  "clip.earlier": "Frühere Antwort: Clip Nr. {number}",
  "clip.loading_next": "Der nächste Clip wird geladen …",

  "verbs.title": "Alle passenden Verben auswählen",
  "verbs.group": "Verben",
  "verbs.definitions": "Was die Verben bedeuten",
  "verbs.announced.one": "{clip}, ein Verb",
  "verbs.announced.other": "{clip}, {count} Verben",
  "verbs.chosen": "{verb}: ausgewählt",
  "verbs.not_chosen": "{verb}: nicht ausgewählt",

  "answer.nothing": "Hier passiert nichts",
  "answer.something": "Hier passiert etwas",
  "answer.other": "Keines dieser Verben",
  "answer.not_other": "Eines oder mehrere dieser Verben",
  "answer.other_verb": "Welches Verb passt? (freiwillig)",
  "answer.flag": "Markieren",
  "answer.flagged": "Für die Leitung markiert",
  "answer.not_flagged": "Nicht für die Leitung markiert",
  "answer.comment": "Kommentar",
  "answer.comment_label": "Kommentar für die Leitung",
  "answer.unsure": "Unsicher",
  "answer.confident": "Sicher",
  "answer.not_seen": "Bitte zuerst den Clip ansehen. Er ist noch nicht gelaufen.",
  "answer.incomplete":
    "Bitte alle passenden Verben auswählen, oder „Hier passiert nichts“ oder „Keines dieser Verben“.",
  "answer.send": "Senden",
  "answer.save": "Speichern",
  "answer.earlier": "Zurück",
  "answer.cancel": "Abbrechen",

  "player.label": "{clip}, läuft ohne Ton",
  "player.loading": "Der Clip wird geladen …",
  "player.start": "Clip abspielen",
  "player.failed": "Der Clip lässt sich nicht laden.",
  "player.slow": "Der Clip wird noch geladen.",
  "player.reload": "Neu laden",
  "player.skip": "Diesen Clip überspringen",
  "player.position": "Stelle im Clip",
  "player.pause": "Pause",
  "player.play": "Abspielen",
  "player.replay": "Von vorn",
  "player.frame_back": "Bild zurück",
  "player.frame": "Bild vor",
  "player.half_speed": "Halbes Tempo",
  "player.enlarge": "Vergrößern",

  "practice.title": "Übung {number} von {total}",
  "practice.check": "Antwort prüfen",
  "practice.next": "Nächste Übung",
  "practice.end": "Mit dem Annotieren beginnen",
  "practice.found": "Eine andere Person hat diesem Clip ebenfalls das Verb {verb} gegeben.",
  "practice.missed":
    "Eine andere Person hat diesem Clip das Verb {verb} gegeben. Bitte noch einmal ansehen: Wenn das Verb passt, auch auswählen; wenn nicht, bleibt die Antwort so.",
  "practice.more": "Oft passt mehr als ein Verb. Bitte auch die anderen prüfen.",
  "practice.stuck":
    "Ohne eine Antwort zu diesem Übungsclip geht es nicht weiter. Wenn er nicht läuft: neu laden oder einen anderen Browser versuchen. Hilft das nicht, bitte der Leitung Bescheid sagen; sie kann die Übung beenden. Danach diese Seite neu laden.",
  "practice.loading": "Die Übungsclips werden geladen …",
  "practice.failed": "Die Übungsclips ließen sich nicht laden",
  "practice.retry": "Noch einmal versuchen",

  "progress.clips": "{done} von {total}",
  "state.saving": "Speichert …",
  "state.saved": "Gespeichert",
  "state.not_saved": "Nicht gespeichert",

  "unsaved.one": "Eine Antwort ist noch nicht gespeichert.",
  "unsaved.other": "{count} Antworten sind noch nicht gespeichert.",
  "unsaved.stored": "Dieser Browser bewahrt sie auf, bis der Server wieder antwortet.",
  "unsaved.keep_open": "Bitte diese Seite offen lassen, bis der Server wieder antwortet.",

  "lost.title": "Keine Verbindung zum Server.",
  "lost.all_saved": "Alle gesendeten Antworten sind gespeichert.",
  "lost.connecting": "Verbindung wird aufgebaut …",
  "lost.next_attempt": "Nächster Versuch in {seconds} s",
  "lost.retry": "Jetzt versuchen",

  "stopped.stored":
    "Dieser Browser hat die Antworten aufbewahrt. Er sendet sie nach der nächsten Anmeldung hier.",
  "stopped.not_stored":
    "Dieser Browser kann die Antworten nicht aufbewahren. Sie gehen verloren, wenn die Seite geschlossen wird.",

  "waiting.title": "Andere bearbeiten gerade die letzten Clips",
  "waiting.text":
    "Vielleicht werden noch einige davon frei. Bitte diese Seite offen lassen: Sie fragt alle paar Sekunden nach und macht von selbst weiter.",
  "waiting.check": "Jetzt nachsehen",
  "waiting.correct": "Frühere Antworten korrigieren",

  "paused.title": "Angehalten",
  "paused.text":
    "Die Leitung des Projekts hat die Arbeit angehalten. Alle Antworten sind gespeichert. Später geht es auf dieser Seite weiter, und von selbst, wenn sie offen bleibt.",
  "paused.gold":
    "Von einigen Clips ist die Antwort bekannt, und die Antworten hier weichen oft davon ab. Deshalb ist die Arbeit angehalten. Alle Antworten sind gespeichert. Bitte die Anleitung (Hilfe) noch einmal lesen und dann die Leitung bitten, dass es weitergehen kann.",

  "done.title": "Danke, {name}!",
  "done.text.one":
    "Ein Clip ist beantwortet, und alle Antworten sind gespeichert. Es gibt keine weiteren Clips; die Seite kann geschlossen werden.",
  "done.text.other":
    "{count} Clips sind beantwortet, und alle Antworten sind gespeichert. Es gibt keine weiteren Clips; die Seite kann geschlossen werden.",
  "done.check": "Nach weiteren Clips sehen",

  "closed.title": "Die Runde ist beendet. Danke, {name}!",
  "closed.text":
    "Die Leitung des Projekts hat diese Runde beendet; es gibt keine weiteren Clips. Die Seite kann geschlossen werden.",
  "quota.title": "Das war der letzte Clip. Danke, {name}!",
  "quota.text":
    "So viele Clips, wie eine Person beantworten soll, sind beantwortet. Die Seite kann geschlossen werden.",
  "over.answers.one": "Die Antwort ist gespeichert.",
  "over.answers.other": "Alle {count} Antworten sind gespeichert.",

  "notice.reported": "Gemeldet: Der vorige Clip läuft nicht. Er geht an andere Personen.",
  "notice.rejected": "Eine Antwort wurde abgelehnt: {reason}",
  "notice.first_answer": "Das war die erste Antwort.",
  "notice.no_earlier": "Es gibt keine frühere Antwort.",
  "notice.reassigned": "Der vorige Clip ging an eine andere Person. Dies ist ein anderer.",
  "notice.earlier_needs_server":
    "Für frühere Antworten ist eine Verbindung zum Server nötig. Bitte später noch einmal versuchen.",

  "problem.unreachable":
    "Der Server ist nicht erreichbar. Bitte die Verbindung prüfen und noch einmal versuchen.",
  "problem.link":
    "Bitte den persönlichen Link öffnen. Wenn er schon auf einem anderen Gerät benutzt wurde oder dieses abgemeldet ist, bitte um einen neuen bitten.",
  "problem.other_link":
    "Dieses Gerät wurde abgemeldet, oder in diesem Browser wurde ein anderer persönlicher Link benutzt. Bitte um einen neuen Link bitten.",
  "problem.excluded": "Die Teilnahme an diesem Projekt ist beendet. Vielen Dank für die Hilfe.",
  "problem.not_assigned": "Der Clip war nicht zugeteilt.",
};

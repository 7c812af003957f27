// SPDX-License-Identifier: MIT

/**
 * All texts of the annotator's page. {name} is replaced by a value; a text that depends on a number has a form
 * for one and one for others.
 */
export const english = {
  "page.title": "{project}: annotate",
  "page.loading": "One moment…",
  "page.waiting": "Waiting for the server",
  "page.invalid_link": "This link is not valid",
  "page.stopped": "You cannot continue here",
  "page.signed_out": "You are not signed in",

  "join.title": "Sign in on this device",
  "join.text":
    "Your personal link works once and signs in one device. After that, this device stays signed in.",
  "join.button": "Sign in",
  "join.used": "This link was already used or has expired. Ask for a new one.",
  "join.incomplete":
    "The link is not complete: the part after # is missing. Copy the whole link from your message.",
  "join.already": "You are signed in as {name}",
  "join.already_text":
    "This device is signed in already. If the link is meant for another device, open it there: it works only once.",
  "join.still": "This link was already used or has expired. This device is still signed in.",
  "join.continue": "Continue as {name}",
  "join.use_link": "Sign in with the link",

  "account.label": "Signed in as {name}",
  "account.sign_out": "Sign out",
  "account.title": "Sign out on this device?",
  "account.text":
    "All answers that you sent are saved. To come back, you need a new personal link: ask the leader for it.",
  "account.unsaved": "You can sign out when all answers are saved.",
  "account.stay": "Stay signed in",
  "signed_out.title": "You are signed out",
  "signed_out.text": "You can close this page. To continue later, ask the leader for a new personal link.",

  "welcome.title": "Welcome, {name}",
  "welcome.lead":
    "You will see short clips and choose the verbs that describe them. First you practise with a few clips.",
  "welcome.start": "Start the practice round",

  "help.button": "Help",
  "help.title": "Instructions",
  "help.back": "Back to the clips",
  "help.keys": "Keys",
  "help.saved":
    "Every answer is saved when you send it. You can stop at any time: this device stays signed in, so open this page or your personal link again to continue.",

  "colours.title": "Colours",
  "colours.system": "System",
  "colours.light": "Light",
  "colours.dark": "Dark",

  "key.space": "Space",
  "key.enter": "Enter",
  "key.backspace": "Backspace",
  "key.escape": "Esc",

  "keys.verb": "select or deselect a verb",
  "keys.nothing": "nothing happens here",
  "keys.other": "something happens, but none of these verbs",
  "keys.unsure": "not confident",
  "keys.flag": "mark the clip for the leader",
  "keys.comment": "write a comment; Enter returns to the keys",
  "keys.pause": "pause the clip, or continue",
  "keys.replay": "play the clip from its beginning",
  "keys.frames": "previous and next frame",
  "keys.half_speed": "half speed",
  "keys.enlarge": "enlarge the clip",
  "keys.send": "send the answer",
  "keys.skip": "skip a clip that does not play",
  "keys.back": "go back and correct earlier answers",
  "keys.help": "show these instructions",

  "clip.title": "Clip no. {number}",
  "clip.earlier": "Earlier answer: clip no. {number}",
  "clip.loading_next": "Loading the next clip…",

  "verbs.title": "Choose every verb that applies",
  "verbs.group": "Verbs",
  "verbs.definitions": "What the verbs mean",
  "verbs.announced.one": "{clip}, one verb",
  "verbs.announced.other": "{clip}, {count} verbs",
  "verbs.chosen": "{verb}: chosen",
  "verbs.not_chosen": "{verb}: not chosen",

  "answer.nothing": "Nothing happens here",
  "answer.something": "Something happens here",
  "answer.other": "None of these verbs",
  "answer.not_other": "Some of these verbs",
  "answer.other_verb": "Which verb describes it? (optional)",
  "answer.flag": "Mark",
  "answer.flagged": "Marked for the leader",
  "answer.not_flagged": "Not marked for the leader",
  "answer.comment": "Comment",
  "answer.comment_label": "Comment for the leader",
  "answer.unsure": "Not confident",
  "answer.confident": "Confident",
  "answer.not_seen": "Watch the clip first. It has not played yet.",
  "answer.incomplete": "Choose every verb that applies, “Nothing happens here” or “None of these verbs”.",
  "answer.send": "Send",
  "answer.save": "Save",
  "answer.earlier": "Earlier",
  "answer.cancel": "Cancel",

  "player.label": "{clip}, plays without sound",
  "player.loading": "Loading the clip…",
  "player.start": "Play the clip",
  "player.failed": "The clip does not load.",
  "player.slow": "The clip is still loading.",
  "player.reload": "Load again",
  "player.skip": "Skip this clip",
  "player.position": "Position in the clip",
  "player.pause": "Pause",
  "player.play": "Play",
  "player.replay": "Replay",
  "player.frame_back": "Frame back",
  "player.frame": "Frame",
  "player.half_speed": "Half speed",
  "player.enlarge": "Enlarge",

  "practice.title": "Practice {number} of {total}",
  "practice.check": "Check the answer",
  "practice.next": "Next practice clip",
  "practice.end": "Start annotating",
  "practice.found": "Another person labelled this clip {verb}, too.",
  "practice.missed":
    "Another person labelled this clip {verb}. Watch it again: if the verb applies, choose it; if you disagree, keep your answer.",
  "practice.more": "Often more than one verb applies. Check the others before you continue.",
  "practice.stuck":
    "You cannot start before this practice clip is answered. If it does not play, load it again or try another browser. Otherwise tell the leader, who can end your practice; then load this page again.",
  "practice.loading": "Loading the practice clips…",
  "practice.failed": "The practice clips could not be loaded",
  "practice.retry": "Try again",

  "progress.clips": "{done} of {total}",
  "state.saving": "Saving…",
  "state.saved": "Saved",
  "state.not_saved": "Not saved",

  "unsaved.one": "One answer is not saved yet.",
  "unsaved.other": "{count} answers are not saved yet.",
  "unsaved.stored": "This browser stores unsaved answers until the server responds.",
  "unsaved.keep_open": "Keep this page open until the server responds.",

  "lost.title": "No connection to the server.",
  "lost.all_saved": "All answers that you sent are saved.",
  "lost.connecting": "Connecting…",
  "lost.next_attempt": "Next attempt in {seconds} s",
  "lost.retry": "Try now",

  "stopped.stored": "This browser has stored your answers. It sends them when you sign in here again.",
  "stopped.not_stored": "This browser cannot store your answers. They are lost when you close this page.",

  "waiting.title": "Other people are answering the last clips",
  "waiting.text":
    "Some of them may still be assigned to you. Keep this page open: it checks every few seconds and continues automatically.",
  "waiting.check": "Check now",
  "waiting.correct": "Correct earlier answers",

  "paused.title": "Paused",
  "paused.text":
    "The leader has paused your work. Your answers are saved. Open this page again later, or keep it open: it continues automatically.",
  "paused.gold":
    "Some of your clips have known answers, and yours often differ from them. So your work is paused. Your answers are saved. Read the instructions again (Help), then ask the leader to let you continue.",

  "done.title": "Thank you, {name}!",
  "done.text.one":
    "You answered one clip, and all answers are saved. There are no more clips for you: you can close this page.",
  "done.text.other":
    "You answered {count} clips, and all answers are saved. There are no more clips for you: you can close this page.",
  "done.check": "Check for more clips",

  "closed.title": "The round is over. Thank you, {name}!",
  "closed.text": "The leader has closed this round, so there are no more clips. You can close this page.",
  "quota.title": "That was your last clip. Thank you, {name}!",
  "quota.text": "You have answered as many clips as one person should. You can close this page.",
  "over.answers.one": "Your answer is saved.",
  "over.answers.other": "All of your {count} answers are saved.",

  "notice.reported": "You reported that the previous clip does not play. It goes to other people.",
  "notice.rejected": "An answer was rejected: {reason}",
  "notice.first_answer": "This was your first answer.",
  "notice.no_earlier": "There is no earlier answer.",
  "notice.reassigned": "The previous clip was assigned to somebody else. This is another one.",
  "notice.earlier_needs_server": "Earlier answers need a connection to the server. Try again later.",

  "problem.unreachable": "The server is not reachable. Check your connection and try again.",
  "problem.link":
    "Open your personal link. If you have used it on another device, or signed out, ask for a new one.",
  "problem.other_link":
    "You were signed out, or another personal link was used in this browser. Ask for a new link to continue.",
  "problem.excluded": "You no longer take part in this project. Thank you for your help.",
  "problem.not_assigned": "The clip was not assigned to you.",
} as const;

export type Key = keyof typeof english;

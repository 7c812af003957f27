#!/usr/bin/env node
// answer_all URL PASSWORD PEOPLE [report|words]: PEOPLE people answer every clip that an annotation server assigns to them. Each
// chooses the candidate that comes first in the vocabulary; the second person also chooses the next one, and is not
// confident about the clip with the lowest number. With "report" they report that every clip does not play. With "words"
// the second person says "none of these verbs" to every clip, with a verb and a comment.
const [site, password, people, mode] = process.argv.slice(2);

async function call(path, cookie, body) {
  const headers = { Cookie: cookie, "Content-Type": "application/json", "X-Manyverbs": "1" };
  const reply = await fetch(site + path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return { json: await reply.json(), cookie: (reply.headers.get("set-cookie") ?? "").split(";")[0] };
}

async function annotate(link, isSecond) {
  const { cookie } = await call("/api/annotator/join", "", { token: new URL(link).hash.slice(1) });
  const practice = (await call("/api/annotator/practice", cookie)).json.tasks;
  for (const { task, candidates } of practice) {
    const answer = { chosen: [candidates[0].class], confident: true, nothing: false, milliseconds: 2000 };
    await call("/api/annotator/practice", cookie, { task, answer });
  }
  await call("/api/annotator/practised", cookie, {});
  for (;;) {
    const { json } = await call("/api/annotator/next", cookie, {});
    if (json.tasks.length === 0) return;
    const { task, candidates } = json.tasks[0];
    if (mode === "report") {
      await call("/api/annotator/reports", cookie, { task });
      continue;
    }
    const verbs = candidates.map((verb) => verb.class).sort((a, b) => a - b);
    const chosen = verbs.slice(0, isSecond ? 2 : 1);
    let answer = { chosen, confident: task !== 1, nothing: false, milliseconds: 2000 };
    if (mode === "words" && isSecond)
      answer = { ...answer, chosen: [], other: true, other_verb: " Grate", flagged: true, comment: "=blurred" };
    await call("/api/annotator/answers", cookie, { task, answer });
  }
}

const leader = (await call("/api/leader/login", "", { name: "leader", password })).cookie;
for (let i = 1; i <= people; ++i) {
  const { json } = await call("/api/leader/people", leader, { name: `person ${i}` });
  await annotate(json.link, i === 2);
}

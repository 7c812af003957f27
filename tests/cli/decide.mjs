#!/usr/bin/env node
// decide URL PASSWORD CLIP REASON [VERB…]: the leader settles the labels of a clip, or without verbs leaves it out;
// with the reason "undo", undoes the decision.
const [site, password, clip, reason, ...verbs] = process.argv.slice(2);

async function call(path, cookie, body) {
  const headers = { Cookie: cookie, "Content-Type": "application/json", "X-Manyverbs": "1" };
  const reply = await fetch(site + path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return { json: await reply.json(), cookie: (reply.headers.get("set-cookie") ?? "").split(";")[0] };
}

const leader = (await call("/api/leader/login", "", { name: "leader", password })).cookie;
const { task } = (await call(`/api/leader/clips?find=${clip}`, leader)).json.clips[0];
const { classes } = (await call(`/api/leader/clip?task=${task}`, leader)).json;
if (reason === "undo") await call("/api/leader/decisions/undo", leader, { task });
else await call("/api/leader/decisions", leader, { task, reason, labels: verbs.map((verb) => classes.indexOf(verb)) });

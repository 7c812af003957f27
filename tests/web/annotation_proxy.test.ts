// SPDX-License-Identifier: MIT
//
// The configurations in docs/deployment.md: annotators reach the program through nginx and Caddy with TLS, no log
// contains a personal link, and systemd accepts the units.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join as pathOf } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";

import { plays, signIn, visit } from "./annotation_page";
import { invite, practise, Program, setPassword } from "./annotation_program";
import { launch } from "./browsers";
import { becomes } from "./page";

let browser: Browser;
let program: Program;
const proxies: ChildProcess[] = [];
before(async () => {
  program = new Program();
  program.makeDataset(3);
  browser = await launch();
});
after(async () => {
  for (const proxy of proxies) proxy.kill("SIGTERM");
  await browser.close();
  program.remove();
});

/** The code blocks of a language in the documentation. */
function documented(language: string): string[] {
  const text = readFileSync(pathOf(process.env.DOCS!, "deployment.md"), "utf8");
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , block]) => block!);
}

/** Replaces each text, which must occur. */
function replaced(text: string, changes: [string | RegExp, string][]): string {
  for (const [from, to] of changes) {
    const changed = text.replaceAll(from, to);
    assert.notEqual(changed, text, `${from} does not occur in the configuration`);
    text = changed;
  }
  return text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Ports {
  tls: number;
  plain: number;
  program: number;
}

/** Starts a proxy in a folder, and returns the files that it logs to. */
type Start = (folder: string, ports: Ports) => string[];

const startNginx: Start = (folder, ports) => {
  const configuration = replaced(documented("nginx")[0]!, [
    [/listen \[::\].*\n/g, ""],
    ["listen 80;", `listen 127.0.0.1:${ports.plain};`],
    ["listen 443", `listen 127.0.0.1:${ports.tls}`],
    ["verbs.example.org;", "127.0.0.1;"],
    ["/etc/letsencrypt/live/verbs.example.org/", `${folder}/`],
    ["/var/log/nginx/", `${folder}/`],
    ["127.0.0.1:8080", `127.0.0.1:${ports.program}`],
  ]);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const user = process.getuid!() === 0 ? "user root;" : "";
  const file = pathOf(folder, "nginx.conf");
  writeFileSync(
    file,
    `${user} daemon off; pid ${folder}/pid; events {} http { ${temporary.join(" ")}\n${configuration} }\n`,
  );
  const words = ["-p", folder, "-c", file, "-e", pathOf(folder, "errors")];
  const PATH = `${process.env.PATH}:/usr/sbin`;
  execFileSync("nginx", [...words, "-t", "-q"], { env: { ...process.env, PATH } });
  proxies.push(spawn("nginx", words, { stdio: "ignore", env: { ...process.env, PATH } }));
  return ["verbs.log", "verbs.error.log", "errors"];
};

const startCaddy: Start = (folder, ports) => {
  const global = `admin off\n\thttp_port ${ports.plain}\n\tskip_install_trust\n\tstorage file_system ${folder}/storage`;
  const file = pathOf(folder, "Caddyfile");
  const configuration = replaced(documented("caddy")[0]!, [
    [/^verbs.example.org \{/gm, `https://127.0.0.1:${ports.tls} {\n\ttls internal`],
    ["/var/log/caddy/", `${folder}/`],
    ["127.0.0.1:8080", `127.0.0.1:${ports.program}`],
  ]);
  writeFileSync(file, `{\n\t${global}\n}\n${configuration}`);
  const words = ["run", "--config", file, "--adapter", "caddyfile"];
  const proxy = spawn("caddy", words, { env: { ...process.env, HOME: folder } });
  proxy.stderr.on("data", (text: Buffer) => writeFileSync(pathOf(folder, "errors"), text, { flag: "a" }));
  proxies.push(proxy);
  return ["verbs.log", "errors"];
};

for (const [name, start] of [
  ["nginx", startNginx],
  ["caddy", startCaddy],
] as const)
  test(`a person annotates through ${name} as documented, and no log has the personal link`, async () => {
    program.prepare(name);
    const folder = pathOf(program.folder, `${name}-files`);
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    execFileSync(
      "openssl",
      [
        ...[
          "req",
          "-x509",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:prime256v1",
          "-nodes",
          "-days",
          "2",
        ],
        ...["-subj", "/CN=127.0.0.1", "-keyout", pathOf(folder, "privkey.pem")],
        ...["-out", pathOf(folder, "fullchain.pem")],
      ],
      { stdio: "ignore" },
    );
    const ports = { tls: await freePort(), plain: await freePort(), program: await freePort() };
    const url = `https://127.0.0.1:${ports.tls}`;
    const logs = start(folder, ports);
    const { address, server } = await program.serve(name, String(ports.program), "--public-url", url);
    assert.ok(address.startsWith(`${url}/lead`), address);

    const secure = { ignoreHTTPSErrors: true };
    const { page: leader } = await visit(browser, address, secure);
    await setPassword(leader);
    await leader.getByRole("heading", { name: "0 of 3 clips complete" }).waitFor();
    await leader.getByRole("link", { name: "People" }).click();
    const link = await invite(leader, "Anna");
    assert.ok(link.startsWith(`${url}/join#`), link);
    const { page, complaints } = await visit(browser, link, secure);
    await signIn(page);
    await practise(page);
    await plays(page);
    await page.keyboard.press("1");
    await page.keyboard.press("Enter");
    await becomes(() => page.locator(".progress").innerText(), "1 of 3");
    assert.deepEqual(complaints, []);
    const [cookie] = await page.context().cookies();
    assert.equal(cookie!.secure, true);

    // The errors of the proxy must not contain the link, either.
    server.kill("SIGKILL");
    await becomes(async () => (await page.request.get(link)).status(), 502);
    const token = link.slice(link.indexOf("#") + 1);
    const written = logs
      .map((file) => pathOf(folder, file))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, "utf8"))
      .join("");
    assert.match(written, /\/join/);
    assert.ok(
      !written.includes(token),
      written.split("\n").find((line) => line.includes(token)),
    );
    assert.ok(!written.includes(cookie!.value));
    await page.context().close();
    await leader.context().close();
  });

test("systemd accepts the documented units, and finds the service well protected", () => {
  const folder = pathOf(program.folder, "units");
  mkdirSync(folder);
  const [server, backup, timer] = documented("ini").map((unit) =>
    unit.replaceAll("/usr/bin/manyverbs", process.env.MANYVERBS!),
  );
  for (const [name, unit] of [
    ["verbs.service", server],
    ["verbs-backup.service", backup],
    ["verbs-backup.timer", timer],
  ] as const) {
    const file = pathOf(folder, name);
    writeFileSync(file, unit!);
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], {
      encoding: "utf8",
    });
    assert.deepEqual([status, stderr], [0, ""], name);
  }
  const words = ["security", "--offline=yes", "--threshold=20", pathOf(folder, "verbs.service")];
  const { status, stdout } = spawnSync("systemd-analyze", words, { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

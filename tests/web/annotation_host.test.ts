// SPDX-License-Identifier: MIT
//
// Two projects share a host, each under its own path behind a proxy, in one browser.
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";

import { plays, signIn, visitIn } from "./annotation_page";
import { invite, practise, Program, setPassword, title } from "./annotation_program";
import { launch } from "./browsers";
import { becomes } from "./page";

const CLIPS: Record<string, number> = { one: 3, two: 2 };

let browser: Browser;
const program = new Program();
/** The ports of the servers, by the first part of the path. */
const ports: Record<string, string> = {};
const proxy = createServer((asked, answer) => {
  const port = ports[asked.url!.split("/")[1]!];
  if (!port) return void answer.writeHead(404).end();
  const { method, url: path, headers } = asked;
  const passed = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
    answer.writeHead(response.statusCode!, response.headers);
    response.pipe(answer);
  });
  passed.on("error", () => answer.destroy());
  asked.pipe(passed);
});
before(async () => {
  browser = await launch();
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});
after(async () => {
  await browser.close();
  proxy.closeAllConnections();
  proxy.close();
  program.remove();
});

/** Starts a server under a path of the host; returns its URL with the token. */
async function serve(path: string, port: string): Promise<string> {
  const host = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { address } = await program.serve(path, port, "--public-url", `${host}/${path}`);
  ports[path] = port;
  assert.ok(address.startsWith(`${host}/${path}/lead#setup=`), address);
  return address;
}

/** A port that is free at the moment. */
async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

test("one browser leads and annotates two projects under two paths of a host", async () => {
  program.makeDataset(3);
  const context = await browser.newContext();
  const visits = [];
  for (const path of Object.keys(CLIPS)) {
    program.prepare(path, "--count", String(CLIPS[path]), "--practice", "3");
    visits.push(await visitIn(context, await serve(path, await freePort())));
    await setPassword(visits.at(-1)!.page);
  }
  const paths = Object.entries(CLIPS);
  for (const [at, [path, clips]] of paths.entries()) {
    const { page: leader } = visits[at]!;
    // The password of the other project did not end this session.
    await leader.reload();
    await leader.getByRole("heading", { name: `0 of ${clips} clips complete` }).waitFor();
    await leader.getByRole("link", { name: "People" }).click();
    const link = await invite(leader, "Anna");
    assert.match(link, new RegExp(`/${path}/join#`));
    const visit = await visitIn(context, link);
    visits.push(visit);
    await signIn(visit.page);
    assert.equal(new URL(visit.page.url()).pathname, `/${path}/annotate`);
    await practise(visit.page);
  }
  for (const [at, [, clips]] of paths.entries()) {
    const { page } = visits[paths.length + at]!;
    await page.bringToFront();
    for (let clip = 1; clip <= clips; clip++) {
      await plays(page);
      await page.keyboard.press("1");
      await page.keyboard.press("Enter");
      await becomes(() => page.locator(".progress").innerText(), `${clip} of ${clips}`);
    }
    await becomes(async () => (await title(page)).startsWith("Thank you"), true);
  }
  assert.deepEqual(
    visits.flatMap(({ complaints }) => complaints),
    [],
  );
  const cookies = await context.cookies();
  assert.deepEqual(cookies.map(({ path }) => path).sort(), ["/one/", "/one/", "/two/", "/two/"]);
});

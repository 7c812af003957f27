// Opens a report in Chromium several times and prints the longest time until its last chart was
// drawn:
//
//   node open_report.mjs PACKAGES REPORT.html     PACKAGES: where node_modules with playwright-core is
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [packages, report] = process.argv.slice(2);
const { chromium } = createRequire(`${packages}/`)("playwright-core");
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
let slowest = 0;
for (let round = 0; round < 3; ++round) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  // The time of the last change of the page since the start of navigation.
  await page.addInitScript(() => {
    window.lastChange = 0;
    new MutationObserver(() => (window.lastChange = performance.now())).observe(document, {
      childList: true,
      subtree: true,
    });
  });
  await page.goto(pathToFileURL(report).href);
  await page.waitForFunction(() => window.lastChange > 0 && performance.now() - window.lastChange > 500);
  slowest = Math.max(slowest, await page.evaluate(() => window.lastChange));
  await page.close();
}
await browser.close();
console.log(`open ${(slowest / 1000).toFixed(3)} s`);

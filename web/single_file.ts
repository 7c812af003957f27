// SPDX-License-Identifier: MIT
import { createHash } from "node:crypto";
import type { Plugin, Rollup } from "vite";

/** The policy of the report: only the page itself and files beside it, no network requests. */
function contentSecurityPolicy(script: string): string {
  const hash = createHash("sha256").update(script).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    // Charts create style elements when they are drawn, so these cannot be hashed.
    "style-src 'unsafe-inline'",
    "img-src 'self' file: data: blob:",
    "media-src 'self' file: data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Replaces the single match of the pattern; throws if there is not exactly one. */
function replaceOnce(text: string, pattern: RegExp, replacement: string): string {
  const found = text.match(new RegExp(pattern, "g"))?.length ?? 0;
  if (found !== 1) throw new Error(`${pattern} stands ${found} times in the page instead of once`);
  return text.replace(pattern, () => replacement);
}

function inlined(html: string, script: string, style: string): string {
  // These would end the script element or start a comment.
  const safe = script
    .trim()
    .replace(/<\/(script)/gi, "<\\/$1")
    .replace(/<!--/g, "\\x3C!--");
  // Pages of the server get their policy from the server.
  let page = html.replace("CONTENT_SECURITY_POLICY", () => contentSecurityPolicy(safe));
  page = replaceOnce(page, /\s*<link rel="stylesheet"[^>]*>/, `\n    <style>${style.trim()}</style>`);
  page = replaceOnce(page, /\s*<script type="module"[^>]*><\/script>/, "");
  return replaceOnce(page, /\s*<\/body>/, `\n    <script type="module">${safe}</script>\n  </body>`);
}

/** Inlines script and style into the HTML file, so that the page is a single file. */
export function singleFile(): Plugin {
  return {
    name: "single-file",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const isAsset = (ending: string) => (file: Rollup.OutputAsset | Rollup.OutputChunk) =>
        file.type === "asset" && file.fileName.endsWith(ending);
      const chunks = files.filter((file) => file.type === "chunk");
      const html = files.find(isAsset(".html")) as Rollup.OutputAsset;
      const style = files.find(isAsset(".css")) as Rollup.OutputAsset;
      if (chunks.length !== 1) throw new Error(`${chunks.length} scripts instead of one`);
      html.source = inlined(String(html.source), chunks[0]!.code, String(style.source));
      for (const file of files) if (file !== html) delete bundle[file.fileName];
    },
  };
}

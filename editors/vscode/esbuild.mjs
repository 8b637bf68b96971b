// Bundles the extension, and the script of its webview, into dist/.
import { rm } from "node:fs/promises";
import { build } from "esbuild";

await rm("dist", { recursive: true, force: true });

const shared = { bundle: true, minify: true, legalComments: "none", logLevel: "warning" };

await build({
  ...shared,
  entryPoints: { main: "src/main.ts" },
  outdir: "dist",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  // The client's modules are written for both; the bundle needs the one without wrappers.
  mainFields: ["module", "main"],
});

await build({
  ...shared,
  entryPoints: { picture: "src/views/picture/main.ts" },
  outdir: "dist",
  platform: "browser",
  format: "iife",
  target: "es2022",
});

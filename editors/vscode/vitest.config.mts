import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// `vscode` is there inside an editor only: unit tests get what little their logic needs of it.
export default defineConfig({
  resolve: { alias: { vscode: fileURLToPath(new URL("./test/vscode.ts", import.meta.url)) } },
  test: {
    include: ["test/**/*.test.ts"],
    server: { deps: { inline: [/vscode-languageclient/] } },
  },
});

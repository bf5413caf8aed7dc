// Bundles the tests in test/unit or test/e2e and runs them with Node's own test runner: `test.mjs KIND [NAME...]`,
// with names of files to run only these. The last line has the counts.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

const [kind, ...only] = process.argv.slice(2);
const folder = join("test", kind);
const output = join("dist", kind);

const isWanted = (name) => name.endsWith(".test.ts") && (only.length === 0 || only.includes(name.replace(".test.ts", "")));
const names = readdirSync(folder).filter((name) => isWanted(name) || name === "main.ts");
rmSync(output, { recursive: true, force: true });
await build({
  entryPoints: names.map((name) => join(folder, name)),
  outdir: output,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["playwright-core"],
  sourcemap: "inline",
  logLevel: "warning",
});
const main = join(output, "main.js");
const files = names.filter((name) => name !== "main.ts").map((name) => join(output, name.replace(/\.ts$/, ".js")));
const runner = existsSync(main) ? [main] : ["scripts/run.mjs", `vscode_${kind}`];
const { status } = spawnSync(process.execPath, ["--enable-source-maps", ...runner, ...files], { stdio: "inherit" });
process.exit(status ?? 1);

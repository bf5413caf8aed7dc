// Bundles the unit tests and runs them with Node's own test runner.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

const FOLDER = "test/unit";
const OUTPUT = "dist/unit";

const entryPoints = readdirSync(FOLDER).filter((name) => name.endsWith(".test.ts"));
rmSync(OUTPUT, { recursive: true, force: true });
await build({
  entryPoints: entryPoints.map((name) => join(FOLDER, name)),
  outdir: OUTPUT,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  sourcemap: "inline",
  logLevel: "warning",
});
const files = entryPoints.map((name) => join(OUTPUT, name.replace(/\.ts$/, ".js")));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { stdio: "inherit" });
process.exit(status ?? 1);

// Bundles the plugin into dist/extension.js.
import { build } from "esbuild";

const isProduction = process.argv.includes("--production");

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  minify: isProduction,
  sourcemap: !isProduction,
  logLevel: "warning",
});

/** The editor and the browser that the tests need, put into a cache outside the repository. */

import { execFileSync, type ExecFileSyncOptions } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Something that the tests need can't be had on this machine. */
export class Missing extends Error {}

const MANIFEST = resolve("test/e2e/editor");
const BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const INSTALL_TIMEOUT_MS = 180_000;

/** Path of a Chromium. Throws Missing. */
export function findBrowser(): string {
  const folders = (process.env["PATH"] ?? "").split(":");
  const paths = BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = paths.find((path) => existsSync(path));
  if (!found) {
    throw new Missing(`no browser (${BROWSERS.join(", ")}); Debian's package is chromium`);
  }
  return found;
}

/** Path of code-server's entry point, installed if it isn't yet. Throws Missing. */
export function ensureEditor(): string {
  const lock = readFileSync(join(MANIFEST, "package-lock.json"));
  const version = createHash("sha256").update(lock).update(process.version).digest("hex").slice(0, 12);
  const folder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "fastedit-e2e", version);
  const done = join(folder, "installed");
  if (!existsSync(done)) {
    install(folder);
    writeFileSync(done, "");
  }
  return join(folder, "node_modules/code-server/out/node/entry.js");
}

/** code-server as its own install script would, but only with the native modules that it starts with. */
function install(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(MANIFEST, folder, { recursive: true });
  const editor = join(folder, "node_modules/code-server/lib/vscode");
  npm(folder, "ci", "--ignore-scripts");
  npm(folder, "rebuild", "argon2");
  npm(editor, "install", "--ignore-scripts", "--omit=dev");
  symlinkSync("node_modules", join(editor, "node_modules.asar"));
  // No node-pty: it takes longest to build, and only terminals need it.
  npm(editor, "rebuild", "@vscode/spdlog", "native-watchdog");
}

function npm(cwd: string, ...args: string[]): void {
  const options: ExecFileSyncOptions = { cwd, stdio: ["ignore", "ignore", "pipe"], timeout: INSTALL_TIMEOUT_MS };
  try {
    execFileSync("npm", [...args, "--no-audit", "--no-fund"], options);
  } catch (error) {
    throw new Missing(`npm ${args.join(" ")}: ${String(error).split("\n")[0] ?? ""}`);
  }
}

/** Starts what the tests need and runs them. Ends with status 77 where something can't be had on this machine. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { ensureEditor, findBrowser, Missing } from "./install";
import { startEditor, startService, type Running } from "./services";

const SKIPPED = 77;

async function main(files: readonly string[]): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "fastedit-e2e-"));
  const running: Running[] = [];
  try {
    const browser = findBrowser();
    const entry = ensureEditor();
    const service = await startService();
    running.push(service);
    const editor = await startEditor(entry, home, resolve("fastedit.vsix"), service.url);
    running.push(editor);
    const env = { ...process.env, E2E_BROWSER: browser, E2E_EDITOR: editor.url, E2E_SERVICE: service.url, E2E_HOME: home };
    const tests = spawn(process.execPath, ["--enable-source-maps", "scripts/run.mjs", "vscode_e2e", ...files], { env, stdio: "inherit" });
    const [status] = (await once(tests, "exit")) as [number | null];
    return status ?? 1;
  } catch (error) {
    if (!(error instanceof Missing)) {
      throw error;
    }
    console.error(`\n*** SKIPPED: the end-to-end tests in VS Code can't run here: ${error.message} ***\n`);
    return SKIPPED;
  } finally {
    running.forEach((one) => one.stop());
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

void main(process.argv.slice(2)).then((status) => (process.exitCode = status));

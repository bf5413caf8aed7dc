/** A browser for all tests, and windows in it. */

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium, type Browser } from "playwright-core";

import { Workbench, type Files } from "./workbench";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const SERVICE = variable("E2E_SERVICE");

/** settings: the workspace's own, besides those of the machine. */
export interface WindowOptions {
  readonly files: Files;
  readonly settings?: object;
  readonly isTrusted?: boolean;
}

/**
 * A window on a folder of its own for the tests of a `describe`, in a browser of its own, both closed after them.
 *
 * Gives a `test` whose steps get the window; where they fail, a picture of it is kept.
 */
export function inWindow({ files, settings = {}, isTrusted = true }: WindowOptions) {
  let browser: Browser;
  let workbench: Workbench;
  before(async () => {
    browser = await chromium.launch({ executablePath: variable("E2E_BROWSER"), args: ARGS });
    const folder = mkdtempSync(join(variable("E2E_HOME"), "workspace-"));
    const all = { ...files, ".vscode/settings.json": JSON.stringify(settings) };
    workbench = await Workbench.open(browser, variable("E2E_EDITOR"), folder, all, isTrusted);
  });
  after(() => browser.close());
  return (name: string, steps: (workbench: Workbench, note: (text: string) => void) => Promise<void>) =>
    test(name, async (context) => {
      try {
        await steps(workbench, (text) => context.diagnostic(text));
      } catch (error) {
        await workbench.page.screenshot({ path: `test/e2e/failure-${name.replace(/\W+/g, "-")}.png` });
        throw error;
      }
    });
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} isn't set: run the tests by \`npm run e2e\``);
  }
  return value;
}

/** A browser for a file of tests, and windows in it. */

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";

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

export interface WindowOptions {
  /** The workspace's own settings, besides those of the machine. */
  readonly settings?: object;
  readonly isTrusted?: boolean;
}

/** Opens windows on folders of their own; all of them are closed after the tests. */
export function windows(): (files: Files, options?: WindowOptions) => Promise<Workbench> {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch({ executablePath: variable("E2E_BROWSER"), args: ARGS });
  });
  after(() => browser.close());
  return (files, { settings = {}, isTrusted = true } = {}) => {
    const folder = mkdtempSync(join(variable("E2E_HOME"), "workspace-"));
    const all = { ...files, ".vscode/settings.json": JSON.stringify(settings) };
    return Workbench.open(browser, variable("E2E_EDITOR"), folder, all, isTrusted);
  };
}

/** Runs a test's steps; where one fails, a picture of the window is kept. */
export async function seeing(workbench: Workbench, name: string, steps: () => Promise<void>): Promise<void> {
  try {
    await steps();
  } catch (error) {
    await workbench.page.screenshot({ path: `test/e2e/failure-${name}.png` });
    throw error;
  }
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} isn't set: run the tests by \`npm run e2e\``);
  }
  return value;
}

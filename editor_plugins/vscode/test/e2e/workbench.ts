/** The editor's window as a person uses it: keys, clicks, and what can be seen. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Browser, Locator, Page } from "playwright-core";

const PATIENCE_MS = 60_000;
const START_PATIENCE_MS = 120_000;
const PREVIEW_TAB = '.tab[aria-label*="FastEdit preview"]';
const MODIFIED = ".editor-instance .modified-in-monaco-diff-editor";

export type Files = Readonly<Record<string, string>>;

/** Makes a test of steps that are done in a window; `note` puts a line beside its outcome. */
export type It = (name: string, steps: (workbench: Workbench, note: (text: string) => void) => Promise<void>) => unknown;

export class Workbench {
  private constructor(
    readonly page: Page,
    private readonly folder: string,
  ) {}

  /** A window on a new folder with these files. */
  static async open(browser: Browser, editorUrl: string, folder: string, files: Files, isTrusted: boolean): Promise<Workbench> {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: editorUrl });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`${editorUrl}/?folder=${encodeURIComponent(folder)}`);
    await page.getByRole("button", { name: isTrusted ? "Yes, I trust the authors" : "No, I don't trust the authors" }).click();
    await page.locator(".explorer-folders-view .monaco-list-row").first().waitFor();
    const workbench = new Workbench(page, folder);
    await workbench.untilKnown("FastEdit: Apply Edit from Clipboard");
    return workbench;
  }

  /** The file's bytes as text, as they are on the disk. */
  disk(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Opens a file by its name in the explorer. */
  async openFile(name: string): Promise<void> {
    await this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`).dblclick();
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.page.locator(".editor-instance .monaco-editor.focused .view-line").first().waitFor();
  }

  /**
   * Waits until there is a command of this title: a window can be used some time before it knows its plugins, and a
   * list of commands that is open doesn't get new ones.
   */
  private async untilKnown(title: string): Promise<void> {
    const deadline = Date.now() + START_PATIENCE_MS;
    for (let isKnown = false; !isKnown; ) {
      await this.press("F1");
      await this.quickInput.fill(`>${title}`);
      isKnown = await this.listItem(title).waitFor({ timeout: 1000 }).then(() => true, () => false);
      await this.press("Escape");
      await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
      if (!isKnown && Date.now() > deadline) {
        throw new Error(`no command ${title}`);
      }
    }
  }

  /** Runs a command by its title, as by F1, and waits until it asks for nothing more. */
  async run(title: string): Promise<void> {
    await this.start(title);
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /** Begins a command by its title. */
  async start(title: string): Promise<void> {
    await this.ask(title);
    await this.press("Enter");
  }

  private async ask(title: string): Promise<void> {
    await this.press("F1");
    await this.quickInput.fill(`>${title}`);
    await this.listItem(title).waitFor();
  }

  async copy(text: string): Promise<void> {
    await this.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  }

  async applyClipboard(text: string): Promise<void> {
    await this.copy(text);
    await this.press("Control+Shift+Alt+KeyV");
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Waits until the preview shows a text on its new side, and can be accepted. */
  async previewShows(text: string): Promise<void> {
    await this.page.locator(`${MODIFIED} .view-line`, { hasText: spaced(text) }).first().waitFor();
    await this.acceptButton.waitFor();
  }

  async previewIsGone(): Promise<void> {
    await this.page.locator(PREVIEW_TAB).first().waitFor({ state: "detached" });
  }

  async accept(): Promise<void> {
    await this.acceptButton.click();
    await this.isApplied();
  }

  /** Waits until the status bar says that the edit is in the buffers. */
  async isApplied(): Promise<void> {
    await this.status.locator(".codicon-check").waitFor();
    await this.previewIsGone();
  }

  get acceptButton(): Locator {
    return this.page.locator('.editor-actions .action-label[aria-label^="Accept Edit"]');
  }

  /** Focuses the tab with this file. */
  async goTo(name: string): Promise<void> {
    await this.page.locator(`.tab[data-resource-name="${name}"]`).first().click();
    await this.page.locator(".editor-instance .monaco-editor .view-lines").first().click({ position: { x: 5, y: 5 } });
  }

  async isDirty(name: string): Promise<boolean> {
    return (await this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).count()) > 0;
  }

  async cursorIs(text: string): Promise<void> {
    await this.page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: text }).waitFor();
  }

  /** Saves the active file, and gives what is on the disk then. */
  async save(name: string): Promise<string> {
    await this.press("Control+KeyS");
    await this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).waitFor({ state: "detached" });
    return this.disk(name);
  }

  /** Saves all files, once these have changed: one that wasn't open gets a tab some time after it was changed. */
  async saveAll(...names: string[]): Promise<void> {
    for (const name of names) {
      await this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).waitFor();
    }
    await this.run("File: Save All Files");
    await this.page.locator(".tab.dirty").first().waitFor({ state: "detached" });
  }

  /** Undoes one step and saves. */
  async undo(name: string): Promise<string> {
    await this.press("Control+KeyZ");
    await this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).waitFor();
    return this.save(name);
  }

  notification(text: string): Locator {
    return this.page.locator(".notifications-toasts .notification-list-item", { hasText: text }).first();
  }

  async answer(text: string, button: string): Promise<void> {
    await this.notification(text).getByRole("button", { name: button, exact: true }).click();
  }

  /** The plugin's item in the status bar. */
  get status(): Locator {
    return this.page.locator('.statusbar-item[id$="fastedit.status"]');
  }

  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget .quick-input-box input");
  }

  listItem(text: string): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  }

  /** Milliseconds from the key to the frame in which the preview shows a text that it didn't before. */
  async keystrokeToPreview(edit: string, shown: string): Promise<number> {
    await this.copy(edit);
    await this.page.evaluate(noteKey);
    const elapsed = this.page.evaluate(untilShown, { selector: `${MODIFIED} .view-line`, shown });
    await this.press("Control+Shift+Alt+KeyV");
    return elapsed;
  }
}

/** Runs in the page: keeps the time of the next key V. */
function noteKey(): void {
  const noted = document.documentElement.dataset;
  delete noted["pressedMs"];
  const listen = (event: KeyboardEvent) => {
    if (event.code === "KeyV") {
      noted["pressedMs"] = String(performance.now());
      removeEventListener("keydown", listen, { capture: true });
    }
  };
  addEventListener("keydown", listen, { capture: true });
}

/** Runs in the page: how long after that key a text is shown. */
function untilShown({ selector, shown }: { selector: string; shown: string }): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      const pressedMs = Number(document.documentElement.dataset["pressedMs"]);
      const lines = [...document.querySelectorAll(selector)].map((line) => line.textContent.replace(/\u00a0/g, " "));
      if (pressedMs && lines.some((line) => line.includes(shown))) {
        resolve(performance.now() - pressedMs);
      } else {
        requestAnimationFrame(look);
      }
    };
    look();
  });
}

/** The editor draws spaces as non-breaking ones. */
function spaced(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ /g, "\\s"));
}

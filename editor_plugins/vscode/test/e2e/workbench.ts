/** The editor's window as a person uses it: keys, clicks, and what can be seen. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Browser, Locator, Page } from "playwright-core";

const PATIENCE_MS = 30_000;
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

  /** Waits until there is a command of this title: a window can be used some time before it knows its plugins. */
  private async untilKnown(title: string): Promise<void> {
    await this.ask(title);
    await this.press("Escape");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
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
    const elapsed = this.page.evaluate(measure, { selector: `${MODIFIED} .view-line`, shown });
    await this.press("Control+Shift+Alt+KeyV");
    return elapsed;
  }
}

/** Runs in the page. */
function measure({ selector, shown }: { selector: string; shown: string }): Promise<number> {
  return new Promise((resolve) => {
    let pressed = 0;
    addEventListener("keydown", (event) => event.code === "KeyV" && (pressed = performance.now()), { capture: true, once: false });
    const look = () => {
      const lines = [...document.querySelectorAll(selector)].map((line) => line.textContent.replace(/\u00a0/g, " "));
      if (lines.some((line) => line.includes(shown))) {
        resolve(performance.now() - pressed);
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

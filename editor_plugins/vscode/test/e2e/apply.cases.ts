/** The way of an edit from the clipboard into a file, and back. */

import assert from "node:assert/strict";

import { LAZY_EDIT, longFile, SHAPES, SHAPES_AFTER } from "./samples";
import type { Files, It } from "./workbench";

const CRLF = SHAPES.trimEnd().replace(/\n/g, "\r\n");
const LONG = longFile(5000);
const PLAIN = ["plain.py", "unsaved.py", "hunks.py", "discard.py", "close.py"];

export const APPLY_FILES: Files = {
  ...Object.fromEntries(PLAIN.map((name) => [name, SHAPES])),
  "crlf.py": CRLF,
  "long.py": LONG,
  "same.py": SHAPES_AFTER,
};

export function applyCases(it: It): void {
  it("preview, accept, exact content, one undo", async (workbench) => {
    await workbench.openFile("plain.py");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.previewShows("return factor * 3");
    assert.equal(workbench.disk("plain.py"), SHAPES);
    assert.match(await workbench.status.innerText(), /2 hunks, structural, \d+ ms/);
    await workbench.accept();
    await workbench.goTo("plain.py");
    assert.equal(await workbench.save("plain.py"), SHAPES_AFTER);
    assert.equal(await workbench.undo("plain.py"), SHAPES);
  });

  it("an unsaved buffer is the original, and undo brings it back", async (workbench) => {
    await workbench.openFile("unsaved.py");
    await workbench.press("Control+End");
    await workbench.page.keyboard.insertText("\n# not saved\n");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.previewShows("# not saved");
    await workbench.press("Control+Enter");
    await workbench.isApplied();
    await workbench.goTo("unsaved.py");
    assert.equal(await workbench.save("unsaved.py"), `${SHAPES_AFTER}\n# not saved\n`);
    assert.equal(await workbench.undo("unsaved.py"), `${SHAPES}\n# not saved\n`);
  });

  it("carriage returns and a missing last line end stay", async (workbench) => {
    await workbench.openFile("crlf.py");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.previewShows("return factor * 3");
    await workbench.accept();
    await workbench.goTo("crlf.py");
    assert.equal(await workbench.save("crlf.py"), SHAPES_AFTER.trimEnd().replace(/\n/g, "\r\n"));
    assert.equal(await workbench.undo("crlf.py"), CRLF);
  });

  it("only the hunks that are chosen", async (workbench) => {
    await workbench.openFile("hunks.py");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.previewShows("return factor * 3");
    await workbench.start("FastEdit: Choose Hunks...");
    await workbench.listItem("line 13: +1 -1").click();
    await workbench.previewShows("return factor * 2");
    await workbench.press("Enter");
    await workbench.accept();
    await workbench.goTo("hunks.py");
    assert.equal(await workbench.save("hunks.py"), SHAPES_AFTER.replace("factor * 3", "factor * 2"));
  });

  it("a discarded edit, and one whose preview is closed, leave nothing behind", async (workbench) => {
    for (const [name, keys] of [["discard.py", "Escape"], ["close.py", "Control+F4"]] as const) {
      await workbench.openFile(name);
      await workbench.applyClipboard(LAZY_EDIT);
      await workbench.previewShows("return factor * 3");
      await workbench.page.locator(".modified-in-monaco-diff-editor .view-lines").click();
      await (keys === "Escape" ? workbench.press(keys) : workbench.page.locator(".tab.active .action-label.codicon-close").click());
      await workbench.previewIsGone();
      await workbench.goTo(name);
      assert.ok(!(await workbench.isDirty(name)));
      assert.equal(workbench.disk(name), SHAPES);
      await workbench.status.waitFor({ state: "hidden" });
    }
  });

  it("an edit that is in the file already is said to be", async (workbench) => {
    await workbench.openFile("same.py");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.notification("the edit is in the file already").waitFor();
    assert.equal(workbench.disk("same.py"), SHAPES_AFTER);
  });

  it("a file of 20,000 lines", async (workbench) => {
    await workbench.openFile("long.py");
    await workbench.applyClipboard("def f4321(x):\n    return x - 4321\n");
    await workbench.previewShows("return x - 4321");
    await workbench.accept();
    await workbench.goTo("long.py");
    assert.equal(await workbench.save("long.py"), LONG.replace("x + 4321", "x - 4321"));
    assert.equal(await workbench.undo("long.py"), LONG);
  });
}

/** What the person sees where an edit can't be applied, and what can be done about it. */

import assert from "node:assert/strict";

import { AMBIGUOUS_EDIT, LAZY_EDIT, SHAPES, SHAPES_AFTER, TWINS } from "./samples";
import type { Files, It } from "./workbench";

export const REFUSAL_FILES: Files = { "twins.py": TWINS, "changed.py": SHAPES, "none.py": SHAPES };

export function refusalCases(it: It): void {
  it("a refusal has its code, and places to go to", async (workbench) => {
    await workbench.openFile("twins.py");
    await workbench.applyClipboard(AMBIGUOUS_EDIT);
    await workbench.notification("(ANCHOR_AMBIGUOUS)").waitFor();
    assert.match(await workbench.status.innerText(), /ANCHOR_AMBIGUOUS/);
    await workbench.answer("(ANCHOR_AMBIGUOUS)", "Show Places");
    await workbench.listItem("line 7-8").click();
    await workbench.cursorIs("Ln 7, Col 1");
    assert.ok(!(await workbench.isDirty("twins.py")));
    assert.equal(workbench.disk("twins.py"), TWINS);
  });

  it("a buffer that changed meanwhile is left alone, and the edit can be tried again", async (workbench) => {
    await workbench.openFile("changed.py");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.previewShows("return factor * 3");
    await workbench.goTo("changed.py");
    await workbench.press("Control+Home");
    await workbench.page.keyboard.insertText("# typed meanwhile\n");
    await workbench.run("FastEdit: Accept Edit");
    await workbench.notification("(CONTENT_CONFLICT)").waitFor();
    await workbench.previewIsGone();
    assert.equal(await workbench.save("changed.py"), `# typed meanwhile\n${SHAPES}`);
    await workbench.answer("(CONTENT_CONFLICT)", "Try Again");
    await workbench.previewShows("# typed meanwhile");
    await workbench.accept();
    await workbench.goTo("changed.py");
    assert.equal(await workbench.save("changed.py"), `# typed meanwhile\n${SHAPES_AFTER}`);
  });

  it("a clipboard without an edit for this file, and one without anything", async (workbench) => {
    await workbench.openFile("none.py");
    await workbench.applyClipboard("<<<<<<< SEARCH\nnothing of the kind\n=======\nx\n>>>>>>> REPLACE\n");
    await workbench.notification("(ANCHOR_NOT_FOUND)").waitFor();
    await workbench.applyClipboard(" \n");
    await workbench.notification("(EDIT_EMPTY)").waitFor();
    assert.equal(workbench.disk("none.py"), SHAPES);
  });
}

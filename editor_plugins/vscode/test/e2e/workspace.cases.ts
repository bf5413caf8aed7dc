/** Edits that come from another editor or a file, and edits of several files. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";

import { LAZY_EDIT, PATCH, SHAPES, SHAPES_AFTER } from "./samples";
import type { Files, It, Workbench } from "./workbench";

const ELSEWHERE = "PATCHED = False\n";
const UNFITTING = `--- a/lib/whole.py
+++ b/lib/whole.py
@@ -1 +1 @@
-PATCHED = False
+PATCHED = True
--- a/lib/other.py
+++ b/lib/other.py
@@ -1 +1 @@
-PATCHED = "never so"
+PATCHED = True
`;

/** A message in markdown with a lazy edit of two files. */
const LAZY_FOR_TWO = `In \`both_shapes.py\`:

\`\`\`python
${LAZY_EDIT}\`\`\`

and in \`both_flag.py\`:

\`\`\`python
# ... existing code ...
PATCHED = True
\`\`\`
`;

export const WORKSPACE_FILES: Files = {
  "both_shapes.py": SHAPES,
  "both_flag.py": `NAME = "flag"\n${ELSEWHERE}`,
  "lib/changed.py": SHAPES,
  "lib/whole.py": ELSEWHERE,
  "lib/other.py": ELSEWHERE,
  "deleted.py": "GONE = True\n",
  "before.py": "KEPT = 1\nOLD = 1\n",
  "all.patch": PATCH,
  "unfitting.patch": UNFITTING,
  "outside.patch": UNFITTING.replaceAll("lib/other.py", "../outside.py"),
  "answer.md": LAZY_EDIT,
  "target.py": SHAPES,
};

export function workspaceCases(it: It): void {
  it("a selection in one file, for the file that is picked", async (workbench) => {
    await workbench.openFile("target.py");
    await workbench.openFile("answer.md");
    await workbench.press("Control+KeyA");
    await workbench.start("FastEdit: Apply Edit from Selection / Active Editor");
    await workbench.listItem("target.py").click();
    await workbench.previewShows("return factor * 3");
    await workbench.accept();
    await workbench.goTo("target.py");
    assert.equal(await workbench.save("target.py"), SHAPES_AFTER);
    assert.equal(workbench.disk("answer.md"), LAZY_EDIT);
  });

  it("a copied patch for another file than the active one goes there", async (workbench) => {
    await workbench.openFile("target.py");
    await workbench.applyClipboard(UNFITTING.split("--- a/lib/other.py")[0] ?? "");
    await workbench.previewShows("PATCHED = True");
    await workbench.page.locator('.tab[aria-label^="whole.py: FastEdit preview"]').waitFor();
    await workbench.run("FastEdit: Discard Edit");
    await workbench.previewIsGone();
  });

  it("a copied message about several files goes to all of them", async (workbench) => {
    for (const active of ["both_shapes.py", "target.py"]) {
      await workbench.openFile(active);
      await workbench.applyClipboard(LAZY_FOR_TWO);
      await workbench.page.locator(".multiDiffEditor").first().waitFor();
      await workbench.acceptButton.waitFor();
      await (active === "target.py" ? workbench.accept() : workbench.run("FastEdit: Discard Edit"));
      await workbench.previewIsGone();
    }
    await workbench.saveAll("both_shapes.py", "both_flag.py");
    assert.equal(workbench.disk("both_shapes.py"), SHAPES_AFTER);
    assert.equal(workbench.disk("both_flag.py"), 'NAME = "flag"\nPATCHED = True\n');
    assert.equal(workbench.disk("target.py"), SHAPES_AFTER);
  });

  it("a copied message about a file that isn't there is turned down", async (workbench) => {
    await workbench.openFile("both_shapes.py");
    await workbench.applyClipboard(LAZY_FOR_TWO.replace("both_flag.py", "missing.py"));
    await workbench.notification("there is no file missing.py in the workspace (INVALID_PATH)").waitFor();
    assert.ok(!(await workbench.isDirty("both_shapes.py")));
  });

  it("a patch of which one file doesn't fit changes none", async (workbench) => {
    await applyPatch(workbench, "unfitting.patch");
    await workbench.notification("other.py:").waitFor();
    await workbench.status.filter({ hasText: "ANCHOR_NOT_FOUND" }).waitFor();
    assert.equal(workbench.disk("lib/whole.py"), ELSEWHERE);
    assert.ok(!(await workbench.isDirty("whole.py")));
  });

  it("a patch that leads out of the workspace is turned down", async (workbench) => {
    await applyPatch(workbench, "outside.patch");
    await workbench.notification("(INVALID_PATH)").waitFor();
  });

  it("a patch over the workspace: all of it, as it should be", async (workbench) => {
    await applyPatch(workbench, "all.patch");
    await workbench.page.locator(".multiDiffEditor").first().waitFor();
    await workbench.acceptButton.waitFor();
    assert.equal(workbench.disk("lib/changed.py"), SHAPES);
    await workbench.accept();
    await workbench.saveAll("changed.py", "after.py");
    assert.equal(workbench.disk("lib/changed.py"), SHAPES.replace("factor * 2", "factor * 3"));
    assert.equal(workbench.disk("lib/created.py"), "ONE = 1\nTWO = 2\n");
    assert.equal(workbench.disk("after.py"), "KEPT = 1\nNEW = 1\n");
    assert.ok(!existsSync(workbench.path("deleted.py")));
    assert.ok(!existsSync(workbench.path("before.py")));
  });
}

async function applyPatch(workbench: Workbench, name: string): Promise<void> {
  await workbench.openFile(name);
  await workbench.start("FastEdit: Apply Patch File to Workspace");
}

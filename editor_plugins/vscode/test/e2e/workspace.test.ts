/** Edits that come from another editor or a file, and edits of several files. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";

import { seeing, windows } from "./fixture";
import { LAZY_EDIT, PATCH, SHAPES, SHAPES_AFTER } from "./samples";
import type { Workbench } from "./workbench";

const BEFORE: Readonly<Record<string, string>> = {
  "lib/changed.py": SHAPES,
  "deleted.py": "GONE = True\n",
  "before.py": "KEPT = 1\nOLD = 1\n",
  "work.patch": PATCH,
};

describe("edits from elsewhere", { timeout: 300_000 }, () => {
  const open = windows();

  test("a selection in one file, for the file that is picked", async () => {
    const workbench = await open({ "answer.md": LAZY_EDIT, "a.py": SHAPES, "b.py": SHAPES });
    await seeing(workbench, "selection", async () => {
      await workbench.openFile("a.py");
      await workbench.openFile("b.py");
      await workbench.openFile("answer.md");
      await workbench.press("Control+KeyA");
      await workbench.start("FastEdit: Apply Edit from Selection / Active Editor");
      await workbench.listItem("a.py").click();
      await workbench.previewShows("return factor * 3");
      await workbench.accept();
      await workbench.goTo("a.py");
      assert.equal(await workbench.save("a.py"), SHAPES_AFTER);
      assert.equal(workbench.disk("b.py"), SHAPES);
    });
  });

  test("a patch file over the workspace: all of it, as it should be", async () => {
    const workbench = await open(BEFORE);
    await seeing(workbench, "patch", async () => {
      await applyPatch(workbench);
      await workbench.page.locator(".multiDiffEditor").first().waitFor();
      await workbench.acceptButton.waitFor();
      assert.equal(workbench.disk("lib/changed.py"), SHAPES);
      await workbench.accept();
      await workbench.run("File: Save All Files");
      await workbench.page.locator(".tab.dirty").waitFor({ state: "detached" });
      assert.equal(workbench.disk("lib/changed.py"), SHAPES.replace("factor * 2", "factor * 3"));
      assert.equal(workbench.disk("lib/created.py"), "ONE = 1\nTWO = 2\n");
      assert.equal(workbench.disk("after.py"), "KEPT = 1\nNEW = 1\n");
      assert.deepEqual(["deleted.py", "before.py"].map((name) => existsSync(workbench.path(name))), [false, false]);
    });
  });

  test("a patch of which one file doesn't fit changes none", async () => {
    const workbench = await open({ ...BEFORE, "before.py": "SOMETHING = 'else'\n" });
    await seeing(workbench, "unfitting-patch", async () => {
      await applyPatch(workbench);
      await workbench.notification("before.py:").waitFor();
      assert.equal(workbench.disk("lib/changed.py"), SHAPES);
      assert.ok(!existsSync(workbench.path("lib/created.py")));
      assert.ok(existsSync(workbench.path("deleted.py")));
      assert.equal(await workbench.page.locator(".tab.dirty").count(), 0);
    });
  });

  test("a patch that leads out of the workspace is turned down", async () => {
    const patch = PATCH.replaceAll("lib/changed.py", "../outside.py");
    const workbench = await open({ ...BEFORE, "work.patch": patch });
    await seeing(workbench, "outside", async () => {
      await applyPatch(workbench);
      await workbench.notification("(INVALID_PATH)").waitFor();
    });
  });
});

async function applyPatch(workbench: Workbench): Promise<void> {
  await workbench.openFile("work.patch");
  await workbench.start("FastEdit: Apply Patch File to Workspace");
}

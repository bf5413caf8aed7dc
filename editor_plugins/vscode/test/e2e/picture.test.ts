/** Makes README's picture of the preview: `E2E_PICTURE=media/preview.png npm run e2e -- picture`. */

import { describe } from "node:test";

import { inWindow } from "./fixture";
import { LAZY_EDIT, SHAPES } from "./samples";

const PATH = process.env["E2E_PICTURE"] ?? "";

describe("a picture", { timeout: 300_000, skip: PATH === "" }, () => {
  const it = inWindow({ files: { "shapes.py": SHAPES } });

  it("of the preview", async (workbench) => {
    await workbench.page.setViewportSize({ width: 1100, height: 480 });
    await workbench.openFile("shapes.py");
    await workbench.press("Control+KeyB");
    // Twice: the first time also starts the plugin, and the picture is to show what any other takes.
    for (const edit of [LAZY_EDIT.replace("depth=1", "depth"), LAZY_EDIT]) {
      await workbench.goTo("shapes.py");
      await workbench.applyClipboard(edit);
      await workbench.previewShows("return factor * 3");
    }
    await workbench.previewShows("depth=1");
    await workbench.page.locator(".notification-list-item").first().waitFor({ state: "detached" });
    await workbench.page.screenshot({ path: PATH });
  });
});

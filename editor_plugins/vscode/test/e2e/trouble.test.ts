/** What the person sees where an edit can't be applied, and what can be done about it. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { seeing, SERVICE, windows } from "./fixture";
import { AMBIGUOUS_EDIT, LAZY_EDIT, SHAPES, SHAPES_AFTER, TWINS } from "./samples";
import { fasteditCommand, freePort, isUp, startSilence } from "./services";
import type { Workbench } from "./workbench";

const TIMEOUT = { timeout: 300_000 };

describe("trouble with an edit", TIMEOUT, () => {
  const open = windows();
  let workbench: Workbench;
  before(async () => {
    workbench = await open({ "twins.py": TWINS, "changed.py": SHAPES, "prose.py": SHAPES });
  });

  test("a refusal has its code, and places to go to", () =>
    seeing(workbench, "refusal", async () => {
      await workbench.openFile("twins.py");
      await workbench.applyClipboard(AMBIGUOUS_EDIT);
      await workbench.notification("(ANCHOR_AMBIGUOUS)").waitFor();
      assert.match(await workbench.status.innerText(), /ANCHOR_AMBIGUOUS/);
      await workbench.answer("(ANCHOR_AMBIGUOUS)", "Show Places");
      await workbench.listItem("line 7-8").click();
      await workbench.page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: "Ln 7, Col 1" }).waitFor();
      assert.equal(await workbench.page.locator(".tab.dirty").count(), 0);
      assert.equal(workbench.disk("twins.py"), TWINS);
    }));

  test("a buffer that changed meanwhile is left alone, and the edit can be tried again", () =>
    seeing(workbench, "conflict", async () => {
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
    }));

  test("a clipboard without an edit", () =>
    seeing(workbench, "empty", async () => {
      await workbench.openFile("prose.py");
      await workbench.applyClipboard("<<<<<<< SEARCH\nnothing of the kind\n=======\nx\n>>>>>>> REPLACE\n");
      await workbench.notification("(ANCHOR_NOT_FOUND)").waitFor();
      await workbench.applyClipboard(" \n");
      await workbench.notification("(EDIT_EMPTY)").waitFor();
      assert.equal(workbench.disk("prose.py"), SHAPES);
    }));
});

describe("trouble with the service", TIMEOUT, () => {
  const open = windows();
  const command = [fasteditCommand(), "serve", "--target", "none"];

  test("none there: said so, started on demand, and tried again", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const settings = { "fastedit.server.url": url, "fastedit.server.command": command };
    const workbench = await open({ "a.py": SHAPES }, { settings });
    await seeing(workbench, "down", async () => {
      await workbench.openFile("a.py");
      await workbench.applyClipboard(LAZY_EDIT);
      await workbench.notification("(UNREACHABLE)").waitFor();
      assert.equal(workbench.disk("a.py"), SHAPES);
      await workbench.answer("(UNREACHABLE)", "Start Server");
      await workbench.previewShows("return factor * 3");
      await workbench.accept();
      await workbench.goTo("a.py");
      assert.equal(await workbench.save("a.py"), SHAPES_AFTER);
    });
  });

  test("none there, and one is started without a word", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const settings = { "fastedit.server.url": url, "fastedit.server.command": command, "fastedit.server.autoStart": true };
    const workbench = await open({ "a.py": SHAPES }, { settings });
    await seeing(workbench, "autostart", async () => {
      await workbench.openFile("a.py");
      await workbench.applyClipboard(LAZY_EDIT);
      await workbench.previewShows("return factor * 3");
      assert.ok(await isUp(`${url}/healthz`));
    });
  });

  test("a command that fails is told", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const settings = { "fastedit.server.url": url, "fastedit.server.command": ["/no/such/program"], "fastedit.server.autoStart": true };
    const workbench = await open({ "a.py": SHAPES }, { settings });
    await seeing(workbench, "no-command", async () => {
      await workbench.openFile("a.py");
      await workbench.applyClipboard(LAZY_EDIT);
      await workbench.notification("can't be started").waitFor();
    });
  });

  test("a workspace that isn't trusted decides neither the address nor what is started", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const settings = { "fastedit.server.url": url, "fastedit.server.command": command, "fastedit.server.autoStart": true };
    const workbench = await open({ "a.py": SHAPES }, { settings, isTrusted: false });
    await seeing(workbench, "untrusted", async () => {
      await workbench.openFile("a.py");
      await workbench.applyClipboard(LAZY_EDIT);
      await workbench.previewShows("return factor * 3");
      assert.ok(!(await isUp(`${url}/healthz`)));
      assert.ok(await isUp(`${SERVICE}/healthz`));
    });
  });
});

describe("a service that doesn't answer", TIMEOUT, () => {
  const open = windows();
  const silence = startSilence();
  after(async () => (await silence).stop());

  test("waiting is shown, and can be given up", async () => {
    const { url, closed } = await silence;
    const workbench = await open({ "a.py": SHAPES }, { settings: { "fastedit.server.url": url } });
    await seeing(workbench, "cancel", async () => {
      await workbench.openFile("a.py");
      await workbench.applyClipboard(LAZY_EDIT);
      const [first] = [workbench.notification("FastEdit")];
      await first.waitFor();
      assert.match(await workbench.status.innerText(), /0 of 13 lines/);
      await workbench.answer("FastEdit", "Cancel");
      await workbench.status.waitFor({ state: "hidden" });
      await first.waitFor({ state: "detached" });
      await untilTrue(() => closed() > 0);
      assert.equal(workbench.disk("a.py"), SHAPES);
    });
  });
});

async function untilTrue(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    assert.ok(Date.now() < deadline, "the connection is still open");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

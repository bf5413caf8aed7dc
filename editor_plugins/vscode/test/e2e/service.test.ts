/** A service that isn't there, must be started, or doesn't answer; and who decides which service it is. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe } from "node:test";

import { inWindow, SERVICE } from "./fixture";
import { LAZY_EDIT, SHAPES, SHAPES_AFTER } from "./samples";
import { fasteditCommand, freePort, isUp, startSilence } from "./services";

const TIMEOUT = { timeout: 300_000 };
const FILES = { "a.py": SHAPES };
const COMMAND = [fasteditCommand(), "serve", "--target", "none"];

describe("no service, and none started unasked", TIMEOUT, async () => {
  const url = await unusedUrl();
  const it = inWindow({ files: FILES, settings: { "fastedit.server.url": url, "fastedit.server.command": COMMAND } });

  it("is told, can be started from there, and the edit goes on", async (workbench) => {
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

describe("no service, and one may be started", TIMEOUT, async () => {
  const url = await unusedUrl();
  const permission = join(mkdtempSync(join(tmpdir(), "fastedit-start-")), "may-start");
  const script = `test -e ${permission} || exit 3; exec "$0" "$@"`;
  const command = ["sh", "-c", script, ...COMMAND];
  const it = inWindow({
    files: FILES,
    settings: { "fastedit.server.url": url, "fastedit.server.command": command, "fastedit.server.autoStart": true },
  });

  it("a command that fails is told", async (workbench) => {
    await workbench.openFile("a.py");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.notification("it ended with status 3").waitFor();
    assert.equal(workbench.disk("a.py"), SHAPES);
  });

  it("one that works is waited for without a word", async (workbench) => {
    writeFileSync(permission, "");
    await workbench.goTo("a.py");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.previewShows("return factor * 3");
    assert.ok(await isUp(`${url}/healthz`));
    assert.ok(existsSync(permission));
  });
});

describe("a workspace that isn't trusted", TIMEOUT, async () => {
  const url = await unusedUrl();
  const it = inWindow({
    files: FILES,
    settings: { "fastedit.server.url": url, "fastedit.server.command": COMMAND, "fastedit.server.autoStart": true },
    isTrusted: false,
  });

  it("decides neither the address nor what is started", async (workbench) => {
    await workbench.openFile("a.py");
    await workbench.applyClipboard(LAZY_EDIT);
    await workbench.previewShows("return factor * 3");
    assert.ok(!(await isUp(`${url}/healthz`)));
    assert.ok(await isUp(`${SERVICE}/healthz`));
  });
});

describe("a service that doesn't answer", TIMEOUT, async () => {
  const silence = await startSilence();
  after(() => silence.stop());
  const it = inWindow({ files: FILES, settings: { "fastedit.server.url": silence.url } });

  it("is waited for in sight, and can be given up", async (workbench) => {
    await workbench.openFile("a.py");
    await workbench.applyClipboard(LAZY_EDIT);
    const waiting = workbench.notification("0 of 13 lines");
    await waiting.waitFor();
    assert.match(await workbench.status.innerText(), /0 of 13 lines, \d{2,} ms/);
    await workbench.answer("0 of 13 lines", "Cancel");
    await workbench.status.waitFor({ state: "hidden" });
    await waiting.waitFor({ state: "detached" });
    await silence.someoneLeft;
    assert.equal(workbench.disk("a.py"), SHAPES);
  });
});

async function unusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

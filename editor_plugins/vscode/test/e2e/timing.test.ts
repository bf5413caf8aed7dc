/** How long it takes from the key to the preview, on the structural path over loopback. Told, not judged: machines differ. */

import { describe } from "node:test";

import { inWindow } from "./fixture";
import { longFile } from "./samples";

const NUM_RUNS = 12;

describe("the time from the key to the preview", { timeout: 300_000 }, () => {
  const it = inWindow({ files: { "timed.py": longFile(75) } });

  it("for a small edit in a file of 300 lines", async (workbench, note) => {
    await workbench.openFile("timed.py");
    const elapsed: number[] = [];
    for (let number = 0; number < NUM_RUNS; number += 1) {
      const shown = `x - ${number}`;
      elapsed.push(await workbench.keystrokeToPreview(`def f${number}(x):\n    return ${shown}\n`, shown));
      await workbench.acceptButton.waitFor();
      await workbench.run("FastEdit: Discard Edit");
      await workbench.previewIsGone();
      await workbench.goTo("timed.py");
    }
    const sorted = elapsed.map(Math.round).sort((a, b) => a - b);
    const p50 = sorted[Math.floor(sorted.length / 2)];
    note(`vscode_keystroke_to_preview p50_ms=${p50 ?? 0} max_ms=${sorted.at(-1) ?? 0} runs=${NUM_RUNS}`);
  });
});

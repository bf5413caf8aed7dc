/** How long it takes from the key to the preview, on the structural path over loopback. Judges nothing: machines differ. */

import { describe, test } from "node:test";

import { windows } from "./fixture";
import { longFile } from "./samples";

const NUM_RUNS = 12;
const LINES_300 = longFile(75);

describe("the time from the key to the preview", { timeout: 300_000 }, () => {
  const open = windows();

  test("of a small edit in a file of 300 lines", async (context) => {
    const workbench = await open({ "a.py": LINES_300 });
    await workbench.openFile("a.py");
    const elapsed: number[] = [];
    for (let number = 0; number < NUM_RUNS; number += 1) {
      const shown = `x - ${number}`;
      elapsed.push(await workbench.keystrokeToPreview(`def f${number}(x):\n    return ${shown}\n`, shown));
      await workbench.acceptButton.waitFor();
      await workbench.run("FastEdit: Discard Edit");
      await workbench.goTo("a.py");
    }
    const [first = 0, ...rest] = elapsed;
    const sorted = rest.sort((a, b) => a - b);
    const figures = { first_ms: first, p50_ms: sorted[Math.floor(sorted.length / 2)] ?? 0, max_ms: sorted.at(-1) ?? 0 };
    const words = Object.entries(figures).map(([name, ms]) => `${name}=${Math.round(ms)}`);
    context.diagnostic(`vscode_keystroke_to_preview ${words.join(" ")} runs=${NUM_RUNS}`);
  });
});

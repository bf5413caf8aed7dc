/** The client with a real service: `fastedit serve`. */

import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";

import { FastEdit, isAlive, Refusal, type Span } from "../src/index.js";
import { startService, type Running } from "./servers.js";

const ORIGINAL = "def area(w, h):\n    return w * h\n\n\ndef name():\n    return 'shape'\n";
const EDIT = "def area(w, h, d=1):\n    return w * h * d\n\n# ... existing code ...\n";
const EXPECTED = "def area(w, h, d=1):\n    return w * h * d\n\n\ndef name():\n    return 'shape'\n";
const TWINS = "def a():\n    return 1\n\n\ndef b():\n    return 1\n";
const UNSURE = "@@\n-    return 1\n+    return 2\n";
const FILES = "a.py\n```python\nx = 1\n```\n\nb.py\n```python\n# ... existing code ...\ny = 1\n```\n";

let service: Running | undefined;
before(async () => {
  service = await startService();
});
after(() => service?.stop());

/** A client of the service; undefined, and the test skipped, where FastEdit isn't installed. */
function clientFor(context: TestContext): FastEdit | undefined {
  if (service === undefined) {
    context.skip("there is no fastedit command");
  }
  return service && new FastEdit({ url: service.url });
}

test("an edit is applied, and its spans make up the new file", async (context) => {
  const client = clientFor(context);
  if (!client) return;
  assert.equal(await isAlive(client.url), true);
  const spans: Span[] = [];
  const onSpan = (span: Span | undefined) => (span ? spans.push(span) : spans.splice(0));
  const applied = await client.apply(ORIGINAL, EDIT, { path: "shapes.py" }, { onSpan });
  assert.equal(applied.text, EXPECTED);
  assert.equal(applied.strategy, "structural");
  assert.deepEqual(applied.changes, { added: 0, removed: 0, modified: 2 });
  assert.ok(applied.certainty > 0.5 && applied.diff.startsWith("--- "));
  assert.equal(spans.map((span) => span.text).join(""), EXPECTED);
});

test("a refusal has its code and the places that may have been meant", async (context) => {
  const client = clientFor(context);
  if (!client) return;
  await assert.rejects(client.apply(TWINS, UNSURE, { path: "twins.py" }), (error) => {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, "ANCHOR_AMBIGUOUS");
    assert.deepEqual(error.candidates.map((one) => one.startLine), [1, 5]);
    return true;
  });
});

test("every option that can be given is known to the service", async (context) => {
  const client = clientFor(context);
  if (!client) return;
  const how = {
    path: "shapes.py",
    language: "python",
    instruction: "take a depth",
    format: "lazy",
    mode: "structural",
    scope: "file",
    certainty: 0.1,
    choose: 1,
    sampling: { temperature: 0, top_p: 1, top_k: 0, seed: 1 },
    deadline_s: 60,
  } as const;
  assert.equal((await client.apply(ORIGINAL, EDIT, how)).text, EXPECTED);
});

test("a batch, and the files of a message", async (context) => {
  const client = clientFor(context);
  if (!client) return;
  const [first, second] = await client.applyBatch([
    { original: ORIGINAL, edit: EDIT, path: "shapes.py" },
    { original: ORIGINAL, edit: " ", path: "shapes.py" },
  ]);
  assert.ok(first !== undefined && !(first instanceof Refusal));
  assert.equal(first.text, EXPECTED);
  assert.ok(second instanceof Refusal);
  assert.equal(second.code, "EDIT_EMPTY");
  const { files } = await client.filesOf(FILES);
  assert.deepEqual(files.map((file) => file.path), ["a.py", "b.py"]);
});

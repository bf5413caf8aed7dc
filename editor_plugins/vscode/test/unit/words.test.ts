import assert from "node:assert/strict";
import { test } from "node:test";

import { remediesFor } from "../../src/core/advice";
import { Progress } from "../../src/core/progress";
import { readResult, type ApplyResult } from "../../../client/src/wire";
import { describeHunk, describeResult, firstLine } from "../../src/core/words";

const RESULT: ApplyResult = readResult({ text: "", diff: "", strategy: "structural" });

test("results in a line", () => {
  assert.equal(describeResult([RESULT], 1, 12.4), "1 hunk, structural, 12 ms");
  const model = { ...RESULT, strategy: "model", acceptedTokens: 320 };
  assert.equal(describeResult([RESULT, model], 3, 84), "3 hunks, structural/model, 320 tokens accepted, 84 ms");
});

test("hunks in a line", () => {
  const hunk = { start: 2, end: 6, startLine: 1, endLine: 3, text: "\n  new\n" };
  assert.equal(describeHunk(hunk), "lines 2-3: +2 -2");
  assert.equal(describeHunk({ ...hunk, endLine: 1, end: 2 }), "line 2: +2 -0");
  assert.equal(firstLine(hunk, "a\nb\nc\n"), "new");
  assert.equal(firstLine({ ...hunk, text: "" }, "a\nb\nc\n"), "b");
});

test("progress adds up files, and begins anew on a reset", () => {
  const progress = new Progress(["1\n2\n3\n", "1\n"], 100);
  const span = { startLine: 0, endLine: 2, text: "1\n2\n", isKept: true };
  progress.take(0, span);
  progress.take(1, { ...span, endLine: 1 });
  assert.equal(progress.describe(110), "3 of 4 lines, 10 ms");
  progress.take(0, undefined);
  assert.equal(progress.describe(120), "1 of 4 lines, 20 ms");
});

const PLACE = { startLine: 3, endLine: 5, reason: "like it", path: "", choice: 0 };

test("places are offered where there are any, whatever the code", () => {
  assert.deepEqual(remediesFor("ANCHOR_AMBIGUOUS", [PLACE]), ["showPlaces"]);
  assert.deepEqual(remediesFor("ANCHOR_NOT_FOUND", []), []);
  assert.deepEqual(remediesFor("SYNTAX_BROKEN", [PLACE]), ["showPlaces"]);
  assert.deepEqual(remediesFor("UNREACHABLE", [])[0], "startServer");
});

test("readings are offered to choose from", () => {
  assert.deepEqual(remediesFor("ANCHOR_AMBIGUOUS", [{ ...PLACE, choice: 1 }]), ["chooseReading"]);
  assert.deepEqual(remediesFor("SYMBOL_LOST", [PLACE, { ...PLACE, choice: 2 }]), ["chooseReading"]);
});

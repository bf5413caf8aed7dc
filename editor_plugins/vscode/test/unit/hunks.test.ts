import assert from "node:assert/strict";
import { test } from "node:test";

import { applyHunks, hunksBetween, splitLines } from "../../src/core/hunks";

const ORIGINAL = "a\nb\nc\nd\ne\nf\ng\nh\n";

test("each run of changed lines is a hunk of its own", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,6 +1,6 @@\n a\n-b\n+B\n c\n-d\n+D\n+D2\n e\n f\n";
  const hunks = hunksBetween(ORIGINAL, "a\nB\nc\nD\nD2\ne\nf\ng\nh\n", diff);
  assert.deepEqual(hunks, [
    { start: 2, end: 4, startLine: 1, endLine: 2, text: "B\n" },
    { start: 6, end: 8, startLine: 3, endLine: 4, text: "D\nD2\n" },
  ]);
  assert.equal(applyHunks(ORIGINAL, hunks.slice(1)), "a\nb\nc\nD\nD2\ne\nf\ng\nh\n");
  assert.equal(applyHunks(ORIGINAL, []), ORIGINAL);
});

test("several hunks of a diff, an insertion at the top and a deletion at the end", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n+new\n a\n b\n@@ -6,3 +7,2 @@\n f\n g\n-h\n";
  const hunks = hunksBetween(ORIGINAL, "new\na\nb\nc\nd\ne\nf\ng\n", diff);
  assert.deepEqual(hunks.map((hunk) => [hunk.startLine, hunk.endLine, hunk.text]), [
    [0, 0, "new\n"],
    [7, 8, ""],
  ]);
});

test("line ends are kept, and lines that look like a diff's own", () => {
  const original = "one\r\n-- two\r\n@@ -1 +1 @@\r\n";
  const text = "one\r\n++ two\r\n@@ -1 +1 @@\r\n";
  const diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\r\n--- two\r\n+++ two\r\n @@ -1 +1 @@\r\n";
  assert.deepEqual(hunksBetween(original, text, diff).map((hunk) => hunk.text), ["++ two\r\n"]);
});

test("a last line without an end", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n";
  assert.deepEqual(hunksBetween("a\nb", "a\nc", diff), [{ start: 2, end: 3, startLine: 1, endLine: 2, text: "c" }]);
  const gained = "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n";
  assert.deepEqual(hunksBetween("a\nb", "a\nb\n", gained).map((hunk) => hunk.text), ["b\n"]);
});

test("a new file, and one that becomes empty", () => {
  assert.deepEqual(hunksBetween("", "a\n", "@@ -0,0 +1 @@\n+a\n"), [
    { start: 0, end: 0, startLine: 0, endLine: 0, text: "a\n" },
  ]);
  assert.deepEqual(hunksBetween("a\n", "", "@@ -1 +0,0 @@\n-a\n"), [
    { start: 0, end: 2, startLine: 0, endLine: 1, text: "" },
  ]);
});

test("a diff that doesn't lead to the text isn't believed", () => {
  for (const diff of ["", "@@ -1,1 +1,1 @@\n-a\n+WRONG\n", "@@ -90,1 +90,1 @@\n-a\n+b\n"]) {
    const hunks = hunksBetween(ORIGINAL, "all new\n", diff);
    assert.equal(hunks.length, 1);
    assert.equal(applyHunks(ORIGINAL, hunks), "all new\n");
  }
});

test("no hunks where nothing changes", () => {
  assert.deepEqual(hunksBetween(ORIGINAL, ORIGINAL, ""), []);
});

test("lines end at a line feed alone", () => {
  assert.deepEqual(splitLines("a\r\nb\rc\u2028d\n\ne"), ["a\r\n", "b\rc\u2028d\n", "\n", "e"]);
  assert.deepEqual(splitLines(""), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { isSameFile, namedFiles } from "../../src/core/named";

test("a diff of git: changed, new, deleted and moved files", () => {
  const message = [
    "diff --git a/src/a.py b/src/a.py",
    "--- a/src/a.py",
    "+++ b/src/a.py",
    "@@ -1 +1 @@",
    "-x",
    "+y",
    "diff --git a/new.py b/new.py",
    "new file mode 100644",
    "--- /dev/null",
    "+++ b/new.py",
    "@@ -0,0 +1 @@",
    "+x",
    "--- a/old.py\t2020-01-01 00:00:00",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-x",
    "diff --git a/from.py b/to.py",
    "similarity index 90%",
    "rename from from.py",
    "rename to to.py",
    "--- a/from.py",
    "+++ b/to.py",
    "@@ -1 +1 @@",
    "-x",
    "+y",
  ].join("\n");
  assert.deepEqual(namedFiles(message), [
    { path: "src/a.py", action: "update" },
    { path: "new.py", action: "create" },
    { path: "old.py", action: "delete" },
    { path: "from.py", action: "update", newPath: "to.py" },
  ]);
});

test("lines of a hunk that look like headers name nothing", () => {
  const message = "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n--- a/no.py\n+++ b/no.py\n x\n";
  assert.deepEqual(namedFiles(message), [{ path: "a.md", action: "update" }]);
});

test("names that git quotes", () => {
  const message = '--- "a/caf\\303\\251 \\"x\\".py"\n+++ "b/caf\\303\\251 \\"x\\".py"\n@@ -1 +1 @@\n-x\n+y\n';
  assert.deepEqual(namedFiles(message), [{ path: 'café "x".py', action: "update" }]);
});

test("a V4A patch", () => {
  const message = [
    "*** Begin Patch",
    "*** Update File: src/a.ts",
    "*** Move to: src/b.ts",
    "@@",
    "-x",
    "+y",
    "*** Add File: c.ts",
    "+z",
    "*** Delete File: d.ts",
    "*** End Patch",
  ].join("\r\n");
  assert.deepEqual(namedFiles(message), [
    { path: "src/a.ts", action: "update", newPath: "src/b.ts" },
    { path: "c.ts", action: "create" },
    { path: "d.ts", action: "delete" },
  ]);
});

test("SEARCH/REPLACE blocks, named above the block or its fence, each file once", () => {
  const block = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE";
  const message = `src/a.py\n${block}\n\n### \`src/b.py\`\n\`\`\`python\n${block}\n\`\`\`\nsrc/a.py\n${block}\n`;
  assert.deepEqual(namedFiles(message), [
    { path: "src/a.py", action: "update" },
    { path: "src/b.py", action: "update" },
  ]);
});

test("a lazy edit and prose name nothing", () => {
  assert.deepEqual(namedFiles("Change this:\n```python\n# ... existing code ...\nx = 1\n```\n"), []);
  assert.deepEqual(namedFiles("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"), []);
});

test("a file is the same where the shorter of the names is the end of the other", () => {
  assert.ok(isSameFile("src/a.py", "/home/me/project/src/a.py"));
  assert.ok(isSameFile("project\\src\\a.py", "src/a.py"));
  assert.ok(isSameFile("./a.py", "/a.py"));
  assert.ok(!isSameFile("b/a.py", "/home/me/src/a.py"));
  assert.ok(!isSameFile("ba.py", "/home/me/a.py"));
  assert.ok(!isSameFile("", "/home/me/a.py"));
});

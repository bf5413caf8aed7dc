/**
 * Which files a patch names, told without asking the service: it takes one file at a time and picks what is meant for
 * it, so all there is to know here is their names and what becomes of each.
 */

import type { Action, NamedFile } from "../../../client/src/index";

const V4A = /^\*\*\* (Update|Add|Delete) File: (.+?)\s*$/;
const V4A_MOVE = /^\*\*\* Move to: (.+?)\s*$/;
const V4A_ACTIONS: Readonly<Record<string, Action>> = { Update: "update", Add: "create", Delete: "delete" };
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const NO_FILE = "/dev/null";

/** The files that a unified diff, a V4A patch or SEARCH/REPLACE blocks name, each once, in their order. */
export function namedFiles(message: string): NamedFile[] {
  const files = new Map<string, NamedFile>();
  for (const file of [...diffFiles(message), ...v4aFiles(message), ...searchReplaceFiles(message)]) {
    if (!files.has(file.path)) {
      files.set(file.path, file);
    }
  }
  return [...files.values()];
}

/** Whether the shorter of the two paths is the end of the other. */
export function isSameFile(named: string, path: string): boolean {
  const [ours, theirs] = [path, named].map((one) => one.split(/[\\/]/).filter((part) => part !== "" && part !== "."));
  const shared = Math.min(ours?.length ?? 0, theirs?.length ?? 0);
  return shared > 0 && ours?.slice(-shared).join("/") === theirs?.slice(-shared).join("/");
}

function diffFiles(message: string): NamedFile[] {
  const lines = message.split(/\r?\n/);
  const files: NamedFile[] = [];
  let renamedFrom: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const after = lines[at + 1] ?? "";
    const hunk = HUNK.exec(line);
    if (hunk) {
      at = endOfHunk(lines, at + 1, Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)) - 1;
    } else if (line.startsWith("rename from ")) {
      renamedFrom = line.slice("rename from ".length);
    } else if (line.startsWith("rename to ") && renamedFrom !== undefined) {
      files.push({ path: unquoted(renamedFrom), action: "update", newPath: unquoted(line.slice("rename to ".length)) });
      renamedFrom = undefined;
    } else if (line.startsWith("--- ") && after.startsWith("+++ ")) {
      files.push(headerFile(headerName(line, "a/"), headerName(after, "b/")));
      at += 1;
    }
  }
  return files;
}

/** Where a diff's hunk ends: lines in it may look like headers. */
function endOfHunk(lines: readonly string[], start: number, oldCount: number, newCount: number): number {
  let [old, fresh, at] = [0, 0, start];
  for (; at < lines.length && (old < oldCount || fresh < newCount); at += 1) {
    const sign = lines[at]?.charAt(0);
    old += sign === "+" || sign === "\\" ? 0 : 1;
    fresh += sign === "-" || sign === "\\" ? 0 : 1;
  }
  return at;
}

function headerFile(old: string, fresh: string): NamedFile {
  if (old === NO_FILE) {
    return { path: fresh, action: "create" };
  }
  if (fresh === NO_FILE) {
    return { path: old, action: "delete" };
  }
  return old === fresh ? { path: old, action: "update" } : { path: old, action: "update", newPath: fresh };
}

/** The name in a `---` or `+++` line: without a time stamp behind it, and without git's prefix. */
function headerName(line: string, prefix: string): string {
  const name = unquoted((line.slice(4).split("\t")[0] ?? "").trim());
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Names with quotes, control characters or bytes over 127 are written by git as C strings. */
function unquoted(name: string): string {
  const quoted = /^"(.*)"$/.exec(name);
  if (!quoted) {
    return name;
  }
  const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 };
  const bytes: number[] = [];
  for (const part of (quoted[1] ?? "").matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (part[1] !== undefined) {
      bytes.push(parseInt(part[1], 8));
    } else if (part[2] !== undefined) {
      bytes.push(escapes[part[2]] ?? part[2].charCodeAt(0));
    } else {
      bytes.push(...Buffer.from(part[3] ?? "", "utf8"));
    }
  }
  return Buffer.from(bytes).toString("utf8");
}

function v4aFiles(message: string): NamedFile[] {
  const files: NamedFile[] = [];
  for (const line of message.split(/\r?\n/)) {
    const header = V4A.exec(line);
    const move = V4A_MOVE.exec(line);
    const last = files[files.length - 1];
    if (header) {
      files.push({ path: header[2] ?? "", action: V4A_ACTIONS[header[1] ?? ""] ?? "update" });
    } else if (move && last) {
      files[files.length - 1] = { ...last, newPath: move[1] ?? "" };
    }
  }
  return files;
}

/** Files named on the line above a SEARCH marker, or above the fence around it. */
function searchReplaceFiles(message: string): NamedFile[] {
  const lines = message.split(/\r?\n/);
  const files: NamedFile[] = [];
  lines.forEach((line, at) => {
    if (!/^<{5,9} ?SEARCH\b/.test(line)) {
      return;
    }
    const above = lines.slice(Math.max(0, at - 3), at).filter((text) => text.trim() && !/^\s*(```|~~~)/.test(text));
    const name = /^[\s#*`]*([^\s`*<>|"]+\.[\w-]+|[^\s`*<>|"]*\/[^\s`*<>|"]+)[`*:]*\s*$/.exec(above[above.length - 1] ?? "");
    if (name) {
      files.push({ path: name[1] ?? "", action: "update" });
    }
  });
  return files;
}

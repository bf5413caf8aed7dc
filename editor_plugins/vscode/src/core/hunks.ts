/** The changes between an original and its new text, hunk by hunk, read from the unified diff that the service gives. */

/** Characters [start, end) of the original become `text`. startLine, endLine: the same in lines, 0-based, half-open. */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

interface DiffLine {
  readonly sign: string;
  readonly text: string;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * The hunks that make `original` into `text`, in their order.
 *
 * What the diff says is believed only if it gives `text` exactly; otherwise all of the file is one hunk.
 */
export function hunksBetween(original: string, text: string, diff: string): Hunk[] {
  if (original === text) {
    return [];
  }
  const hunks = readHunks(original, diff);
  if (hunks && applyHunks(original, hunks) === text) {
    return hunks;
  }
  const numLines = splitLines(original).length;
  return [{ start: 0, end: original.length, startLine: 0, endLine: numLines, text }];
}

/** The original with these hunks in it; they come in their order and don't overlap. */
export function applyHunks(original: string, hunks: readonly Hunk[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    parts.push(original.slice(at, hunk.start), hunk.text);
    at = hunk.end;
  }
  parts.push(original.slice(at));
  return parts.join("");
}

/** Lines with their ends; splits on `\n` alone and keeps `\r`. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function readHunks(original: string, diff: string): Hunk[] | undefined {
  const starts = lineStarts(original);
  const lines = diff.split("\n");
  const hunks: Hunk[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const header = HEADER.exec(lines[at] ?? "");
    if (!header) {
      continue;
    }
    const oldCount = Number(header[2] ?? 1);
    const body = readBody(lines, at + 1, oldCount, Number(header[4] ?? 1));
    // A range of no lines is numbered by the line before it, any other by its first line.
    const firstLine = Number(header[1]) - (oldCount === 0 ? 0 : 1);
    hunks.push(...changesOf(body.lines, firstLine, starts));
    at = body.end - 1;
  }
  return hunks.every((hunk) => hunk.start <= hunk.end) ? hunks : undefined;
}

/** The lines of one hunk of the diff, as many as its header counts, and where the next thing begins. */
function readBody(lines: readonly string[], start: number, oldCount: number, newCount: number) {
  const body: DiffLine[] = [];
  let [old, fresh, at] = [0, 0, start];
  for (; at < lines.length && (old < oldCount || fresh < newCount); at += 1) {
    const line = lines[at] ?? "";
    const sign = line.charAt(0);
    if (sign === "\\") {
      continue;
    }
    const hasEnd = lines[at + 1]?.startsWith("\\") !== true;
    body.push({ sign, text: line.slice(1) + (hasEnd ? "\n" : "") });
    old += sign === "+" ? 0 : 1;
    fresh += sign === "-" ? 0 : 1;
  }
  return { lines: body, end: at };
}

/** One hunk for each run of changed lines between unchanged ones. */
function changesOf(lines: readonly DiffLine[], firstLine: number, starts: readonly number[]): Hunk[] {
  const hunks: Hunk[] = [];
  let line = firstLine;
  let open: { startLine: number; text: string } | undefined;
  const close = () => {
    if (open) {
      const [start, end] = [starts[open.startLine] ?? NaN, starts[line] ?? NaN];
      hunks.push({ start, end, startLine: open.startLine, endLine: line, text: open.text });
      open = undefined;
    }
  };
  for (const { sign, text } of lines) {
    if (sign === " ") {
      close();
    } else {
      open ??= { startLine: line, text: "" };
      open.text += sign === "+" ? text : "";
    }
    line += sign === "+" ? 0 : 1;
  }
  close();
  return hunks;
}

/** Where each line begins, and where the text ends. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const line of splitLines(text)) {
    starts.push((starts[starts.length - 1] ?? 0) + line.length);
  }
  return starts;
}

/** One-line descriptions for status bar, notifications and hunk lists. */

import { splitLines, type Hunk } from "./hunks";
import type { ApplyResult } from "../../../client/src/index";

/** How far a streamed answer is, such as `120 of 400 lines, 35 ms`. */
export function describeProgress(numLines: number, totalLines: number, elapsedMs: number): string {
  return `${Math.min(numLines, totalLines)} of ${totalLines} lines, ${Math.round(elapsedMs)} ms`;
}

/** How a result came about, such as `3 hunks, structural, 12 ms` or `1 hunk, model, 320 tokens accepted, 84 ms`. */
export function describeResult(results: readonly ApplyResult[], numHunks: number, elapsedMs: number): string {
  const strategies = [...new Set(results.map((result) => result.strategy))].join("/");
  const accepted = results.reduce((total, result) => total + result.acceptedTokens, 0);
  const words = [counted(numHunks, "hunk"), strategies];
  if (accepted > 0) {
    words.push(`${accepted} tokens accepted`);
  }
  words.push(`${Math.round(elapsedMs)} ms`);
  return words.filter(Boolean).join(", ");
}

/** Where a hunk is and what it does, such as `line 12: +3 -1`. */
export function describeHunk(hunk: Hunk): string {
  const removed = hunk.endLine - hunk.startLine;
  const place = removed > 1 ? `lines ${hunk.startLine + 1}-${hunk.endLine}` : `line ${hunk.startLine + 1}`;
  return `${place}: +${splitLines(hunk.text).length} -${removed}`;
}

/** The first line of what a hunk puts in, or of what it takes out. */
export function firstLine(hunk: Hunk, original: string): string {
  const lines = [...splitLines(hunk.text), ...splitLines(original.slice(hunk.start, hunk.end))];
  return (lines.find((line) => line.trim()) ?? "").trim();
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

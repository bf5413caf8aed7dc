/** How far the answers to one edit are, added up over its files. */

import { describeProgress } from "./words";
import { splitLines } from "./hunks";
import type { Span } from "../../../client/src/index";

export class Progress {
  readonly #totals: readonly number[];
  readonly #reached: number[];

  constructor(
    originals: readonly string[],
    private readonly startedMs: number,
  ) {
    this.#totals = originals.map((original) => splitLines(original).length);
    this.#reached = originals.map(() => 0);
  }

  /** Takes in a span of one of the files; undefined begins it anew. */
  take(index: number, span: Span | undefined): void {
    this.#reached[index] = span?.endLine ?? 0;
  }

  describe(nowMs: number): string {
    return describeProgress(sum(this.#reached), sum(this.#totals), nowMs - this.startedMs);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

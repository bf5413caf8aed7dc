/** Requests that are sent again where it is worth it. */

import { setTimeout as delay } from "node:timers/promises";

import { applyBatch, applyEdit, Cancelled, filesOf, type Service, type Watching } from "./requests.js";
import { Refusal, UNREACHABLE } from "./wire.js";
import type { ApplyRequest, ApplyResult, FilesOfMessage, How, Span } from "./wire.js";

export const DEFAULT_URL = "http://127.0.0.1:8377";

/** What goes away by itself. A deadline that has passed once would only pass again. */
const PASSING: ReadonlySet<string> = new Set(["OVERLOADED", "RATE_LIMITED", "TARGET_UNAVAILABLE", UNREACHABLE]);
const FIRST_PAUSE_MS = 500;
const TIMEOUT_MS = 310_000; // a little more than a service lets a request take

/**
 * url: where the service listens. apiKey: where it asks for one. tries: how often a request is sent at most.
 * firstPauseMs: how long the first pause between them is, about; each is twice as long as the one before, and no shorter
 * than the service asks for. timeoutMs: how long one try may take; then it is refused with TIMEOUT.
 */
export interface Options {
  readonly url?: string;
  readonly apiKey?: string | undefined;
  readonly tries?: number;
  readonly firstPauseMs?: number;
  readonly timeoutMs?: number;
}

/** signal: aborting it ends the request, also between tries, with Cancelled. */
export type Waiting = Pick<Watching, "signal">;

/** A service that merges edits. */
export class FastEdit {
  readonly url: string;
  readonly #service: Service;
  readonly #tries: number;
  readonly #firstPauseMs: number;
  readonly #timeoutMs: number;

  /** Throws TypeError for a url that is none, RangeError for tries below 1. */
  constructor({ url = DEFAULT_URL, apiKey, tries = 3, firstPauseMs = FIRST_PAUSE_MS, timeoutMs = TIMEOUT_MS }: Options = {}) {
    if (!(tries >= 1)) {
      throw new RangeError("tries must be 1 or more");
    }
    this.url = new URL(url).href;
    this.#service = { url: this.url, apiKey };
    this.#tries = tries;
    this.#firstPauseMs = firstPauseMs;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The original with the edit in it. `onSpan` gets the new file's pieces as they come, and undefined where
   * those so far are void. Throws Refusal and Cancelled.
   */
  async apply(original: string, edit: string, how: How = {}, { signal, onSpan }: Watching = {}): Promise<ApplyResult> {
    let isBegun = false;
    const note = (span: Span | undefined): void => {
      isBegun = span !== undefined;
      onSpan?.(span);
    };
    return this.#again(signal, (signal) => {
      if (isBegun) {
        note(undefined);
      }
      return applyEdit(this.#service, { ...how, original, edit }, { signal, onSpan: note });
    });
  }

  /** Several edits, each of a file of its own, in one request. One that is refused keeps none of the others from being done. */
  async applyBatch(requests: readonly ApplyRequest[], waiting: Waiting = {}): Promise<(ApplyResult | Refusal)[]> {
    return this.#again(waiting.signal, (signal) => applyBatch(this.#service, requests, signal));
  }

  /** The files that a message is about. Throws Refusal and Cancelled. */
  async filesOf(message: string, waiting: Waiting = {}): Promise<FilesOfMessage> {
    return this.#again(waiting.signal, (signal) => filesOf(this.#service, message, signal));
  }

  async #again<Answer>(signal: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    for (let number = 1; ; number += 1) {
      try {
        return await this.#inTime(signal, ask);
      } catch (error) {
        if (!(error instanceof Refusal) || !PASSING.has(error.code) || number >= this.#tries) {
          throw error;
        }
        await pause(Math.max(this.#pauseMs(number), error.retryAfterMs ?? 0), signal);
      }
    }
  }

  async #inTime<Answer>(signal: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await ask(signal ? AbortSignal.any([signal, timeout]) : timeout);
    } catch (error) {
      if (error instanceof Cancelled && !signal?.aborted) {
        throw new Refusal("TIMEOUT", `${this.url} didn't answer in ${this.#timeoutMs / 1000} s`);
      }
      throw error;
    }
  }

  /** Twice as long each time, and not the same for all clients. */
  #pauseMs(number: number): number {
    return this.#firstPauseMs * 2 ** (number - 1) * (0.5 + Math.random());
  }
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal ? { signal } : {});
  } catch {
    throw new Cancelled();
  }
}

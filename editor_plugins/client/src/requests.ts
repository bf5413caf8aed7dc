/** Single requests to a service: POST /v1/apply, streamed, /v1/apply/batch and /v1/files. Knows no editor. */

import { createHash } from "node:crypto";

import { EventParser } from "./sse.js";
import {
  BAD_ANSWER,
  readBatch,
  readFiles,
  readRefusal,
  readResult,
  readSpan,
  Refusal,
  UNREACHABLE,
  type ApplyRequest,
  type ApplyResult,
  type FilesOfMessage,
  type Span,
} from "./wire.js";

export interface Service {
  readonly url: string;
  readonly apiKey?: string | undefined;
}

/** onSpan: a piece of the new file has come; undefined: those so far are void, others follow. */
export interface Watching {
  readonly signal?: AbortSignal;
  readonly onSpan?: (span: Span | undefined) => void;
}

/** The service stopped waiting for: the caller's signal was aborted. */
export class Cancelled extends Error {}

/**
 * The answer to a request. The original's sha256 goes with it.
 *
 * Throws Refusal where the service says no (its code), can't be reached (UNREACHABLE) or answers with something
 * else (BAD_ANSWER), and Cancelled.
 */
export async function applyEdit(service: Service, request: ApplyRequest, watching: Watching = {}): Promise<ApplyResult> {
  const body = { ...request, sha256: sha256Of(request.original), stream: true };
  return ask(service, "v1/apply", body, watching.signal, (response) => readEvents(response, watching.onSpan));
}

/** The files that a message is about. Throws as `applyEdit` does. */
export async function filesOf(service: Service, edit: string, signal?: AbortSignal): Promise<FilesOfMessage> {
  return ask(service, "v1/files", { edit }, signal, async (response) => readFiles(parsed(await response.text())));
}

/** The answers to several requests, in their order, which share the target's passes. Throws as `applyEdit` does. */
export async function applyBatch(
  service: Service,
  requests: readonly ApplyRequest[],
  signal?: AbortSignal,
): Promise<(ApplyResult | Refusal)[]> {
  const body = { requests: requests.map((one) => ({ ...one, sha256: sha256Of(one.original) })) };
  const read = async (response: Response) => readBatch(parsed(await response.text()), requests.length);
  return ask(service, "v1/apply/batch", body, signal, read);
}

/** Whether a service answers at this address. */
export async function isAlive(url: string, signal?: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(endpoint(url, "healthz"), { signal: signal ?? null })).ok;
  } catch {
    return false;
  }
}

/** Of the UTF-8 bytes, in hex. */
export function sha256Of(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** What `read` makes of the answer to a request. */
async function ask<Answer>(
  service: Service,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  try {
    const response = await post(service, path, body, signal);
    if (!response.ok) {
      const seconds = Number(response.headers.get("Retry-After") ?? NaN);
      const retryAfterMs = seconds >= 0 ? seconds * 1000 : undefined;
      throw readRefusal(parsed(await response.text()), response.status, retryAfterMs);
    }
    return await read(response);
  } catch (error) {
    if (signal?.aborted) {
      throw new Cancelled();
    }
    throw error instanceof Refusal ? error : new Refusal(UNREACHABLE, reasonOf(error));
  }
}

function post(service: Service, path: string, body: object, signal: AbortSignal | undefined): Promise<Response> {
  const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "text/event-stream" };
  if (service.apiKey) {
    headers["Authorization"] = `Bearer ${service.apiKey}`;
  }
  const request = { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null };
  // The key and the file are for the address that was named, and for no other.
  return fetch(endpoint(service.url, path), { ...request, redirect: "error" });
}

function endpoint(url: string, path: string): string {
  try {
    return new URL(path, url.endsWith("/") ? url : `${url}/`).href;
  } catch {
    throw new Refusal(UNREACHABLE, `${url} is no address`);
  }
}

async function readEvents(response: Response, onSpan: Watching["onSpan"]): Promise<ApplyResult> {
  const events = new EventParser();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  // Node's streams can be iterated, whatever the types of the web say.
  const body = response.body as unknown as AsyncIterable<Uint8Array> | null;
  for await (const bytes of body ?? []) {
    for (const { name, data } of events.feed(decoder.decode(bytes, { stream: true }))) {
      if (name === "result") {
        return readResult(parsed(data));
      }
      if (name === "error") {
        throw readRefusal(parsed(data), response.status);
      }
      if (name === "span" || name === "reset") {
        onSpan?.(name === "span" ? readSpan(parsed(data)) : undefined);
      }
    }
  }
  throw new Refusal(BAD_ANSWER, "the service's answer ended before the result");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What went wrong with a connection; fetch hides it in the error's cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) {
    return cause.message || ((cause as NodeJS.ErrnoException).code ?? "no connection");
  }
  return error instanceof Error ? error.message : String(error);
}

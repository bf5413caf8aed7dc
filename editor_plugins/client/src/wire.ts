/** What goes over the wire, and how it is read. The service's own page says what each field means. */

export type Mode = "auto" | "structural" | "model";

export type Format = "auto" | "lazy" | "udiff" | "search_replace" | "v4a" | "whole";

export type Scope = "auto" | "windows" | "file";

/** How a target chooses its tokens; temperature 0 is greedy. */
export interface Sampling {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly seed?: number;
}

/** How an edit is to be applied, in the service's own names. */
export interface How {
  readonly path?: string;
  readonly language?: string;
  readonly instruction?: string;
  readonly format?: Format;
  readonly mode?: Mode;
  readonly scope?: Scope;
  readonly certainty?: number;
  readonly choose?: number;
  readonly sampling?: Sampling;
  readonly deadline_s?: number;
}

export interface ApplyRequest extends How {
  readonly original: string;
  readonly edit: string;
}

export interface Changes {
  readonly added: number;
  readonly removed: number;
  readonly modified: number;
}

/** line: 0-based line of the new text, or null. */
export interface ResultWarning {
  readonly code: string;
  readonly message: string;
  readonly line: number | null;
}

/**
 * The new file. strategy: "structural", "verified" or "model". certainty: how likely the reading of a lazy edit is right.
 * readingsJudged: how many close readings a target had to choose between. Tokens are the target's, 0 where none took part.
 */
export interface ApplyResult {
  readonly text: string;
  readonly diff: string;
  readonly changes: Changes;
  readonly strategy: string;
  readonly warnings: readonly ResultWarning[];
  readonly certainty: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly acceptedTokens: number;
  readonly passes: number;
  readonly readingsJudged: number;
  readonly totalMs: number;
}

/** A piece of the new file as it comes: lines [startLine, endLine) of the original become `text`. */
export interface Span {
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  readonly isKept: boolean;
}

/**
 * A place that may have been meant. Lines are 0-based and half-open; path is "" for the file that was sent; choice is the
 * number of the reading of the edit that means it, 0 where there is none.
 */
export interface Candidate {
  readonly startLine: number;
  readonly endLine: number;
  readonly reason: string;
  readonly path: string;
  readonly choice: number;
}

export type Action = "update" | "create" | "delete";

/** A file as a message names it. newPath: where the file moves to. canCreate: it may be a new one. */
export interface NamedFile {
  readonly path: string;
  readonly action: Action;
  readonly newPath?: string;
  readonly canCreate?: boolean;
}

/** The files that a message is about. hasUnnamed: some of it is for whichever file it is applied to. */
export interface FilesOfMessage {
  readonly files: readonly NamedFile[];
  readonly hasUnnamed: boolean;
}

/** What is said of a refusal beside its code. */
export interface Particulars {
  readonly candidates?: readonly Candidate[];
  readonly certainty?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Why nothing was done: one of the service's codes, or UNREACHABLE, BAD_ANSWER of our own.
 *
 * certainty: how likely the first candidate is right, where the edit was refused for that. retryAfterMs: when the service
 * wants to be asked again.
 */
export class Refusal extends Error {
  readonly candidates: readonly Candidate[];
  readonly certainty: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: string,
    message: string,
    { candidates = [], certainty, retryAfterMs }: Particulars = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.candidates = candidates;
    this.certainty = certainty;
    this.retryAfterMs = retryAfterMs;
  }
}

export const UNREACHABLE = "UNREACHABLE";
export const BAD_ANSWER = "BAD_ANSWER";
export const CONTENT_CONFLICT = "CONTENT_CONFLICT";
export const EDIT_EMPTY = "EDIT_EMPTY";
/** A warning: the message has edits for other files too. */
export const OTHER_FILES = "OTHER_FILES";

const ACTIONS: readonly Action[] = ["update", "create", "delete"];

/** The result in an answer. Throws Refusal BAD_ANSWER where it isn't one. */
export function readResult(value: unknown): ApplyResult {
  const answer = record(value);
  const { text, diff, strategy } = answer;
  if (typeof text !== "string" || typeof diff !== "string" || typeof strategy !== "string") {
    throw new Refusal(BAD_ANSWER, "the service's answer has no text, diff or strategy");
  }
  const changes = record(answer["changes"]);
  const stats = record(answer["stats"]);
  const usage = record(answer["usage"]);
  return {
    text,
    diff,
    strategy,
    changes: { added: count(changes, "added"), removed: count(changes, "removed"), modified: count(changes, "modified") },
    warnings: list(answer["warnings"]).map(readWarning),
    certainty: count(stats, "certainty"),
    promptTokens: count(usage, "prompt_tokens"),
    completionTokens: count(usage, "completion_tokens"),
    acceptedTokens: count(usage, "accepted_prediction_tokens"),
    passes: count(stats, "passes"),
    readingsJudged: count(stats, "readings_judged"),
    totalMs: count(stats, "total_ms"),
  };
}

/** The files in an answer. Throws Refusal BAD_ANSWER where it has none. */
export function readFiles(value: unknown): FilesOfMessage {
  const answer = record(value)["files"];
  if (!Array.isArray(answer)) {
    throw new Refusal(BAD_ANSWER, "the service's answer has no files");
  }
  const files = answer.map(record);
  const named = files.filter((file) => typeof file["path"] === "string");
  return { files: named.map(readFile), hasUnnamed: named.length < files.length };
}

/** The answers to a batch, each a result or the refusal of its own. Throws Refusal BAD_ANSWER where it isn't one. */
export function readBatch(value: unknown, size: number): (ApplyResult | Refusal)[] {
  const items = list(record(value)["results"]).map(record);
  if (items.length !== size) {
    throw new Refusal(BAD_ANSWER, `the service answered ${items.length} of ${size} requests`);
  }
  return items.map((item) => (item["status"] === 200 ? readResult(item["result"]) : readRefusal(item, count(item, "status"))));
}

/** The refusal in an answer with an error in it, or one that says that there was none to read. */
export function readRefusal(value: unknown, status: number, retryAfterMs?: number): Refusal {
  const error = record(record(value)["error"]);
  const { code, message, certainty } = error;
  if (typeof code !== "string" || typeof message !== "string") {
    return new Refusal(BAD_ANSWER, `the service answered with status ${status} and no reason`);
  }
  const candidates = list(error["candidates"]).map(readCandidate);
  return new Refusal(code, message, { candidates, retryAfterMs, ...(typeof certainty === "number" ? { certainty } : {}) });
}

export function readSpan(value: unknown): Span {
  const span = record(value);
  return {
    startLine: count(span, "start_line"),
    endLine: count(span, "end_line"),
    text: string(span, "text"),
    isKept: span["is_kept"] === true,
  };
}

function readFile(file: Record<string, unknown>): NamedFile {
  const action = ACTIONS.find((one) => one === file["action"]);
  if (!action) {
    throw new Refusal(BAD_ANSWER, "the service's answer has a file of which it doesn't say what becomes");
  }
  const newPath = string(file, "new_path");
  const canCreate = file["can_create"] === true;
  return { path: string(file, "path"), action, canCreate, ...(newPath ? { newPath } : {}) };
}

function readWarning(value: unknown): ResultWarning {
  const warning = record(value);
  const line = warning["line"];
  return {
    code: string(warning, "code"),
    message: string(warning, "message"),
    line: typeof line === "number" ? line : null,
  };
}

function readCandidate(value: unknown): Candidate {
  const candidate = record(value);
  return {
    startLine: count(candidate, "start_line"),
    endLine: count(candidate, "end_line"),
    reason: string(candidate, "reason"),
    path: string(candidate, "path"),
    choice: count(candidate, "choice"),
  };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function string(values: Record<string, unknown>, name: string): string {
  const value = values[name];
  return typeof value === "string" ? value : "";
}

function count(values: Record<string, unknown>, name: string): number {
  const value = values[name];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

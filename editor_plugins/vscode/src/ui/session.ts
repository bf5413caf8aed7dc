/** One edit on its way: from the request through the preview into the buffers, or not. */

import * as vscode from "vscode";

import {
  type ApplyRequest,
  Cancelled,
  CONTENT_CONFLICT,
  EDIT_EMPTY,
  type Mode,
  type NamedFile,
  OTHER_FILES,
  Refusal,
} from "../../../client/src/index";
import { hunksBetween } from "../core/hunks";
import { Progress } from "../core/progress";
import { Machine, type State } from "../core/states";
import { hasEffect, makeChanges, stalePlaces, type FileChange, type Place } from "./changes";
import type { Gateway } from "./gateway";
import { chooseHunks } from "./hunkPicker";
import { Preview, type PreviewTexts } from "./preview";

const TICK_MS = 100;

/** What is asked for. places: the files, with their texts as they were when it was asked. */
export interface Assignment {
  readonly edit: string;
  readonly places: readonly Place[];
  readonly mode: Mode;
}

/** Where files that a message names are, beside another file. Throws Refusal. */
export type Finding = (files: readonly NamedFile[], beside: vscode.Uri) => Promise<Place[]>;

export class Session implements vscode.Disposable {
  readonly startedMs = performance.now();
  readonly abort = new AbortController();
  readonly #machine: Machine;
  #assignment: Assignment;
  #progress: Progress;
  readonly #changed = new vscode.EventEmitter<State>();
  /** Fires on every step, the ones from streaming to streaming included, and while time passes in it. */
  readonly onDidStep = this.#changed.event;
  #isAccepting = false;
  changes: readonly FileChange[] = [];
  /** Why it was refused; the place that it was refused for. */
  refusal: { readonly refusal: Refusal; readonly place: Place | undefined } | undefined;
  preview: Preview | undefined;
  previewMs = 0;
  wasUnchanged = false;

  constructor(
    readonly id: number,
    assignment: Assignment,
    private readonly texts: PreviewTexts,
    private readonly find: Finding,
  ) {
    this.#machine = new Machine((state) => this.#changed.fire(state));
    this.#assignment = assignment;
    this.#progress = this.#newProgress();
  }

  get assignment(): Assignment {
    return this.#assignment;
  }

  get state(): State {
    return this.#machine.state;
  }

  get progress(): string {
    return this.#progress.describe(performance.now());
  }

  /** Asks the service and shows what it answers; afterwards the state tells what became of it. Never throws. */
  async run(gateway: Gateway): Promise<State> {
    this.#machine.send("start");
    const ticking = setInterval(() => this.#changed.fire(this.state), TICK_MS);
    try {
      const [place, ...others] = this.assignment.places;
      const answered = place && others.length === 0 ? await this.#askForOne(gateway, place) : await this.#askForAll(gateway);
      return await this.#show(answered.filter(hasEffect));
    } catch (error) {
      return this.#fail(error);
    } finally {
      clearInterval(ticking);
    }
  }

  cancel(): void {
    if (this.#machine.can("cancel")) {
      this.#machine.send("cancel");
      this.abort.abort();
    }
  }

  /** Puts the chosen hunks into the buffers, if these are still what they were. */
  async accept(): Promise<State> {
    if (!this.#machine.can("accept") || this.#isAccepting) {
      return this.state;
    }
    this.#isAccepting = true;
    const isStale = (await stalePlaces(this.assignment.places)).length > 0;
    // Before the buffers change: a diff of changed buffers would ask whether to save them.
    await this.preview?.close();
    // The editor itself refuses where a buffer changes from here on.
    const isMade = !isStale && (await makeChanges(this.changes));
    return this.#machine.send(isMade ? "accept" : "stale");
  }

  async discard(): Promise<void> {
    if (this.#machine.can("discard") && !this.#isAccepting) {
      this.#machine.send("discard");
      await this.preview?.close();
    }
  }

  /** Lets the person take hunks out; leaving the list leaves all as it was. */
  async choose(): Promise<void> {
    const before = this.changes;
    const chosen = await chooseHunks(before, (changes) => this.preview?.show(changes));
    if (this.#machine.can("choose")) {
      this.changes = chosen ?? before;
      this.preview?.show(this.changes);
      this.#machine.send("choose");
    }
  }

  dispose(): void {
    this.abort.abort();
    this.preview?.dispose();
    this.#changed.dispose();
  }

  /** The answer for one file; where the message is about others too, those for all that it names. */
  async #askForOne(gateway: Gateway, place: Place): Promise<FileChange[]> {
    const answer = await refusalOr(this.#ask(gateway, place, 0));
    if (mayBeForOthers(answer) && (await this.#turnToNamed(gateway, place))) {
      return this.#askForAll(gateway);
    }
    if (answer instanceof Refusal) {
      this.refusal = { refusal: answer, place };
      throw answer;
    }
    return [answer];
  }

  /** Takes the files that the message names for its places, if it names several and nothing else; whether it did. */
  async #turnToNamed(gateway: Gateway, place: Place): Promise<boolean> {
    const { files, hasUnnamed } = await gateway.files(this.assignment.edit, this.abort.signal);
    if (hasUnnamed || files.length < 2) {
      return false;
    }
    this.#assignment = { ...this.assignment, places: await this.find(files, place.uri) };
    this.#progress = this.#newProgress();
    return true;
  }

  async #askForAll(gateway: Gateway): Promise<FileChange[]> {
    const asked = this.assignment.places.map(async (place, index) => {
      try {
        return await this.#ask(gateway, place, index);
      } catch (error) {
        // The first refusal is the answer to all: what the others say is no longer waited for.
        this.refusal ??= error instanceof Refusal ? { refusal: error, place } : undefined;
        this.abort.abort();
        throw error;
      }
    });
    return Promise.all(asked);
  }

  async #ask(gateway: Gateway, place: Place, index: number): Promise<FileChange> {
    const { edit, mode } = this.assignment;
    const named = place.uri.scheme !== "untitled";
    const request: ApplyRequest = {
      original: place.original,
      edit,
      mode,
      ...(place.choose ? { choose: place.choose } : {}),
      ...(named ? { path: vscode.workspace.asRelativePath(place.uri, false) } : { language: place.language }),
    };
    const result = await gateway.apply(request, {
      signal: this.abort.signal,
      onSpan: (span) => {
        this.#progress.take(index, span);
        this.#step();
      },
    });
    const hunks = hunksBetween(place.original, result.text, result.diff);
    return { place, result, hunks, chosen: hunks };
  }

  #newProgress(): Progress {
    const originals = this.assignment.places.map((place) => place.original);
    return new Progress(originals, this.startedMs);
  }

  #step(): void {
    if (this.#machine.can("progress")) {
      this.#machine.send("progress");
    }
  }

  async #show(changes: readonly FileChange[]): Promise<State> {
    if (this.state !== "streaming") {
      return this.state;
    }
    if ((await stalePlaces(this.assignment.places)).length > 0) {
      return this.#machine.send("stale");
    }
    this.changes = changes;
    if (changes.length === 0) {
      this.wasUnchanged = true;
      return this.#machine.send("unchanged");
    }
    const preview = new Preview(this.texts, this.id, changes);
    await preview.open();
    if (!this.#machine.can("result")) {
      await preview.close();
      return this.state;
    }
    this.preview = preview;
    this.previewMs = performance.now() - this.startedMs;
    return this.#machine.send("result");
  }

  #fail(error: unknown): State {
    if (this.state !== "streaming") {
      return this.state;
    }
    if (this.refusal === undefined && error instanceof Cancelled) {
      return this.#machine.send("cancel");
    }
    const refusal = error instanceof Refusal ? error : new Refusal("EDITOR_ERROR", String(error));
    this.refusal ??= { refusal, place: undefined };
    return this.#machine.send(this.refusal.refusal.code === CONTENT_CONFLICT ? "stale" : "refuse");
  }
}

/** Whether the message seems to have edits for other files than the one that was asked for. */
function mayBeForOthers(answer: FileChange | Refusal): boolean {
  return answer instanceof Refusal
    ? answer.code === EDIT_EMPTY
    : answer.result.warnings.some(({ code }) => code === OTHER_FILES);
}

async function refusalOr<Answer>(answer: Promise<Answer>): Promise<Answer | Refusal> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refusal) {
      return error;
    }
    throw error;
  }
}

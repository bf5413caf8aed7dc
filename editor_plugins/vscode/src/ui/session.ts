/** One edit on its way: from the request through the preview into the buffers, or not. */

import * as vscode from "vscode";

import { Cancelled } from "../core/client";
import { hunksBetween } from "../core/hunks";
import { Progress } from "../core/progress";
import { Machine, type State } from "../core/states";
import { CONTENT_CONFLICT, Refusal, type ApplyRequest, type Mode } from "../core/wire";
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

export class Session implements vscode.Disposable {
  readonly startedMs = performance.now();
  readonly abort = new AbortController();
  readonly #machine: Machine;
  readonly #progress: Progress;
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
    readonly assignment: Assignment,
    private readonly texts: PreviewTexts,
  ) {
    this.#machine = new Machine((state) => this.#changed.fire(state));
    this.#progress = new Progress(
      assignment.places.map((place) => place.original),
      this.startedMs,
    );
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
      const asked = this.assignment.places.map((place, index) => this.#ask(gateway, place, index));
      const answered = await Promise.all(asked);
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

  async #ask(gateway: Gateway, place: Place, index: number): Promise<FileChange> {
    const { edit, mode } = this.assignment;
    const named = place.uri.scheme !== "untitled";
    const request: ApplyRequest = {
      original: place.original,
      edit,
      mode,
      ...(named ? { path: vscode.workspace.asRelativePath(place.uri, false) } : { language: place.language }),
    };
    try {
      const result = await gateway.apply(request, {
        signal: this.abort.signal,
        onSpan: (span) => {
          this.#progress.take(index, span);
          this.#step();
        },
      });
      const hunks = hunksBetween(place.original, result.text, result.diff);
      return { place, result, hunks, chosen: hunks };
    } catch (error) {
      // The first refusal is the answer to all: what the others say is no longer waited for.
      this.refusal ??= error instanceof Refusal ? { refusal: error, place } : undefined;
      this.abort.abort();
      throw error;
    }
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

/** All edits that are on their way: begins them, ends them, and says what became of them. */

import * as vscode from "vscode";

import type { Remedy } from "../core/advice";
import { Refusal, type Mode } from "../../../client/src/index";
import { currentText, type Place } from "./changes";
import type { Gateway } from "./gateway";
import { tellConflict, tellRefusal, tellUnchanged, tellWarnings } from "./outcomes";
import { showPlaces } from "./places";
import { PreviewTexts } from "./preview";
import { Session, type Assignment } from "./session";
import { placesOf } from "./sources";
import { openSettings, readSettings, type ApiKeys } from "./settings";
import { notifyIfSlow, StatusItem } from "./status";

const HAS_PREVIEW = "fastedit.hasPreview";

export class Sessions implements vscode.Disposable {
  readonly #texts = new PreviewTexts();
  readonly #status = new StatusItem();
  readonly #sessions = new Set<Session>();
  readonly #tabs = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.#discardClosed(closed));
  #count = 0;

  constructor(
    private readonly gateway: Gateway,
    private readonly keys: ApiKeys,
  ) {}

  /** Asks for an edit to be merged into these places, and sees it through to its preview. */
  async begin(edit: string, places: readonly Place[], mode: Mode = readSettings().mode): Promise<void> {
    await this.#replaceOlder(places);
    this.#count += 1;
    const session: Session = new Session(this.#count, { edit, places, mode }, this.#texts, async (files, beside) => {
      const found = await placesOf(files, beside);
      await this.#replaceOlder(found, session);
      return found;
    });
    this.#sessions.add(session);
    session.onDidStep(() => this.#refresh(session));
    const work = session.run(this.gateway);
    await notifyIfSlow(session, work);
    await this.#tell(session);
  }

  /** Accepts what the active preview shows. */
  async accept(): Promise<void> {
    const session = this.#active();
    await session?.accept();
    if (session) {
      await this.#tell(session);
    }
  }

  async discard(): Promise<void> {
    await this.#active()?.discard();
  }

  async chooseHunks(): Promise<void> {
    await this.#active()?.choose();
  }

  /** Stops waiting for all answers. */
  cancel(): void {
    this.#sessions.forEach((session) => session.cancel());
  }

  dispose(): void {
    this.#tabs.dispose();
    this.#sessions.forEach((session) => session.dispose());
    this.#status.dispose();
    this.#texts.dispose();
  }

  async #tell(session: Session): Promise<void> {
    switch (session.state) {
      case "preview":
        tellWarnings(session);
        return;
      case "refused":
        this.#end(session);
        await this.#remedy(session, await tellRefusal(session));
        return;
      case "conflict":
        this.#end(session);
        if (await tellConflict(session)) {
          await this.#again(session.assignment, session.assignment.mode);
        }
        return;
      default:
        if (session.wasUnchanged) {
          tellUnchanged();
        }
        this.#end(session);
    }
  }

  async #remedy(session: Session, remedy: Remedy | undefined): Promise<void> {
    const { refusal, place } = session.refusal ?? {};
    const again = (mode: Mode) => this.#again(session.assignment, mode);
    const { mode } = session.assignment;
    switch (remedy) {
      case "showPlaces":
        await (place && showPlaces(refusal?.candidates ?? [], place.uri));
        return;
      case "chooseReading": {
        const choose = place && (await showPlaces(refusal?.candidates ?? [], place.uri));
        const places = session.assignment.places.map((one) => (one === place && choose ? { ...one, choose } : one));
        return choose ? this.#again({ ...session.assignment, places }, mode) : undefined;
      }
      case "retry":
        return again(mode);
      case "structural":
        return again("structural");
      case "setApiKey":
        return (await this.keys.ask(readSettings().url)) ? again(mode) : undefined;
      case "startServer":
        return (await this.startServer()) ? again(mode) : undefined;
      case "openSettings":
        await openSettings();
        return;
      case undefined:
    }
  }

  /** Starts a server on this machine; whether it answers now. Says so where it doesn't. */
  async startServer(): Promise<boolean> {
    const options = { location: vscode.ProgressLocation.Notification, title: "FastEdit: starting the server", cancellable: true };
    return vscode.window.withProgress(options, async (_, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      try {
        await this.gateway.startServer(abort.signal);
        return true;
      } catch (error) {
        const reason = error instanceof Refusal ? error.message : String(error);
        void vscode.window.showErrorMessage(`FastEdit: ${reason}`);
        return false;
      }
    });
  }

  /** The same edit for the files as they are now; what was chosen for another text counts no more. */
  async #again(assignment: Assignment, mode: Mode): Promise<void> {
    const places = await Promise.all(
      assignment.places.map(async (place) => {
        const original = place.action === "create" ? "" : ((await currentText(place.uri)) ?? place.original);
        const { choose, ...same } = place;
        return { ...same, original, ...(choose && original === place.original ? { choose } : {}) };
      }),
    );
    await this.begin(assignment.edit, places, mode);
  }

  /** A file has one edit under way: a new one takes the place of an older one. */
  async #replaceOlder(places: readonly Place[], newer?: Session): Promise<void> {
    const uris = new Set(places.map((place) => place.uri.toString()));
    for (const session of this.#sessions) {
      if (session !== newer && session.assignment.places.some((place) => uris.has(place.uri.toString()))) {
        session.cancel();
        await session.discard();
      }
    }
  }

  /** The session whose preview has the focus, else the latest with a preview. */
  #active(): Session | undefined {
    const waiting = [...this.#sessions].filter((session) => session.state === "preview").reverse();
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return waiting.find((session) => tab && session.preview?.owns(tab)) ?? waiting[0];
  }

  #discardClosed(closed: readonly vscode.Tab[]): void {
    for (const session of this.#sessions) {
      if (closed.some((tab) => session.preview?.owns(tab))) {
        void session.discard();
      }
    }
  }

  #refresh(session: Session): void {
    this.#status.show(session);
    const hasPreview = [...this.#sessions].some((one) => one.state === "preview");
    void vscode.commands.executeCommand("setContext", HAS_PREVIEW, hasPreview);
    if (session.state === "idle") {
      this.#end(session);
    }
  }

  #end(session: Session): void {
    if (this.#sessions.delete(session)) {
      session.dispose();
    }
  }
}

/** The editor's own diff, or its diff of several files, over buffers on the left and answers on the right. */

import * as vscode from "vscode";

import { textAfter, type FileChange } from "./changes";

export const SCHEME = "fastedit-preview";

/** Texts that are shown but lie nowhere. */
export class PreviewTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  // Before the registration, which looks for it once.
  readonly onDidChange = this.#changed.event;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  set(uri: vscode.Uri, text: string): void {
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
  }

  forget(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
    this.#texts.clear();
  }
}

/** One preview: a tab with the changes as they would be. */
export class Preview implements vscode.Disposable {
  readonly title: string;

  constructor(
    private readonly texts: PreviewTexts,
    private readonly id: number,
    private readonly changes: readonly FileChange[],
  ) {
    const [only] = changes;
    const name = changes.length === 1 && only ? baseName(only.place.uri) : `${changes.length} files`;
    this.title = `${name}: FastEdit preview`;
  }

  async open(): Promise<void> {
    this.show(this.changes);
    const [only] = this.changes;
    if (this.changes.length === 1 && only) {
      const options: vscode.TextDocumentShowOptions = { preview: false };
      await vscode.commands.executeCommand("vscode.diff", this.#left(only), this.#right(only), this.title, options);
    } else {
      const rows = this.changes.map((change) => [
        change.place.uri,
        change.place.action === "create" ? undefined : this.#left(change),
        change.place.action === "delete" ? undefined : this.#right(change),
      ]);
      await vscode.commands.executeCommand("vscode.changes", this.title, rows);
    }
  }

  /** Shows the changes with what is chosen of them now. */
  show(changes: readonly FileChange[]): void {
    for (const change of changes) {
      this.texts.set(this.#right(change), textAfter(change));
    }
  }

  owns(tab: vscode.Tab): boolean {
    const uris = this.changes.map((change) => this.#right(change).toString());
    if (tab.input instanceof vscode.TabInputTextDiff) {
      return uris.includes(tab.input.modified.toString());
    }
    // The tab of several diffs has no description that extensions may read.
    return this.changes.length > 1 && tab.label.startsWith(this.title);
  }

  async close(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((tab) => this.owns(tab)));
  }

  dispose(): void {
    this.changes.forEach((change) => this.texts.forget(this.#right(change)));
  }

  #left(change: FileChange): vscode.Uri {
    const { uri, action } = change.place;
    return action === "create" ? uri.with({ scheme: SCHEME, query: `${this.id}-nothing` }) : uri;
  }

  #right(change: FileChange): vscode.Uri {
    const { uri, newUri } = change.place;
    return (newUri ?? uri).with({ scheme: SCHEME, query: `${this.id}` });
  }
}

export function baseName(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}

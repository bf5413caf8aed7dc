/** The status bar's item, and the notification that comes up for an answer that takes a while. */

import { setTimeout as delay } from "node:timers/promises";

import * as vscode from "vscode";

import type { State } from "../core/states";
import { describeResult } from "../core/words";
import type { Session } from "./session";

const NOTIFY_AFTER_MS = 400;
const FORGET_AFTER_MS = 15_000;

interface Look {
  readonly text: (session: Session) => string;
  readonly command?: string;
}

const LOOKS: Readonly<Record<Exclude<State, "idle">, Look>> = {
  streaming: { text: (session) => `$(sync~spin) FastEdit: ${session.progress}`, command: "fastedit.cancel" },
  preview: { text: (session) => `$(diff) FastEdit: ${outcome(session)}`, command: "fastedit.accept" },
  applied: { text: (session) => `$(check) FastEdit: ${outcome(session)}` },
  refused: { text: (session) => `$(error) FastEdit: ${session.refusal?.refusal.code ?? "refused"}` },
  conflict: { text: () => "$(warning) FastEdit: the file has changed" },
};

export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("fastedit.status", vscode.StatusBarAlignment.Left);
  #forgetting: NodeJS.Timeout | undefined;

  constructor() {
    this.#item.name = "FastEdit";
  }

  show(session: Session): void {
    clearTimeout(this.#forgetting);
    if (session.state === "idle") {
      this.#item.hide();
      return;
    }
    const look = LOOKS[session.state];
    this.#item.text = look.text(session);
    this.#item.command = look.command;
    this.#item.tooltip = session.state === "preview" ? "Accept the edit" : undefined;
    this.#item.show();
    if (session.state !== "streaming" && session.state !== "preview") {
      this.#forgetting = setTimeout(() => this.#item.hide(), FORGET_AFTER_MS);
    }
  }

  dispose(): void {
    clearTimeout(this.#forgetting);
    this.#item.dispose();
  }
}

/** Shows a notification with the progress and a way to cancel, where the work isn't done at once. */
export async function notifyIfSlow(session: Session, work: Promise<unknown>): Promise<void> {
  const isDone = await Promise.race([work.then(() => true), delay(NOTIFY_AFTER_MS, false)]);
  if (isDone) {
    return;
  }
  const options = { location: vscode.ProgressLocation.Notification, title: "FastEdit", cancellable: true };
  await vscode.window.withProgress(options, async (progress, token) => {
    const subscription = session.onDidStep(() => progress.report({ message: session.progress }));
    token.onCancellationRequested(() => session.cancel());
    await work;
    subscription.dispose();
  });
}

function outcome(session: Session): string {
  const hunks = session.changes.reduce((total, change) => total + change.chosen.length, 0);
  const results = session.changes.map((change) => change.result);
  return describeResult(results, hunks, session.previewMs);
}

/** What the person is told when an edit didn't lead to a preview, or with warnings, and what can be done about it. */

import * as vscode from "vscode";

import { LABELS, remediesFor, type Remedy } from "../core/advice";
import { OTHER_FILES, type ResultWarning } from "../../../client/src/index";
import { baseName } from "./preview";
import type { Session } from "./session";

/** Warnings that say no more than the preview does; and, in a preview of several files, that there are others. */
const QUIET = new Set(["NOTE", "NO_CHANGE"]);

/** Says why an edit was refused; what the person wants done about it, if anything. */
export async function tellRefusal(session: Session): Promise<Remedy | undefined> {
  const { refusal, place } = session.refusal ?? {};
  if (!refusal) {
    return undefined;
  }
  const remedies = remediesFor(refusal.code, refusal.candidates);
  const labels = remedies.map((remedy) => LABELS[remedy]);
  const where = place ? `${baseName(place.uri)}: ` : "";
  const chosen = await vscode.window.showErrorMessage(`FastEdit: ${where}${refusal.message} (${refusal.code})`, ...labels);
  return remedies.find((remedy) => LABELS[remedy] === chosen);
}

/** Says that a file has changed meanwhile; whether to try again with what it is now. */
export async function tellConflict(session: Session): Promise<boolean> {
  const names = session.assignment.places.map((place) => baseName(place.uri)).join(", ");
  const message = `FastEdit: ${names} changed after the edit was worked out. Nothing was applied. (CONTENT_CONFLICT)`;
  return (await vscode.window.showWarningMessage(message, LABELS.retry)) !== undefined;
}

export function tellUnchanged(): void {
  void vscode.window.showInformationMessage("FastEdit: the edit is in the file already. (NO_CHANGE)");
}

/** The results' warnings, in one message. */
export function tellWarnings(session: Session): void {
  const isOfSeveral = session.assignment.places.length > 1;
  const isQuiet = ({ code }: ResultWarning) => QUIET.has(code) || (isOfSeveral && code === OTHER_FILES);
  const warnings = session.changes.flatMap((change) => change.result.warnings).filter((one) => !isQuiet(one));
  if (warnings.length > 0) {
    void vscode.window.showWarningMessage(`FastEdit: ${warnings.map(describe).join("; ")}`);
  }
}

function describe(warning: ResultWarning): string {
  const line = warning.line === null ? "" : `line ${warning.line + 1}: `;
  return `${line}${warning.message} (${warning.code})`;
}

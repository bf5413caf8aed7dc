/** What becomes of files, and how it gets into the editor: as one `WorkspaceEdit`, so as one undo step. */

import * as vscode from "vscode";

import { applyHunks, type Hunk } from "../core/hunks";
import type { Action, ApplyResult } from "../../../client/src/index";

/**
 * Where an edit goes. original: the buffer's text, saved or not; "" where the file is to be created. choose: the number
 * of the reading to take for this very text.
 */
export interface Place {
  readonly uri: vscode.Uri;
  readonly action: Action;
  readonly original: string;
  readonly language: string;
  readonly newUri?: vscode.Uri;
  readonly choose?: number;
}

/** A place with its answer. hunks: all of them; chosen: those that the person wants. */
export interface FileChange {
  readonly place: Place;
  readonly result: ApplyResult;
  readonly hunks: readonly Hunk[];
  readonly chosen: readonly Hunk[];
}

/** The text that a change leads to. */
export function textAfter(change: FileChange): string {
  return applyHunks(change.place.original, change.chosen);
}

/** Whether anything would be another than it is. */
export function hasEffect(change: FileChange): boolean {
  return change.hunks.length > 0 || change.place.action !== "update" || change.place.newUri !== undefined;
}

/** Whether the person wants any of it: with all its hunks left out, a file isn't made, deleted or moved either. */
function isWanted(change: FileChange): boolean {
  return hasEffect(change) && (change.hunks.length === 0 || change.chosen.length > 0);
}

/** The places whose text isn't the one that the answer was made from. */
export async function stalePlaces(places: readonly Place[]): Promise<Place[]> {
  const isStale = await Promise.all(places.map(async (place) => (await currentText(place.uri)) !== before(place)));
  return places.filter((_, index) => isStale[index]);
}

/** Makes all the changes or none; false where the editor wouldn't. */
export async function makeChanges(changes: readonly FileChange[]): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  for (const change of changes.filter(isWanted)) {
    await addChange(edit, change);
  }
  return vscode.workspace.applyEdit(edit);
}

/** The text of a buffer or file, undefined where there is none. */
export async function currentText(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) {
    return open.getText();
  }
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    return undefined;
  }
  return (await vscode.workspace.openTextDocument(uri)).getText();
}

function before(place: Place): string | undefined {
  return place.action === "create" ? undefined : place.original;
}

async function addChange(edit: vscode.WorkspaceEdit, change: FileChange): Promise<void> {
  const { uri, action, newUri } = change.place;
  if (action === "create") {
    edit.createFile(uri, { contents: new TextEncoder().encode(textAfter(change)) });
    return;
  }
  if (action === "delete") {
    edit.deleteFile(uri);
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  for (const hunk of change.chosen) {
    edit.replace(uri, new vscode.Range(document.positionAt(hunk.start), document.positionAt(hunk.end)), hunk.text);
  }
  if (newUri) {
    edit.renameFile(uri, newUri);
  }
}

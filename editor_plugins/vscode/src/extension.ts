/** Where the editor's commands meet what they do. */

import * as vscode from "vscode";

import { isSameFile, namedFiles } from "./core/named";
import { Refusal } from "../../client/src/index";
import { currentText, type Place } from "./ui/changes";
import { Gateway } from "./ui/gateway";
import { LocalServer } from "./ui/localServer";
import { Sessions } from "./ui/sessions";
import { ApiKeys, readSettings } from "./ui/settings";
import { activeDocument, pickTarget, placeOf, placesNamed, selectedText } from "./ui/sources";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("FastEdit", { log: true });
  const keys = new ApiKeys(context.secrets);
  const server = new LocalServer(log);
  const sessions = new Sessions(new Gateway(keys, server), keys);
  const commands: Readonly<Record<string, (...args: never[]) => unknown>> = {
    applyClipboard: () => applyClipboard(sessions),
    applySelection: () => applySelection(sessions),
    applyPatch: (uri?: vscode.Uri) => applyPatch(sessions, uri),
    accept: () => sessions.accept(),
    discard: () => sessions.discard(),
    chooseHunks: () => sessions.chooseHunks(),
    cancel: () => sessions.cancel(),
    setApiKey: () => keys.ask(readSettings().url),
    startServer: () => sessions.startServer(),
  };
  context.subscriptions.push(log, server, sessions);
  for (const [name, command] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`fastedit.${name}`, telling(command)));
  }
}

/** The command, with refusals that come before there is a session told to the person. */
function telling(command: (...args: never[]) => unknown): (...args: never[]) => Promise<void> {
  return async (...args) => {
    try {
      await command(...args);
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      void vscode.window.showErrorMessage(`FastEdit: ${error.message} (${error.code})`);
    }
  };
}

async function applyClipboard(sessions: Sessions): Promise<void> {
  const document = activeDocument();
  const edit = await vscode.env.clipboard.readText();
  if (!edit.trim()) {
    throw new Refusal("EDIT_EMPTY", "the clipboard has no text");
  }
  const places = await clipboardPlaces(edit, document);
  await sessions.begin(edit, places);
}

/** The files that a copied edit is for: those that it names, else the active one. */
async function clipboardPlaces(edit: string, document: vscode.TextDocument | undefined): Promise<Place[]> {
  const named = namedFiles(edit);
  const isForActive = document && named.every((file) => isSameFile(file.path, document.uri.path));
  if (isForActive) {
    return [placeOf(document)];
  }
  if (named.length > 0) {
    return placesNamed(edit, document?.uri);
  }
  throw new Refusal("INVALID_PATH", "open the file that the edit is for");
}

async function applySelection(sessions: Sessions): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    throw new Refusal("EDIT_EMPTY", "no editor is active");
  }
  const edit = selectedText(editor);
  if (!edit.trim()) {
    throw new Refusal("EDIT_EMPTY", "the editor has no text");
  }
  if (namedFiles(edit).length > 0) {
    await sessions.begin(edit, await placesNamed(edit, editor.document.uri));
    return;
  }
  const target = await pickTarget(editor.document.uri);
  if (target) {
    await sessions.begin(edit, [placeOf(target)]);
  }
}

async function applyPatch(sessions: Sessions, given?: vscode.Uri): Promise<void> {
  const uri = given ?? (await pickPatch());
  if (!uri) {
    return;
  }
  const edit = (await currentText(uri)) ?? "";
  const places = await placesNamed(edit, uri);
  if (places.length === 0) {
    throw new Refusal("EDIT_UNPARSABLE", "the patch names no files");
  }
  await sessions.begin(edit, places);
}

/** The patch in the active editor, or one from the disk. */
async function pickPatch(): Promise<vscode.Uri | undefined> {
  const document = activeDocument();
  if (document && (document.languageId === "diff" || namedFiles(document.getText()).length > 0)) {
    return document.uri;
  }
  const title = "FastEdit: patch to apply to the workspace";
  const picked = await vscode.window.showOpenDialog({ title, filters: { Patches: ["patch", "diff", "md", "txt"] } });
  return picked?.[0];
}

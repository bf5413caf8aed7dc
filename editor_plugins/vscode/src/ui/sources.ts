/** Where edits come from and which files they are for. */

import * as vscode from "vscode";

import { namedFiles } from "../core/named";
import { Refusal, type NamedFile } from "../../../client/src/index";
import { currentText, type Place } from "./changes";
import { baseName, SCHEME } from "./preview";

/** Schemes of documents that show something and can't be edited. */
const NOT_EDITABLE = new Set([SCHEME, "output", "git", "vscode-settings", "search-editor", "comment", "debug"]);

/** The document of the active editor, if edits can go there. */
export function activeDocument(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && isEditable(document) ? document : undefined;
}

/** What is selected in the active editor, or all of it where nothing is. */
export function selectedText(editor: vscode.TextEditor): string {
  return editor.selection.isEmpty ? editor.document.getText() : editor.document.getText(editor.selection);
}

export function placeOf(document: vscode.TextDocument): Place {
  return { uri: document.uri, action: "update", original: document.getText(), language: document.languageId };
}

/** The document that an edit in another one is for: the only other one that is seen, or whichever is picked. */
export async function pickTarget(source: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  const isOther = (document: vscode.TextDocument) => isEditable(document) && document.uri.toString() !== source.toString();
  const seen = vscode.window.visibleTextEditors.map((editor) => editor.document).filter(isOther);
  if (new Set(seen).size === 1) {
    return seen[0];
  }
  const items = openUris().filter((uri) => uri.toString() !== source.toString());
  const picked = await vscode.window.showQuickPick(
    items.map((uri) => ({ label: baseName(uri), description: vscode.workspace.asRelativePath(uri), uri })),
    { title: "FastEdit: which file is the edit for?", matchOnDescription: true },
  );
  return picked && vscode.workspace.openTextDocument(picked.uri);
}

/** The files that a message names, as they are in the workspace. Throws Refusal INVALID_PATH, FILE_EXISTS. */
export async function placesNamed(message: string, beside?: vscode.Uri): Promise<Place[]> {
  return placesOf(namedFiles(message), beside);
}

/** The files as they are in the workspace. Throws Refusal INVALID_PATH, FILE_EXISTS. */
export async function placesOf(files: readonly NamedFile[], beside?: vscode.Uri): Promise<Place[]> {
  return Promise.all(files.map((file) => placeNamed(file, beside)));
}

async function placeNamed(file: NamedFile, beside: vscode.Uri | undefined): Promise<Place> {
  const roots = rootsBeside(beside);
  const options = roots.flatMap((root) => within(root, file.path));
  const found: { uri: vscode.Uri; text: string }[] = [];
  for (const uri of options) {
    const text = await currentText(uri);
    if (text !== undefined) {
      found.push({ uri, text });
    }
  }
  const [first] = found;
  if (file.action === "create" || (file.canCreate && !first)) {
    return creation(file, first?.uri, options[0]);
  }
  if (!first) {
    throw new Refusal("INVALID_PATH", `there is no file ${file.path} in the workspace`);
  }
  const document = await vscode.workspace.openTextDocument(first.uri);
  const place: Place = { ...placeOf(document), action: file.action };
  const [newUri] = file.newPath === undefined ? [] : roots.flatMap((root) => within(root, file.newPath ?? ""));
  if (file.newPath !== undefined && (newUri === undefined || (await currentText(newUri)) !== undefined)) {
    throw new Refusal("FILE_EXISTS", `${file.path} can't become ${file.newPath}`);
  }
  return newUri ? { ...place, newUri } : place;
}

function creation(file: NamedFile, existing: vscode.Uri | undefined, uri: vscode.Uri | undefined): Place {
  if (existing) {
    throw new Refusal("FILE_EXISTS", `${file.path} is to be created, but is there already`);
  }
  if (!uri) {
    throw new Refusal("INVALID_PATH", `${file.path} lies outside the workspace`);
  }
  return { uri, action: "create", original: "", language: "" };
}

/** The workspace's folders, the one that holds `beside` first; then the folder of `beside` itself. */
function rootsBeside(beside: vscode.Uri | undefined): vscode.Uri[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri);
  const own = beside && vscode.workspace.getWorkspaceFolder(beside)?.uri;
  const parent = beside && vscode.Uri.joinPath(beside, "..");
  const ordered = own ? [own, ...folders.filter((uri) => uri !== own)] : folders;
  return parent && own ? [...ordered, parent] : ordered;
}

/** The file below a root that has this name, or nothing where the name leads out of it. */
function within(root: vscode.Uri, name: string): vscode.Uri[] {
  const rootPath = root.path.endsWith("/") ? root.path : `${root.path}/`;
  const clean = name.replace(/\\/g, "/");
  const relative = clean.startsWith(rootPath) ? clean.slice(rootPath.length) : clean;
  if (relative.startsWith("/") || /^[A-Za-z]:/.test(relative)) {
    return [];
  }
  const uri = vscode.Uri.joinPath(root, relative);
  return uri.path.startsWith(rootPath) ? [uri] : [];
}

function isEditable(document: vscode.TextDocument): boolean {
  return !NOT_EDITABLE.has(document.uri.scheme);
}

function openUris(): vscode.Uri[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs.flatMap((tab) => (tab.input instanceof vscode.TabInputText ? [tab.input.uri] : []));
  const unique = new Map(uris.map((uri) => [uri.toString(), uri]));
  return [...unique.values()].filter((uri) => !NOT_EDITABLE.has(uri.scheme));
}

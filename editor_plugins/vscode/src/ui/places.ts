/** The places that a refused edit may have meant, or its readings: a list to walk through, each shown in the file. */

import * as vscode from "vscode";

import type { Candidate } from "../../../client/src/index";

interface PlaceItem extends vscode.QuickPickItem {
  readonly choice: number;
  readonly location: vscode.Location;
}

/**
 * Lets the person walk through the places, best first, and go to one, or choose a reading, whose number comes back.
 *
 * uri: the file that was sent.
 */
export async function showPlaces(candidates: readonly Candidate[], uri: vscode.Uri): Promise<number | undefined> {
  const list = vscode.window.createQuickPick<PlaceItem>();
  const start = vscode.window.activeTextEditor;
  const startSelection = start?.selection;
  const mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
    isWholeLine: true,
  });
  const hasReadings = candidates.some(({ choice }) => choice > 0);
  list.title = hasReadings ? "FastEdit: which of these is meant?" : "FastEdit: places that may have been meant";
  list.items = candidates.map((candidate) => placeItem(candidate, uri));
  list.matchOnDescription = true;
  list.onDidChangeActive(([item]) => item && void reveal(item.location, mark, true));
  return new Promise<number | undefined>((resolve) => {
    let isTaken = false;
    let choice: number | undefined;
    list.onDidAccept(() => {
      isTaken = true;
      const [item] = list.selectedItems;
      choice = item && item.choice > 0 ? item.choice : undefined;
      void (item && reveal(item.location, mark, false));
      list.hide();
    });
    list.onDidHide(() => {
      if (!isTaken && start && startSelection) {
        start.revealRange(startSelection);
      }
      list.dispose();
      mark.dispose();
      resolve(choice);
    });
    list.show();
  });
}

function placeItem(candidate: Candidate, uri: vscode.Uri): PlaceItem {
  const range = new vscode.Range(candidate.startLine, 0, Math.max(candidate.startLine, candidate.endLine - 1), 0);
  const lines = candidate.endLine - candidate.startLine > 1 ? `${candidate.startLine + 1}-${candidate.endLine}` : `${candidate.startLine + 1}`;
  const location = new vscode.Location(uri, range);
  return { label: `$(location) line ${lines}`, description: candidate.reason, location, choice: candidate.choice };
}

async function reveal(location: vscode.Location, mark: vscode.TextEditorDecorationType, isPeeking: boolean) {
  const editor = await vscode.window.showTextDocument(location.uri, { preserveFocus: isPeeking, preview: true });
  editor.setDecorations(mark, isPeeking ? [location.range] : []);
  editor.revealRange(location.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  if (!isPeeking) {
    editor.selection = new vscode.Selection(location.range.start, location.range.start);
  }
}

/** Which hunks of a preview are wanted: a list with check marks, shown beside the diff. */

import * as vscode from "vscode";

import type { Hunk } from "../core/hunks";
import { describeHunk, firstLine } from "../core/words";
import type { FileChange } from "./changes";
import { baseName } from "./preview";

interface HunkItem extends vscode.QuickPickItem {
  readonly change: FileChange;
  readonly hunk: Hunk;
}

/**
 * The changes with the hunks that were chosen, or undefined where the list was left.
 *
 * onChange is told of every choice on the way.
 */
export function chooseHunks(
  changes: readonly FileChange[],
  onChange: (changes: readonly FileChange[]) => void,
): Promise<readonly FileChange[] | undefined> {
  const items = changes.flatMap((change) => change.hunks.map((hunk) => hunkItem(change, hunk, changes.length > 1)));
  const list = vscode.window.createQuickPick<HunkItem>();
  list.title = "FastEdit: hunks to accept";
  list.canSelectMany = true;
  list.items = items;
  list.selectedItems = items.filter((item) => item.change.chosen.includes(item.hunk));
  return new Promise((resolve) => {
    let outcome: readonly FileChange[] | undefined;
    list.onDidChangeSelection((selected) => onChange(choose(changes, selected)));
    list.onDidAccept(() => {
      outcome = choose(changes, list.selectedItems);
      list.hide();
    });
    list.onDidHide(() => {
      list.dispose();
      resolve(outcome);
    });
    list.show();
  });
}

function choose(changes: readonly FileChange[], selected: readonly HunkItem[]): FileChange[] {
  const wanted = new Set(selected.map((item) => item.hunk));
  return changes.map((change) => ({ ...change, chosen: change.hunks.filter((hunk) => wanted.has(hunk)) }));
}

function hunkItem(change: FileChange, hunk: Hunk, isOneOfSeveral: boolean): HunkItem {
  const name = isOneOfSeveral ? `${baseName(change.place.uri)}, ` : "";
  return { label: name + describeHunk(hunk), description: firstLine(hunk, change.place.original), change, hunk };
}

/** The plugin's settings, and the key, which is kept with the editor's secrets and sent to one address only. */

import * as vscode from "vscode";

import type { Mode, Service } from "../../../client/src/index";

const SECTION = "fastedit";

export interface Settings {
  readonly url: string;
  readonly mode: Mode;
  readonly command: readonly string[];
  readonly isAutoStarting: boolean;
}

export function readSettings(): Settings {
  const settings = vscode.workspace.getConfiguration(SECTION);
  return {
    url: settings.get("server.url", "").trim(),
    mode: settings.get<Mode>("mode", "auto"),
    command: settings.get<string[]>("server.command", []),
    isAutoStarting: settings.get("server.autoStart", true),
  };
}

export function openSettings(): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.openSettings", SECTION);
}

/** API keys, one for each service. */
export class ApiKeys {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  /** The service at an address, with its key if there is one. */
  async serviceAt(url: string): Promise<Service> {
    return { url, apiKey: await this.secrets.get(secretName(url)) };
  }

  /** Asks for a key; an empty answer forgets the one there is. Whether there was an answer. */
  async ask(url: string): Promise<boolean> {
    const key = await vscode.window.showInputBox({
      title: `API key for ${url}`,
      prompt: "Kept in the editor's secret storage and sent to this address only. Empty: forget the key.",
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) {
      return false;
    }
    await (key ? this.secrets.store(secretName(url), key) : this.secrets.delete(secretName(url)));
    return true;
  }
}

function secretName(url: string): string {
  const address = URL.canParse(url) ? new URL(url).origin : url;
  return `fastedit.apiKey:${address}`;
}

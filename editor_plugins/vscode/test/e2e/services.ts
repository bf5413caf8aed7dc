/** The processes that the tests run against: the service, and the editor's server. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { Missing } from "./install";

const START_TIMEOUT_MS = 60_000;
const USER_SETTINGS = {
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "editor.minimap.enabled": false,
  "editor.occurrencesHighlight": "off",
  "files.autoSave": "off",
  "chat.commandCenter.enabled": false,
  "security.workspace.trust.untrustedFiles": "open",
};

export interface Running {
  readonly url: string;
  stop(): void;
}

/** The command that runs FastEdit: FASTEDIT_COMMAND, the repository's own environment, or what is on the path. */
export function fasteditCommand(): string {
  const own = resolve("../../.venv/bin/fastedit");
  return process.env["FASTEDIT_COMMAND"] ?? (existsSync(own) ? own : "fastedit");
}

/** `fastedit serve` without a target. Throws Missing where there is no such command. */
export async function startService(): Promise<Running> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const process = spawn(fasteditCommand(), ["serve", "--target", "none", "--port", new URL(url).port], { stdio: "ignore" });
  return started(process, url, `${url}/healthz`);
}

/** The editor's server, with the plugin installed and set to a service, and nothing kept from earlier runs. */
export async function startEditor(entry: string, home: string, plugin: string, serviceUrl: string): Promise<Running> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const machineSettings = { "fastedit.server.url": serviceUrl, "fastedit.server.autoStart": false };
  for (const [level, settings] of Object.entries({ User: USER_SETTINGS, Machine: machineSettings })) {
    mkdirSync(join(home, "data", level), { recursive: true });
    writeFileSync(join(home, "data", level, "settings.json"), JSON.stringify(settings));
  }
  writeFileSync(join(home, "config.yaml"), "auth: none\n");
  const folders = ["--user-data-dir", join(home, "data"), "--extensions-dir", join(home, "extensions")];
  const common = [entry, "--config", join(home, "config.yaml"), ...folders];
  const installation = spawn(process.execPath, [...common, "--install-extension", plugin], { stdio: "inherit" });
  const [status] = (await once(installation, "exit")) as [number | null];
  if (status !== 0) {
    throw new Error(`installing ${plugin} ended with status ${status}`);
  }
  const args = ["--bind-addr", new URL(url).host, "--disable-telemetry", "--disable-update-check"];
  return started(spawn(process.execPath, [...common, ...args], { stdio: "ignore" }), url, `${url}/healthz`);
}

/** A service that takes requests and never answers. closed: how many clients have gone again. */
export async function startSilence(): Promise<Running & { readonly closed: () => number }> {
  let numClosed = 0;
  const server: Server = createServer((socket) => {
    socket.on("error", () => undefined).on("close", () => (numClosed += 1)).resume();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, stop: () => server.close(), closed: () => numClosed };
}

/** A port on which nothing listens now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

async function started(process: ChildProcess, url: string, health: string): Promise<Running> {
  let failure: string | undefined;
  process.once("error", (error) => (failure = error.message));
  process.once("exit", (status) => (failure ??= `ended with status ${status}`));
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (failure === undefined && Date.now() < deadline) {
    if (await isUp(health)) {
      return { url, stop: () => process.kill("SIGTERM") };
    }
    await delay(100);
  }
  process.kill("SIGTERM");
  throw new Missing(`${process.spawnfile}: ${failure ?? "no answer"}`);
}

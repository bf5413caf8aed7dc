/** The processes that the tests run against: the service, and the editor's server. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
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

/** The command that runs FastEdit: E2E_FASTEDIT, the repository's own environment, or what is on the path. */
export function fasteditCommand(): string {
  const own = resolve("../../.venv/bin/fastedit");
  return process.env["E2E_FASTEDIT"] ?? (existsSync(own) ? own : "fastedit");
}

/** `fastedit serve` without a target, after its first edit: the processes that merge may start later than it does. */
export async function startService(): Promise<Running> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const process = spawn(fasteditCommand(), ["serve", "--target", "none", "--log-level", "warning", "--port", new URL(url).port], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const service = await started(process, url, `${url}/healthz`);
  const body = JSON.stringify({ original: "a = 1\n", edit: "a = 2\n", path: "a.py", mode: "structural" });
  await fetch(`${url}/v1/apply`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return service;
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

/** A service that takes requests and never answers. someoneLeft: a client has closed its connection. */
export async function startSilence(): Promise<Running & { readonly someoneLeft: Promise<unknown> }> {
  const server = createServer().listen(0, "127.0.0.1");
  const someoneLeft = new Promise((resolve) => {
    server.on("connection", (socket) => socket.on("error", resolve).on("close", resolve).resume());
  });
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, stop: () => server.close(), someoneLeft };
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

/** Waits until a process answers. Throws Missing where there is no such program, Error where it fails. */
async function started(process: ChildProcess, url: string, health: string): Promise<Running> {
  const errors: Error[] = [];
  process.once("error", (error) => errors.push(new Missing(error.message)));
  process.once("exit", (status) => errors.push(new Error(`${process.spawnfile} ended with status ${status}`)));
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (errors.length === 0 && Date.now() < deadline) {
    if (await isUp(health)) {
      return { url, stop: () => process.kill("SIGTERM") };
    }
    await delay(100);
  }
  process.kill("SIGTERM");
  throw errors[0] ?? new Error(`${process.spawnfile} doesn't answer`);
}

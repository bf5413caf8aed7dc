/** `fastedit serve` on this machine, started when nothing answers at the address that the settings name. */

import { spawn, type ChildProcess } from "node:child_process";
import { homedir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

import * as vscode from "vscode";

import { isAlive, Refusal, UNREACHABLE } from "../../../client/src/index";

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

export class LocalServer implements vscode.Disposable {
  #process: ChildProcess | undefined;
  #starting: Promise<void> | undefined;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Whether a server for this address could be started here: it's this machine's, and the workspace is trusted. */
  canServe(url: string): boolean {
    return vscode.workspace.isTrusted && URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
  }

  /** Comes back when the server answers. Throws Refusal UNREACHABLE where it can't be started. */
  start(url: string, command: readonly string[], signal: AbortSignal): Promise<void> {
    this.#starting ??= this.#start(url, command, signal).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  dispose(): void {
    this.#process?.kill("SIGTERM");
    this.#process = undefined;
  }

  async #start(url: string, command: readonly string[], signal: AbortSignal): Promise<void> {
    const server = this.#spawn(url, command);
    let failure: string | undefined;
    server.once("error", (error) => (failure = error.message));
    server.once("exit", (code) => (failure ??= `it ended with status ${code}`));
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < deadline && !signal.aborted && failure === undefined) {
      if (await isAlive(url, signal)) {
        return;
      }
      await delay(POLL_MS);
    }
    server.kill("SIGTERM");
    const reason = failure ?? (signal.aborted ? "given up" : `no answer in ${START_TIMEOUT_MS / 1000} s`);
    throw new Refusal(UNREACHABLE, `\`${command.join(" ")}\` can't be started: ${reason}`);
  }

  #spawn(url: string, command: readonly string[]): ChildProcess {
    const [program, ...rest] = command;
    if (!program) {
      throw new Refusal(UNREACHABLE, "the setting fastedit.server.command is empty");
    }
    const { hostname, port } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, "");
    const args = [...rest, "--host", host, "--port", port || "80"];
    this.log.info(`starting ${program} ${args.join(" ")}`);
    // Not in the workspace's folder: nothing there may decide what is run.
    const server = spawn(program, args, { cwd: homedir(), stdio: ["ignore", "pipe", "pipe"] });
    this.dispose();
    this.#process = server;
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => this.log.info(text.trimEnd()));
    }
    return server;
  }
}

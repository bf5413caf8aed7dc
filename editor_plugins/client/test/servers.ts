/** Services for tests: made-up ones, and a real one. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { isAlive } from "../src/index.js";

const START_TIMEOUT_MS = 120_000;

/** A server on this machine, for as long as `use` takes. */
export async function withServer(
  listener: RequestListener,
  use: (url: string, server: Server) => Promise<void>,
): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Answers with these events. */
export function streaming(...events: [string, unknown][]): RequestListener {
  return (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    events.forEach(([name, data]) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
    response.end();
  };
}

/** The command that runs FastEdit: E2E_FASTEDIT, the repository's own environment, or what is on the path. */
function fasteditCommand(): string {
  const own = new URL("../../../../.venv/bin/fastedit", import.meta.url).pathname;
  return process.env["E2E_FASTEDIT"] ?? (existsSync(own) ? own : "fastedit");
}

export interface Running {
  readonly url: string;
  stop(): void;
}

/** `fastedit serve` without a target; undefined where there is no such command. Throws Error where it doesn't start. */
export async function startService(): Promise<Running | undefined> {
  const child = spawn(fasteditCommand(), ["serve", "--target", "none", "--port", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  let end: string | undefined;
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-10_000)));
  child.once("error", (error: NodeJS.ErrnoException) => (end = error.code ?? error.message));
  child.once("exit", (status) => (end ??= `status ${status}`));
  const deadline = Date.now() + START_TIMEOUT_MS;
  let url: string | undefined;
  while (end === undefined && Date.now() < deadline) {
    url ??= /serving on (http:\/\/[\d.:]+)/.exec(log)?.[1];
    if (url !== undefined && (await isAlive(url))) {
      return { url, stop: () => child.kill("SIGTERM") };
    }
    await delay(50);
  }
  child.kill("SIGTERM");
  if (end === "ENOENT") {
    return undefined;
  }
  throw new Error(`fastedit serve: ${end ?? "doesn't answer"}\n${log}`);
}

/** The way to the service that the settings name; starts one on this machine where none answers and that's wanted. */

import {
  applyEdit,
  type ApplyRequest,
  type ApplyResult,
  filesOf,
  type FilesOfMessage,
  Refusal,
  type Service,
  UNREACHABLE,
  type Watching,
} from "../../../client/src/index";
import type { LocalServer } from "./localServer";
import { readSettings, type ApiKeys } from "./settings";

export class Gateway {
  constructor(
    private readonly keys: ApiKeys,
    private readonly server: LocalServer,
  ) {}

  /** The service's answer. Throws as `applyEdit` does. */
  async apply(request: ApplyRequest, watching: Watching): Promise<ApplyResult> {
    return this.#served((service) => applyEdit(service, request, watching), watching.signal);
  }

  /** The files that a message is about. Throws as `applyEdit` does. */
  async files(edit: string, signal: AbortSignal): Promise<FilesOfMessage> {
    return this.#served((service) => filesOf(service, edit, signal), signal);
  }

  async #served<Answer>(ask: (service: Service) => Promise<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
    const { url, isAutoStarting } = readSettings();
    const service = await this.keys.serviceAt(url);
    try {
      return await ask(service);
    } catch (error) {
      const isDown = error instanceof Refusal && error.code === UNREACHABLE;
      if (!isDown || !isAutoStarting || !this.server.canServe(url)) {
        throw error;
      }
    }
    await this.startServer(signal);
    return ask(service);
  }

  /** Starts a server at the settings' address. Throws Refusal UNREACHABLE. */
  async startServer(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const { url, command } = readSettings();
    if (!this.server.canServe(url)) {
      throw new Refusal(UNREACHABLE, `no server can be started for ${url}: not this machine, or not a trusted workspace`);
    }
    await this.server.start(url, command, signal);
  }
}

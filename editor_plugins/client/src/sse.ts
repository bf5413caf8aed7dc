/** Server-sent events out of a stream of text, as far as a service that answers one request needs them. */

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

const DEFAULT_NAME = "message";

/** Takes text as it comes, in pieces of any size, and gives the events that are complete. */
export class EventParser {
  #partial: string[] = []; // pieces of a line whose end hasn't come; joined once, since lines can be large
  #name = DEFAULT_NAME;
  #data: string[] = [];

  feed(text: string): ServerEvent[] {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    const events: ServerEvent[] = [];
    for (const rest of lines) {
      const line = [...this.#partial, rest].join("").replace(/\r$/, "");
      this.#partial = [];
      const event = this.#take(line);
      if (event) {
        events.push(event);
      }
    }
    this.#partial.push(last);
    return events;
  }

  /** Takes in a line; an empty one ends an event. */
  #take(line: string): ServerEvent | undefined {
    if (line !== "") {
      const colon = line.indexOf(":");
      const value = line.slice(colon + 1).replace(/^ /, "");
      if (line.startsWith("event:")) {
        this.#name = value;
      } else if (line.startsWith("data:")) {
        this.#data.push(value);
      }
      return undefined;
    }
    const event = { name: this.#name, data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#name = DEFAULT_NAME;
    this.#data = [];
    return isEmpty ? undefined : event;
  }
}

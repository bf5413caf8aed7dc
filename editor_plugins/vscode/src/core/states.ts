/**
 * The states that one edit goes through on its way into a file; `editor_plugins/states.json` describes them,
 * and a test compares the two.
 */

const TRANSITIONS = {
  idle: { start: "streaming" },
  streaming: {
    progress: "streaming",
    result: "preview",
    unchanged: "idle",
    refuse: "refused",
    stale: "conflict",
    cancel: "idle",
  },
  preview: { choose: "preview", accept: "applied", discard: "idle", stale: "conflict" },
  applied: { close: "idle", start: "streaming" },
  refused: { close: "idle", start: "streaming" },
  conflict: { close: "idle", start: "streaming" },
} as const;

export type State = keyof typeof TRANSITIONS;
type EventOf<S extends State> = keyof (typeof TRANSITIONS)[S];
export type Event = { [S in State]: EventOf<S> }[State];

export const INITIAL: State = "idle";
export const TABLE: Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>> = TRANSITIONS;

/** The state after `event`, or undefined where `state` knows no such event. */
export function next(state: State, event: Event): State | undefined {
  return TABLE[state][event];
}

/** Holds a state and tells about each step. An event that the state doesn't know is a bug of ours and throws. */
export class Machine {
  #state: State = INITIAL;

  constructor(private readonly onStep: (state: State, event: Event) => void = () => undefined) {}

  get state(): State {
    return this.#state;
  }

  can(event: Event): boolean {
    return next(this.#state, event) !== undefined;
  }

  send(event: Event): State {
    const after = next(this.#state, event);
    if (after === undefined) {
      throw new Error(`no event ${event} in state ${this.#state}`);
    }
    this.#state = after;
    this.onStep(after, event);
    return after;
  }
}

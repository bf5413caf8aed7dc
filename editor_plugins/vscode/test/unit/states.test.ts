import assert from "node:assert/strict";
import { test } from "node:test";

import described from "../../../states.json";
import { INITIAL, Machine, next, TABLE, type Event, type State } from "../../src/core/states";

test("the table is the described one", () => {
  assert.deepEqual(TABLE, described.transitions);
  assert.equal(INITIAL, described.initial);
});

test("every described state can be reached, and left for idle", () => {
  const states = Object.keys(described.states) as State[];
  for (const start of states) {
    const reached = reachableFrom(start);
    assert.ok(reached.has("idle"), `${start} never ends`);
  }
  assert.deepEqual(reachableFrom("idle"), new Set(states));
});

test("events that a state doesn't know change nothing and throw", () => {
  const machine = new Machine();
  assert.throws(() => machine.send("accept"), /accept.*idle/);
  assert.equal(machine.state, "idle");
  assert.equal(next("applied", "accept"), undefined);
});

test("steps are told, with the event", () => {
  const steps: [State, Event][] = [];
  const machine = new Machine((state, event) => steps.push([state, event]));
  machine.send("start");
  machine.send("progress");
  assert.ok(!machine.can("accept"));
  machine.send("result");
  machine.send("stale");
  assert.deepEqual(steps, [
    ["streaming", "start"],
    ["streaming", "progress"],
    ["preview", "result"],
    ["conflict", "stale"],
  ]);
});

function reachableFrom(start: State): Set<State> {
  const reached = new Set<State>([start]);
  for (const state of reached) {
    Object.values(TABLE[state]).forEach((after) => reached.add(after));
  }
  return reached;
}

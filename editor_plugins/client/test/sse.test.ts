import assert from "node:assert/strict";
import { test } from "node:test";

import { EventParser } from "../src/sse.js";

const STREAM = 'event: span\ndata: {"a":1}\n\n: still here\n\nevent: result\r\ndata: one\r\ndata: two\r\n\r\ndata: bare\n\n';
const EVENTS = [
  { name: "span", data: '{"a":1}' },
  { name: "result", data: "one\ntwo" },
  { name: "message", data: "bare" },
];

test("events come out whole, wherever the stream is cut", () => {
  for (let size = 1; size <= STREAM.length; size += 1) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < STREAM.length; at += size) {
      events.push(...parser.feed(STREAM.slice(at, at + size)));
    }
    assert.deepEqual(events, EVENTS, `pieces of ${size}`);
  }
});

test("an event that hasn't ended isn't given", () => {
  assert.deepEqual(new EventParser().feed("event: result\ndata: 1\n"), []);
});

test("a large event in small pieces is read in linear time", () => {
  const parser = new EventParser();
  const piece = "x".repeat(16_384);
  const started = performance.now();
  parser.feed("event: result\ndata: ");
  for (let number = 0; number < 1024; number += 1) {
    assert.equal(parser.feed(piece).length, 0);
  }
  const [event] = parser.feed("\n\n");
  assert.equal(event?.data.length, 1024 * piece.length);
  assert.ok(performance.now() - started < 2_000);
});

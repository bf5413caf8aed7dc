import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { test } from "node:test";

import { applyEdit, Cancelled, filesOf, isAlive } from "../src/requests.js";
import { BAD_ANSWER, Refusal, UNREACHABLE, type Span } from "../src/wire.js";
import { streaming, withServer } from "./servers.js";

const REQUEST = { original: "a\r\nü\n", edit: "b", path: "x.py", mode: "auto" } as const;
const RESULT = {
  text: "b\r\nü\n",
  diff: "",
  strategy: "model",
  changes: { added: 1, removed: 2, modified: 3 },
  warnings: [{ code: "NOTE", message: "so", line: 4 }],
  usage: { accepted_prediction_tokens: 7 },
  stats: { passes: 2, readings_judged: 3, total_ms: 1.5 },
};

test("the request has the text's hash and the key, and asks for a stream", async () => {
  let seen: { headers?: unknown; body?: Record<string, unknown>; url?: string | undefined } = {};
  const listener: RequestListener = (request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
      seen = { headers: request.headers, body, url: request.url };
      streaming(["result", RESULT])(request, response);
    });
  };
  await withServer(listener, async (url) => {
    await applyEdit({ url: `${url}/base/`, apiKey: "secret" }, REQUEST);
  });
  const sha256 = createHash("sha256").update("a\r\nü\n").digest("hex");
  assert.deepEqual(seen.body, { ...REQUEST, sha256, stream: true });
  assert.equal((seen.headers as Record<string, string>)["authorization"], "Bearer secret");
  assert.equal(seen.url, "/base/v1/apply");
});

test("spans come as they are sent, a reset among them, then the result", async () => {
  const span = { start_line: 0, end_line: 1, text: "b\r\n", is_kept: false };
  const spans: (Span | undefined)[] = [];
  await withServer(streaming(["span", span], ["reset", {}], ["span", span], ["result", RESULT]), async (url) => {
    const result = await applyEdit({ url }, REQUEST, { onSpan: (one) => spans.push(one) });
    assert.equal(result.text, "b\r\nü\n");
    assert.deepEqual(result.warnings, RESULT.warnings);
    assert.deepEqual([result.acceptedTokens, result.passes, result.readingsJudged, result.totalMs], [7, 2, 3, 1.5]);
  });
  const read = { startLine: 0, endLine: 1, text: "b\r\n", isKept: false };
  assert.deepEqual(spans, [read, undefined, read]);
});

const ERROR = {
  error: {
    code: "ANCHOR_AMBIGUOUS",
    message: "two places",
    candidates: [
      { start_line: 3, end_line: 5, reason: "like it", path: "" },
      { start_line: 7, end_line: 7, reason: "reading 2", path: "", choice: 2 },
    ],
  },
};

test("a refusal has its code and candidates, in an answer of its own or in the stream", async () => {
  const alone: RequestListener = (_, response) => response.writeHead(409).end(JSON.stringify(ERROR));
  for (const listener of [alone, streaming(["error", ERROR])]) {
    await withServer(listener, async (url) => {
      await assert.rejects(applyEdit({ url }, REQUEST), (error: Refusal) => {
        assert.equal(error.code, "ANCHOR_AMBIGUOUS");
        assert.equal(error.message, "two places");
        assert.deepEqual(error.candidates, [
          { startLine: 3, endLine: 5, reason: "like it", path: "", choice: 0 },
          { startLine: 7, endLine: 7, reason: "reading 2", path: "", choice: 2 },
        ]);
        return true;
      });
    });
  }
});

test("answers that are none", async () => {
  const broken: RequestListener[] = [
    (_, response) => response.writeHead(502).end("<html>"),
    (_, response) => response.end("not events"),
    streaming(["result", { text: 1 }]),
    streaming(["span", { end_line: 1 }]),
  ];
  for (const listener of broken) {
    await withServer(listener, async (url) => {
      await assert.rejects(applyEdit({ url }, REQUEST), (error: Refusal) => error.code === BAD_ANSWER);
    });
  }
});

test("a connection that breaks, and none at all, are unreachable", async () => {
  await withServer((_, response) => response.destroy(), async (url) => {
    await assert.rejects(applyEdit({ url }, REQUEST), (error: Refusal) => error.code === UNREACHABLE);
  });
  for (const url of ["http://127.0.0.1:1", "no address", ""]) {
    await assert.rejects(applyEdit({ url }, REQUEST), (error: Refusal) => error.code === UNREACHABLE);
    assert.equal(await isAlive(url), false);
  }
});

test("cancelling ends the connection", async () => {
  const abort = new AbortController();
  let isClosed: Promise<unknown> = Promise.resolve();
  const listener: RequestListener = (request) => {
    isClosed = once(request.socket, "close");
    abort.abort();
  };
  await withServer(listener, async (url) => {
    await assert.rejects(applyEdit({ url }, REQUEST, { signal: abort.signal }), Cancelled);
    await isClosed;
  });
});

test("the files that a message is about", async () => {
  const files = [
    { path: "src/a.py", action: "update", new_path: null, can_create: false },
    { path: "b.py", action: "update", new_path: "c.py", can_create: true },
    { path: null, action: "update", new_path: null, can_create: false },
  ];
  await withServer(
    (_, response) => response.end(JSON.stringify({ files })),
    async (url) => {
      assert.deepEqual(await filesOf({ url }, "edit"), {
        files: [
          { path: "src/a.py", action: "update", canCreate: false },
          { path: "b.py", action: "update", canCreate: true, newPath: "c.py" },
        ],
        hasUnnamed: true,
      });
    },
  );
  for (const answer of [{}, { files: [{ path: "a.py", action: "burn" }] }]) {
    await withServer(
      (_, response) => response.end(JSON.stringify(answer)),
      async (url) => {
        await assert.rejects(filesOf({ url }, "edit"), { code: BAD_ANSWER });
      },
    );
  }
});

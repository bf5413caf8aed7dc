import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";

import { Cancelled, FastEdit, Refusal, UNREACHABLE, type Span } from "../src/index.js";
import { streaming, withServer } from "./servers.js";

const RESULT = { text: "b\n", diff: "", strategy: "structural", stats: { certainty: 0.9 } };
const ANSWER = streaming(["result", RESULT]);

/** Refuses the first requests with a code, then answers; counts them all. */
function busy(times: number, code: string, headers: Record<string, string> = {}): { count: number; listener: RequestListener } {
  const service = {
    count: 0,
    listener: ((request, response) => {
      service.count += 1;
      if (service.count <= times) {
        response.writeHead(429, headers).end(JSON.stringify({ error: { code, message: "later" } }));
      } else {
        ANSWER(request, response);
      }
    }) as RequestListener,
  };
  return service;
}

for (const code of ["OVERLOADED", "RATE_LIMITED", "TARGET_UNAVAILABLE"]) {
  test(`${code} is asked again, and given up after so many tries`, async () => {
    const soon = busy(2, code);
    await withServer(soon.listener, async (url) => {
      const applied = await new FastEdit({ url, firstPauseMs: 1 }).apply("a\n", "b");
      assert.deepEqual([applied.text, applied.certainty, soon.count], ["b\n", 0.9, 3]);
    });
    const never = busy(9, code);
    await withServer(never.listener, async (url) => {
      await assert.rejects(new FastEdit({ url, firstPauseMs: 1, tries: 2 }).apply("a\n", "b"), { code });
      assert.equal(never.count, 2);
    });
  });
}

test("what would only fail again is asked once", async () => {
  for (const code of ["ANCHOR_NOT_FOUND", "TIMEOUT", "TOO_LARGE", "UNAUTHORIZED"]) {
    const service = busy(9, code);
    await withServer(service.listener, async (url) => {
      await assert.rejects(new FastEdit({ url, firstPauseMs: 1 }).apply("a\n", "b"), { code });
      assert.equal(service.count, 1);
    });
  }
});

test("a pause is as long as the service asks for", async () => {
  const service = busy(1, "OVERLOADED", { "Retry-After": "0.2" });
  await withServer(service.listener, async (url) => {
    const started = performance.now();
    await new FastEdit({ url, firstPauseMs: 1 }).apply("a\n", "b");
    assert.ok(performance.now() - started >= 195);
  });
});

test("a connection that breaks is tried again, and the spans so far are void", async () => {
  const span = { start_line: 0, end_line: 1, text: "b\n", is_kept: false };
  let count = 0;
  let cut = (): unknown => undefined;
  const listener: RequestListener = (request, response) => {
    count += 1;
    if (count > 1) {
      streaming(["span", span], ["result", RESULT])(request, response);
    } else {
      cut = () => response.destroy();
      response.writeHead(200).write(`event: span\ndata: ${JSON.stringify(span)}\n\n`);
    }
  };
  const spans: (Span | undefined)[] = [];
  await withServer(listener, async (url) => {
    const onSpan = (one: Span | undefined) => {
      spans.push(one);
      cut();
    };
    const applied = await new FastEdit({ url, firstPauseMs: 1 }).apply("a\n", "b", {}, { onSpan });
    assert.equal(applied.text, "b\n");
  });
  assert.deepEqual(spans.map((one) => one?.text), ["b\n", undefined, "b\n"]);
});

test("no service at all is said after the last try", async () => {
  const client = new FastEdit({ url: "http://127.0.0.1:1", firstPauseMs: 1 });
  await assert.rejects(client.apply("a\n", "b"), { code: UNREACHABLE });
});

test("no redirect is followed: the key and the file are for the address that was named", async () => {
  let isAsked = false;
  await withServer(
    (_, response) => {
      isAsked = true;
      response.end("{}");
    },
    async (elsewhere) => {
      const away: RequestListener = (_, response) => response.writeHead(307, { Location: `${elsewhere}/v1/apply` }).end();
      await withServer(away, async (url) => {
        await assert.rejects(new FastEdit({ url, apiKey: "secret", tries: 1 }).apply("a\n", "b"), { code: UNREACHABLE });
      });
    },
  );
  assert.equal(isAsked, false);
});

test("a service that doesn't answer in time", async () => {
  await withServer(
    () => undefined,
    async (url) => {
      await assert.rejects(new FastEdit({ url, timeoutMs: 50 }).apply("a\n", "b"), { code: "TIMEOUT" });
    },
  );
});

test("aborting ends a pause too", async () => {
  const abort = new AbortController();
  const service = busy(9, "OVERLOADED", { "Retry-After": "60" });
  await withServer(service.listener, async (url) => {
    const applied = new FastEdit({ url }).apply("a\n", "b", {}, { signal: abort.signal });
    setTimeout(() => abort.abort(), 100);
    await assert.rejects(applied, Cancelled);
  });
});

test("a batch has results and refusals in the requests' order", async () => {
  const refused = { code: "ANCHOR_NOT_FOUND", message: "nowhere", candidates: [] };
  const results = [
    { status: 200, result: RESULT, error: null },
    { status: 409, result: null, error: refused },
  ];
  const requests = [{ original: "a\n", edit: "b" }, { original: "c\n", edit: "d" }];
  await withServer(
    (_, response) => response.end(JSON.stringify({ results })),
    async (url) => {
      const [first, second] = await new FastEdit({ url }).applyBatch(requests);
      assert.ok(first !== undefined && !(first instanceof Refusal));
      assert.equal(first.text, "b\n");
      assert.ok(second instanceof Refusal);
      assert.equal(second.code, "ANCHOR_NOT_FOUND");
      await assert.rejects(new FastEdit({ url }).applyBatch(requests.slice(1)), { code: "BAD_ANSWER" });
    },
  );
});

test("options that mean nothing are refused at once", () => {
  assert.throws(() => new FastEdit({ url: "no address" }), TypeError);
  assert.throws(() => new FastEdit({ tries: 0 }), RangeError);
});

import { assert, assertEquals } from "@std/assert";
import { readBody } from "../../lib/web/body.ts";

const KIB = 1024;
const limits = { maxBytes: 1024 * KIB, deadlineMs: 5000 };

/** A POST whose body is made while it is read, and that counts how often it was asked for more. */
function posted(pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void) {
  const state = { pulls: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      state.pulls++;
      pull(controller);
    },
    cancel: () => void (state.cancelled = true),
  }, { highWaterMark: 0 });
  return { state, request: post(body) };
}

function post(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request("http://127.0.0.1/", { method: "POST", body, headers });
}

Deno.test("readBody() stops at the cap, however much a sender without a declared length sends", async () => {
  const long: ReturnType<typeof posted> = posted((controller) => {
    if (long.state.pulls > 100) controller.close();
    else controller.enqueue(new Uint8Array(64 * KIB));
  });
  assertEquals(await readBody(long.request, limits), { is: "too_large" });
  assertEquals(long.state, { pulls: 17, cancelled: true });
});

Deno.test("readBody() refuses a declared length over the cap before it reads a byte", async () => {
  const { request, state } = posted((controller) => controller.enqueue(new Uint8Array(1)));
  const declared = new Request(request, { headers: { "content-length": `${1024 * KIB + 1}` } });
  assertEquals(await readBody(declared, limits), { is: "too_large" });
  assertEquals(state.pulls, 0);
});

Deno.test("readBody() takes exactly the cap and not one byte more", async () => {
  const sizeOf = async (size: number) => {
    const body = await readBody(post(new Uint8Array(size)), { maxBytes: 10, deadlineMs: 5000 });
    return body.is === "whole" ? body.bytes.length : body.is;
  };
  assertEquals([await sizeOf(10), await sizeOf(11)], [10, "too_large"]);
});

Deno.test("readBody() gives up on a sender that stops in the middle", async () => {
  let sent = 0;
  const stalling = posted((controller) => {
    if (sent++ === 0) controller.enqueue(new Uint8Array(2));
  });
  assertEquals(await readBody(stalling.request, { ...limits, deadlineMs: 20 }), { is: "too_slow" });
});

Deno.test("readBody() does not throw when the sender is gone before the end", async () => {
  const { request } = posted((controller) => controller.error(new Error("connection reset")));
  assertEquals(await readBody(request, limits), { is: "broken" });
});

Deno.test("readBody() keeps a zero byte and invalid UTF-8, and joins pieces in their order", async () => {
  const pieces = [[0x7b, 0x00], [0xff], [0xc3], [0xa9, 0x7d]].map((bytes) => new Uint8Array(bytes));
  const { request } = posted((controller) => {
    const next = pieces.shift();
    if (next) controller.enqueue(next);
    else controller.close();
  });
  const body = await readBody(request, limits);
  assert(body.is === "whole");
  assertEquals(body.bytes, new Uint8Array([0x7b, 0x00, 0xff, 0xc3, 0xa9, 0x7d]));
});

Deno.test("readBody() takes a request without a body as an empty one", async () => {
  assertEquals(await readBody(post(null), limits), { is: "whole", bytes: new Uint8Array() });
});

import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import {
  describeError,
  OutcomeUnknownError,
  PermanentError,
  TemporaryError,
} from "../../lib/base/errors.ts";
import { type Call, call } from "../../lib/outside/http.ts";
import { readRequest, serveHttp, serveRaw, write } from "./servers.ts";

const signal = new AbortController().signal;
const get = (url: URL, more: Partial<Call> = {}): Call => ({
  what: "try",
  url,
  signal,
  shadow: false,
  ...more,
});
const post = (url: URL, more: Partial<Call> = {}): Call =>
  get(url, { method: "POST", body: "once", ...more });

Deno.test("call() returns an answer of failure as it is, body included", async () => {
  await using server = serveHttp(() =>
    new Response("gone", { status: 410, headers: { "x-why": "a" } })
  );
  const answer = await call(get(server.url));
  assertEquals(answer.status, 410);
  assertEquals(answer.headers.get("x-why"), "a");
  assertEquals(new TextDecoder().decode(answer.body), "gone");
});

Deno.test("call() sends the method, the headers and the exact bytes", async () => {
  await using server = serveHttp(async (request) =>
    new Response(`${request.method} ${request.headers.get("x-a")} ${await request.text()}`)
  );
  const answer = await call(post(server.url, { headers: { "x-a": "b" }, body: "Жук 😀" }));
  assertEquals(new TextDecoder().decode(answer.body), "POST b Жук 😀");
});

Deno.test("json() takes a proxy's page for no JSON, and keeps every digit of a large integer", async () => {
  await using server = serveHttp(({ url }) =>
    new Response(url.endsWith("/page") ? "<html>" : '{"id":9007199254740993}')
  );
  assertEquals((await call(get(new URL("page", server.url)))).json(), undefined);
  assertEquals((await call(get(server.url))).json(), { id: "9007199254740993" });
});

Deno.test("call() reads no more of a body than its cap", async () => {
  await using server = serveHttp(() => new Response("x".repeat(100_000)));
  assertEquals((await call(get(server.url, { maxBodyBytes: 10 }))).body.length, 10);
});

Deno.test("call() never follows a redirect, not even to the same host", async () => {
  const paths: string[] = [];
  await using server = serveHttp(({ url }) => {
    paths.push(new URL(url).pathname);
    return new Response(null, { status: 307, headers: { location: "/other" } });
  });
  assertEquals((await call(post(server.url))).status, 307);
  assertEquals(paths, ["/"]);
});

Deno.test("call() leaks no socket over 1,000 large answers of failure, read to the end or not", async () => {
  const answer = `HTTP/1.1 500 Oops\r\ncontent-length: 100000\r\n\r\n${"x".repeat(100_000)}`;
  await using server = serveRaw(async (connection) => {
    while (await readRequest(connection) !== undefined) await write(connection, answer);
  });
  for (let left = 1_000; left > 0; left--) {
    await call(post(server.url, { maxBodyBytes: left % 2 ? 1_000 : 200_000 }));
  }
  assert(server.peak < 10, `${server.peak} sockets were open at once`);
});

Deno.test("call() never lets the runtime send a POST twice when a kept connection is dropped", async () => {
  const bodies: string[] = [];
  await using server = serveRaw(async (connection) => {
    for (;;) {
      const request = await readRequest(connection);
      if (request === undefined) return;
      bodies.push(request.slice(-4));
      if (bodies.length > 1) return;
      await write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    }
  });
  await call(post(server.url));
  await assertRejects(() => call(post(server.url)), OutcomeUnknownError);
  assertEquals(bodies, ["once", "once"]);
});

Deno.test("call() gives up at its deadline when no answer comes", async () => {
  await using server = serveRaw(readForever);
  await assertRejects(
    () => call(get(server.url, { deadlineSeconds: 0.1 })),
    TemporaryError,
    "no whole answer in 0.1 s",
  );
});

Deno.test("call() gives up at its deadline when the answer stops in the middle of its body (rule 14)", async () => {
  await using server = serveRaw(async (connection) => {
    await readRequest(connection);
    await write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc");
    await readForever(connection);
  });
  await assertRejects(
    () => call(get(server.url, { deadlineSeconds: 0.1 })),
    TemporaryError,
    "no whole answer in 0.1 s",
  );
});

Deno.test("call() keeps the status of a refusal whose body broke off", async () => {
  await using server = serveRaw(async (connection) => {
    await readRequest(connection);
    await write(connection, "HTTP/1.1 403 No\r\ncontent-length: 100\r\n\r\nabc");
  });
  assertEquals((await call(post(server.url))).status, 403);
});

Deno.test("call() does not know what came of a POST whose answer was lost, in whatever way", async () => {
  const losses: Record<string, (connection: Deno.Conn) => Promise<unknown>> = {
    "dropped at once": () => Promise.resolve(),
    "dropped after the request": readRequest,
    "broken off in the body": async (connection) => {
      await readRequest(connection);
      await write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc");
    },
    "answered with what is not HTTP": async (connection) => {
      await readRequest(connection);
      await write(connection, "hello\r\n\r\n");
    },
    "never answered": readForever,
  };
  for (const [loss, serve] of Object.entries(losses)) {
    await using server = serveRaw(serve);
    const options = { deadlineSeconds: 0.2 };
    await assertRejects(() => call(post(server.url, options)), OutcomeUnknownError, "", loss);
    const harmless = post(server.url, { ...options, idempotent: true });
    await assertRejects(() => call(harmless), TemporaryError, "", loss);
    await assertRejects(() => call(get(server.url, options)), TemporaryError, "", loss);
  }
});

Deno.test("call() knows that a POST did nothing when there was no connection to send it on", async () => {
  await assertRejects(() => call(post(closedPort())), TemporaryError, "refused");
  await using server = serveRaw((connection) => write(connection, "this is not TLS\r\n"));
  const tls = new URL(server.url.href.replace("http:", "https:"));
  await assertRejects(() => call(post(tls)), TemporaryError, "InvalidContentType");
});

Deno.test("call() sends nothing when its signal was aborted before", async () => {
  await using server = serveRaw(readForever);
  const request = post(server.url, { signal: AbortSignal.abort() });
  await assertRejects(() => call(request), TemporaryError, "aborted before it began");
  assertEquals(server.peak, 0);
});

Deno.test("call() ends at once when its signal is aborted, and does not claim that nothing happened", async () => {
  const job = new AbortController();
  await using server = serveRaw(async (connection) => {
    await readRequest(connection);
    job.abort();
    await readForever(connection);
  });
  const request = post(server.url, { signal: job.signal });
  await assertRejects(() => call(request), OutcomeUnknownError, "the call was aborted");
});

Deno.test("A signal that fires after the call has ended harms nothing", async () => {
  const job = new AbortController();
  await using server = serveHttp(() => new Response("in time"));
  const answer = await call(get(server.url, { signal: job.signal }));
  job.abort(new Error("too late"));
  await new Promise((turn) => setTimeout(turn, 0));
  assertEquals(answer.body.length, 7);
});

Deno.test("No error of call() shows the path or the query, which may hold a token", async () => {
  await using dropping = serveRaw(readRequest);
  const addresses = [
    new URL("/bot1:TOKEN/x?key=TOKEN", closedPort()),
    new URL("/bot1:TOKEN/x?key=TOKEN", dropping.url),
    new URL("http://host.invalid/bot1:TOKEN/x?key=TOKEN"),
  ];
  for (const url of addresses) {
    for (const request of [get(url), post(url)]) {
      const error = await assertRejects(() => call(request));
      assertInstanceOf(error, Error);
      assert(!`${describeError(error)}${error.stack}`.includes("TOKEN"), describeError(error));
      assert(error.message.includes(url.host), error.message);
    }
  }
});

async function readForever(connection: Deno.Conn): Promise<void> {
  while (await readRequest(connection) !== undefined);
}

function closedPort(): URL {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return new URL(`http://127.0.0.1:${port}/`);
}

Deno.test("In shadow call() sends nothing that could change the other side, but reads and what reads need", async () => {
  const methods: string[] = [];
  await using server = serveHttp(({ method }) => {
    methods.push(method);
    return new Response();
  });
  const shadow = true;
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const request = get(server.url, { method, shadow, idempotent: true });
    await assertRejects(() => call(request), PermanentError, "in shadow");
  }
  await assertRejects(() => call(get(server.url, { shadow, reads: false })), PermanentError);
  assertEquals(methods, []);
  await call(get(server.url, { shadow }));
  await call(post(server.url, { shadow, reads: true }));
  assertEquals(methods, ["GET", "POST"]);
});

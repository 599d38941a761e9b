import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { OutcomeUnknownError } from "../../lib/base/errors.ts";
import { Stop } from "../../lib/base/stop.ts";
import type { AnyHandler, Job } from "../../lib/contract.ts";
import { execute, StoppedError } from "../../lib/flow/execute.ts";
import { testApp } from "../support/app.ts";
import { handlerOf, type RunContext } from "../support/jobs.ts";

// Nothing listens there, and no handler here asks the database.
const URL_OF_NOBODY = "postgres://nobody@127.0.0.1:1/nothing";

Deno.test("what a handler says is kept, and nothing is fine too", async () => {
  assertEquals(await ending(handlerOf(() => Promise.resolve({ result: "well" }))), {
    is: "done",
    result: "well",
  });
  assertEquals(await ending(handlerOf(() => Promise.resolve())), { is: "done", result: undefined });
});

for (const thrown of [new Error("boom"), "a text", undefined, null, { code: 5 }]) {
  Deno.test(`whatever is thrown ends the attempt: ${Deno.inspect(thrown).slice(0, 20)}`, async () => {
    assertEquals(await ending(handlerOf(() => Promise.reject(thrown))), {
      is: "threw",
      error: thrown,
    });
  });
}

Deno.test("a handler that throws before its first await ends its attempt like any other", async () => {
  const error = new Error("at once");
  const handler = handlerOf(() => {
    throw error;
  });
  assertEquals(await ending(handler), { is: "threw", error });
});

Deno.test("a payload that does not fit never reaches the handler", async () => {
  const handler = handlerOf(() => Promise.reject(new Error("must not run")));
  const end = await ending(handler, { payload: '{"a":1' });
  assertEquals(end?.is, "bad_payload");
});

Deno.test("a payload nested a hundred thousand levels deep ends its own attempt only", async () => {
  const payload = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const handler = handlerOf(() => Promise.resolve());
  assert(["done", "bad_payload"].includes((await ending(handler, { payload }))!.is));
});

Deno.test("a client that cannot be made ends the attempt, or the job would hang until its lease ends", async () => {
  const broken = {
    settings: {},
    create() {
      throw new Error("no client");
    },
  };
  const handler = { ...handlerOf(() => Promise.resolve()), clients: { broken } };
  const end = await ending(handler);
  assertEquals(end?.is, "threw");
});

Deno.test("a handler over its deadline is aborted, and is over even when it ignores that (rule 8)", async () => {
  const gate = Promise.withResolvers<void>();
  let reason: unknown;
  const handler = handlerOf(async (_, { signal }) => {
    signal.addEventListener("abort", () => reason = signal.reason);
    await gate.promise;
  }, { timeoutSeconds: 0.02 });
  const run = start(handler);
  assertEquals(await run.ending, { is: "timeout", seconds: 0.02 });
  assertInstanceOf(reason, StoppedError);
  let settled = false;
  run.settled.then(() => settled = true);
  await Promise.resolve();
  assertEquals(settled, false, "its own promise goes on");
  gate.resolve();
  await run.settled;
});

Deno.test("what a handler throws because it was stopped is a deadline, not an error of its own", async () => {
  const handler = handlerOf(
    (_, { signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("aborted")))
      ),
    { timeoutSeconds: 0.02 },
  );
  assertEquals(await ending(handler), { is: "timeout", seconds: 0.02 });
});

Deno.test("a call cut off by the stop may have taken effect: the job is not run again", async () => {
  for (const why of ["deadline", "shutdown"] as const) {
    const error = new OutcomeUnknownError("sent?");
    const stop = new Stop();
    const handler = handlerOf((_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(error)))
    );
    const run = start(handler, {}, stop);
    stop.now(new StoppedError(why));
    assertEquals(await run.ending, { is: "threw", error });
  }
});

Deno.test("a shutdown interrupts, and a lost lease leaves nothing to say", async () => {
  for (
    const [why, end] of [["shutdown", { is: "interrupted" }], ["lease_lost", undefined]] as const
  ) {
    const stop = new Stop();
    const run = start(handlerOf((_, { signal }) => untilAborted(signal)), {}, stop);
    stop.now(new StoppedError(why));
    assertEquals(await run.ending, end);
    await run.settled;
  }
});

Deno.test("a job that was stopped before its start is not started", async () => {
  const stop = new Stop();
  stop.now(new StoppedError("shutdown"));
  const handler = handlerOf(() => Promise.reject(new Error("must not run")));
  assertEquals(await start(handler, {}, stop).ending, { is: "interrupted" });
});

Deno.test("what a handler leaves behind ends with its run: its context is stopped when it returns", async () => {
  let context: RunContext | undefined;
  const handler = handlerOf((_, given) => {
    context = given;
    return Promise.resolve();
  });
  await ending(handler);
  assert(context!.signal.aborted);
});

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

function ending(handler: AnyHandler, job: Partial<Job> = {}) {
  return start(handler, job).ending;
}

function start(handler: AnyHandler, job: Partial<Job> = {}, stop = new Stop()) {
  const app = testApp({ url: URL_OF_NOBODY, handlers: [handler] });
  return execute(app, { ...JOB, ...job }, stop);
}

const JOB: Job = {
  id: "1",
  kind: "work",
  payload: "{}",
  eventId: null,
  key: null,
  attempts: 1,
  maxAttempts: 8,
  claims: 1,
  lost: 0,
  pauses: 0,
  heldSeconds: 0,
};

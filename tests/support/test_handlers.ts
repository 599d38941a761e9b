/** Handlers that behave as badly as real ones do now and then; each writes down that it has begun. */

import * as z from "zod";
import { PermanentError } from "../../lib/base/errors.ts";
import { sleep } from "../../lib/base/repeat.ts";
import type { AnyHandler, Result } from "../../lib/contract.ts";
import { defineHandler } from "../../lib/define.ts";
import { thing } from "./things.ts";

const payload = z.object({ seconds: z.number().default(0) });

type Work = (ms: number, signal: AbortSignal) => void | Promise<void>;

/** The handlers of the tests' worker, by what they do: their jobs' `seconds` say for how long. */
export const testHandlers: readonly AnyHandler[] = [
  handler("wait", (ms, signal) => sleep(ms, signal)),
  handler("ignore_signal", (ms) => sleep(ms)),
  handler("busy", busy),
  handler("fail", () => {
    throw new PermanentError("Cannot do it: it was made to fail");
  }),
  handler("stray_rejection", () => void Promise.reject(new Error("nobody awaits this"))),
  handler("exit", () => Deno.exit(1)),
  handler("allocate", allocate),
  createThings(),
];

/** Creates the things of some keys in the world of the tests, one after the other. */
function createThings(): AnyHandler {
  return defineHandler({
    kind: "create_things",
    payload: z.object({ things: z.string(), keys: z.array(z.string()) }),
    async run({ things, keys }, context) {
      for (const key of keys) {
        await context.effect(key, thing(new URL(key, things), context, { deadlineSeconds: 0.6 }));
      }
    },
  });
}

function handler(kind: string, work: Work): AnyHandler {
  return defineHandler({
    kind,
    payload,
    async run({ seconds }, { job, sql, signal }): Promise<Result> {
      await sql`insert into runs (job) values (${job.id})`;
      await work(seconds * 1000, signal);
      return { result: `done by ${Deno.pid}` };
    },
  });
}

function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Ends the process once its heap is full. */
function allocate(): void {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 1000 }, Math.random));
}

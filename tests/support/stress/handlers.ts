/** The kinds of the stress runs: a job's payload says how it behaves, and its handler notes by itself when it ran. */

import * as z from "zod";
import { PermanentError, TemporaryError } from "../../../lib/base/errors.ts";
import { sleep } from "../../../lib/base/repeat.ts";
import type { AnyHandler } from "../../../lib/contract.ts";
import { defineClient, defineHandler } from "../../../lib/define.ts";
import { thing } from "../things.ts";

/** Beyond the deadline of `stress.short`, and so short that a stop does not wait for it for long. */
const HANG_MS = 3000;

/** How a job behaves. A count of claims stands for "until an operator gives it another chance, or a worker died of it". */
const behaviour = z.strictObject({
  ms: z.number().default(0),
  /** So many attempts fail, and may be tried again. */
  temporary: z.number().default(0),
  /** So many claims fail for good. */
  permanent: z.number().default(0),
  /** So many claims do not end, and do not listen when they are told to. */
  hang: z.number().default(0),
  /** So many claims end their process. */
  exit: z.number().default(0),
  /** So many jobs are made, each with a key of its own. */
  children: z.number().default(0),
  /** So many claims are told by the outside that everybody is to pause. */
  pauses: z.number().default(0),
  /** The address of something that is created, by the key of this name. */
  thing: z.string().optional(),
});
/** What a payload of the stress runs may hold. */
export type Behaviour = z.input<typeof behaviour>;

/** The kinds whose waiting jobs let the others of their entity go on. */
export const ASIDE_KINDS: readonly string[] = ["stress.aside"];

/** The key of the nth job that a job makes. */
export const childKey = (job: string | number, n: number): string => `child:${job}:${n}`;

/** The lane of `stress.in_lane`. */
const LANE = "stress";
const PAUSE_SECONDS = 0.3;

const service = defineClient({ settings: {}, create: (_, { lanes }) => lanes });

/** The handlers of the stress runs. */
export const stressHandlers: readonly AnyHandler[] = [
  handler("stress.in_lane", { lane: LANE }),
  handler("stress.plain"),
  handler("stress.other"),
  handler("stress.short", { timeoutSeconds: 1 }),
  handler(ASIDE_KINDS[0]!, { stepsAside: true }),
];

function handler(
  kind: string,
  options: { timeoutSeconds?: number; stepsAside?: boolean; lane?: string } = {},
): AnyHandler {
  return defineHandler({
    kind,
    payload: behaviour,
    ...options,
    clients: { service },
    async run({ ms, children, thing: url, ...bad }, context) {
      const { job, sql, signal, clients } = context;
      await sql`insert into stress_runs (job, claim) values (${job.id}, ${job.claims})`;
      if (job.claims <= bad.exit) Deno.exit(1);
      if (job.claims <= bad.hang) await sleep(HANG_MS);
      await sleep(ms, signal);
      if (job.claims <= bad.permanent) throw new PermanentError("Cannot do it: never");
      if (job.attempts <= bad.temporary) throw new TemporaryError("Cannot do it: not yet", 1);
      if (options.lane) await clients.service.through(LANE, () => call(job.claims <= bad.pauses));
      for (let child = 0; child < children; child++) {
        await context.enqueue({ kind: "stress.plain", key: childKey(job.id, child) });
      }
      if (url !== undefined) await context.effect(url, thing(new URL(url), context));
      await sql`
        update stress_runs set ended = clock_timestamp() where job = ${job.id} and claim = ${job.claims}
      `;
    },
  });
}

async function call(busy: boolean): Promise<void> {
  if (busy) throw new TemporaryError("Cannot call: too many", PAUSE_SECONDS, { lane: LANE });
  await Promise.resolve();
}

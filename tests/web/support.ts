/** A receiver for tests: a real source with real signatures, and an intake that remembers. */

import { createHmac } from "node:crypto";
import type { Delivery, Source } from "../../lib/contract.ts";
import { hmacProof, secretPathProof } from "../../lib/base/proof.ts";
import type { DeliveryRow, Stored } from "../../lib/db/events.ts";
import type { Intake } from "../../lib/flow/intake.ts";
import { createHandler, type RequestHandler } from "../../lib/web/routes.ts";
import type { Receiving } from "../../lib/web/hook.ts";
import { type TestApp, testApp, type TestAppOptions } from "../support/app.ts";

/** The key with which the test's source signs. */
export const SECRET = "the key of the tests";
/** With what the path of the test's secretive source ends. */
export const SECRET_PATH = "0123456789abcdefghijABCDEFGHIJ_-";

/** A sender whose deliveries carry an HMAC of the body, its `id` as the repeat's mark, and one job each. */
export const signing: Source = {
  secretHeaders: ["x-signature"],
  verify: ({ body, headers }) =>
    hmacProof({ body, signature: headers.get("x-signature"), secrets: [SECRET] }),
  dedupKey: (delivery) => (delivery.json() as { id?: string }).id,
  route: () => [{ kind: "note" }],
  sample: () => ({ headers: {}, body: "{}" }),
};

/** The same sender with other habits. */
export function signingWith(changes: Partial<Source>): Source {
  return { ...signing, ...changes };
}

/** A sender whose proof is the end of the path. */
export const secretive: Source = signingWith({
  secretInPath: true,
  verify: ({ pathSecret }) => secretPathProof(pathSecret, [SECRET_PATH]),
});

/** The headers of a delivery that its sender can prove. */
export function signed(body: string | Uint8Array): Record<string, string> {
  return { "x-signature": createHmac("sha256", SECRET).update(body).digest("hex") };
}

/** The one kind that the source makes. */
export const note = {
  kind: "note",
  payload: undefined as never,
  settings: {},
  clients: {},
  run: () => Promise.resolve(),
};

/** What a test may choose. */
export interface TestReceiverOptions extends Partial<TestAppOptions> {
  readonly source?: Source;
  readonly bodyDeadlineMs?: number;
  isDraining?(): boolean;
  /** Stores a delivery; the real way into the database when absent and a database is given. */
  store?(delivery: DeliveryRow): Promise<Stored>;
}

/** A receiver without a socket. */
export interface TestReceiver extends AsyncDisposable {
  readonly app: TestApp;
  readonly handler: RequestHandler;
  /** What was stored. */
  readonly stored: DeliveryRow[];
  /** Why deliveries were refused, for the operator. */
  readonly refusals: string[];
  /** Sends a request to the handler, as if from the network. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Makes a receiver whose database cannot be reached, so that a test sees what does not need one. */
export function testReceiver(options: TestReceiverOptions = {}): TestReceiver {
  const stored: DeliveryRow[] = [];
  const refusals: string[] = [];
  const app = testApp({
    url: "postgres://nobody@127.0.0.1:1/nothing",
    sources: { signing: options.source ?? signing },
    handlers: [note],
    ...options,
  });
  const intake: Intake = {
    store(delivery) {
      stored.push(delivery);
      const first = { id: `${stored.length}`, jobs: delivery.jobs.length };
      return options.store?.(delivery) ?? Promise.resolve(first);
    },
    idle: () => Promise.resolve(),
  };
  const receiving: Receiving = {
    app,
    intake,
    proofs: { proven() {}, refused: (_source, why) => void refusals.push(why) },
    bodyDeadlineMs: options.bodyDeadlineMs,
    isDraining: options.isDraining,
  };
  const handler = createHandler(receiving);
  return {
    app,
    handler,
    stored,
    refusals,
    fetch: (path, init) => handler(new Request(`http://127.0.0.1${path}`, init), PEER),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const PEER: Deno.ServeHandlerInfo<Deno.NetAddr> = {
  remoteAddr: { transport: "tcp", hostname: "192.0.2.7", port: 4711 },
  completed: Promise.resolve(),
};

/** What a source saw of the deliveries that were given to it. */
export function recording(): { source: Source; seen: Delivery[] } {
  const seen: Delivery[] = [];
  const verify = (delivery: Delivery) => {
    seen.push(delivery);
    return signing.verify(delivery);
  };
  return { source: signingWith({ verify }), seen };
}

/**
 * The language of Hookwork: every noun of the system.
 * @module
 */
import type postgres from "postgres";
import type { ZodType } from "zod";
import type { Effect } from "./effect.ts";
import type { Gaps, Lanes, Log } from "./ports.ts";
import type { Settings, SettingValues } from "./setting.ts";

export type { Effect, EffectCall, EffectState } from "./effect.ts";
export type { AlertOutcome, Alerts, Gap, Gaps, Lanes, Log } from "./ports.ts";

/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** A JSON object: the form of every payload. What is undefined is left out. */
export type JsonObject = { [name: string]: Json | undefined };
/** A zod schema that yields a `T`. */
export type Schema<T> = ZodType<T>;

/** One request as it came in: the bytes are what the sender signed. */
export interface Delivery {
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly url: URL;
  /** What followed the source's name in the path, for `verify` only: `url` has `***` instead. */
  readonly pathSecret?: string;
  /** Address of the sender; of the proxy, where TRUSTED_PROXIES does not name it. */
  readonly remote: string;
  /** The body as UTF-8; throws when it is not. */
  text(): string;
  /** The body as JSON; integers beyond 2^53 become strings with their exact digits. Throws when it is not JSON. */
  json(): unknown;
}

/** Whether a request is really from its sender: which of the configured secrets matched, or why none did. */
export type Proof =
  | { readonly ok: true; readonly secret: number }
  | { readonly ok: false; readonly why: string };

/** What became of a delivery. Ids are bigint in the database and strings of digits here. */
export type Outcome =
  | {
    readonly duplicate: false;
    readonly id: string;
    readonly jobs: number;
    readonly error?: string;
  }
  | { readonly duplicate: true; readonly id?: string };

/** A sender: how to prove that a request is theirs, what marks a repeat, which jobs follow. */
export interface Source {
  /** Headers that carry the proof; removed before the event is stored. */
  readonly secretHeaders: readonly string[];
  /** Whether the proof is the end of the path, `/hooks/<name>/<secret>`: for senders that know no other. */
  readonly secretInPath?: boolean;
  /** The largest body taken, in bytes; 1 MiB when absent. */
  readonly maxBodyBytes?: number;
  /** Is it really from this sender? Compares in constant time and never throws. */
  verify(delivery: Delivery): Proof | Promise<Proof>;
  /** The sender's id of the event; a repeat carries the same. When it throws, the event is kept with that error. */
  dedupKey(delivery: Delivery): string | undefined;
  /** The jobs that follow. When it throws, the event is kept without jobs. */
  route(delivery: Delivery): NewJob[];
  /** What this sender wants to hear; 202 with JSON when absent. */
  accepted?(delivery: Delivery, outcome: Outcome): Response;
  /** A delivery with its proof, to try the whole way with. */
  sample(): { headers: Record<string, string>; body: string; pathSecret?: string };
}

/** A source before it has its settings: one file in `lib/sources/`, one line in the registry. */
export interface SourceDefinition<S extends Settings = Settings> {
  /** Its address: `/hooks/<name>`. */
  readonly name: string;
  readonly settings: S;
  /** The setting that switches it on: where that is not set, it is left out, and none of its settings is asked for. */
  readonly onlyWith?: string;
  create(settings: SettingValues<S>): Source;
}

/** A job to be made. */
export interface NewJob {
  readonly kind: string;
  readonly payload?: JsonObject;
  /** What must happen once for good: a second job with this key is not made. */
  readonly key?: string;
  /** Not before this instant. */
  readonly runAt?: Date;
  /** Not before this many seconds have passed, by the database's clock. */
  readonly delaySeconds?: number;
  /** 0 goes first; 1 when absent. */
  readonly priority?: 0 | 1 | 2 | 3;
  /** How often it is tried; 8 when absent. */
  readonly maxAttempts?: number;
  /** What is worked on one job at a time, in the order of their making: `lead:31700412:4521`. */
  readonly entity?: string;
  /** An entity whose newest due job makes the older ones that were never begun pointless: they become `superseded`. */
  readonly collapse?: string;
}

/** The states of a job. A retry is `pending` with a later `run_at`. */
export type Status = "pending" | "running" | "done" | "failed" | "superseded";
/** Why a job was given up. */
export type Reason =
  | "permanent"
  | "exhausted"
  | "timeout"
  | "worker_lost"
  | "bad_payload"
  | "outcome_unknown"
  | "cancelled";

/** A job as its handler sees it: one claim of it. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  /** JSON text, exactly as stored. */
  readonly payload: string;
  readonly eventId: string | null;
  readonly key: string | null;
  /** The number of this attempt, from 1. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** The fence: only the claim with this number may settle the job. */
  readonly claims: number;
  /** How often a worker died with it. */
  readonly lost: number;
  /** Pauses of a lane in a row that its own calls have caused. */
  readonly pauses: number;
  /** How long lanes have held it without its coming to an end. */
  readonly heldSeconds: number;
}

/** One stored delivery. Never changed. */
export interface Event {
  readonly id: string;
  readonly source: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly receivedAt: Date;
}

/** What a handler may say of its work: a short sentence kept with the job, for instance "no longer needed". */
export interface Result {
  readonly result: string;
}

/** What a client of an outside service is given by the job that uses it. */
export interface ClientContext {
  /** Ends every call: aborted at the job's deadline, when its lease is lost, and at shutdown. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Whether the kind runs in shadow: every call but reads is refused. Hand it on to `call()`. */
  readonly shadow: boolean;
  readonly lanes: Lanes;
  /** For what the client must remember, such as tokens. No stop ends it: what has been received is to be saved. */
  readonly sql: postgres.Sql;
}

/** A client of an outside service before it has its settings: one file in `lib/outside/`. */
export interface ClientDefinition<C, S extends Settings = Settings> {
  readonly settings: S;
  create(settings: SettingValues<S>, context: ClientContext): C;
}
// deno-lint-ignore no-explicit-any -- clients of different types
export type ClientDefinitions = Record<string, ClientDefinition<any, any>>;
/** The clients that a record of definitions yields. */
export type Clients<D extends ClientDefinitions> = {
  readonly [N in keyof D]: D[N] extends ClientDefinition<infer C, infer _> ? C : never;
};

/** All that a handler may ask for. After its deadline or a lost lease every call on it throws. */
export interface JobContext<D extends ClientDefinitions, S extends Settings> {
  readonly job: Job;
  /** Aborted at the deadline, when the lease is lost, and at shutdown. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly sql: postgres.Sql;
  readonly settings: SettingValues<S>;
  readonly clients: Clients<D>;
  /** Whether SHADOW_KINDS names the kind: rows, files and numbers of the handler's own are then not to be made. */
  readonly shadow: boolean;
  /** The event from which the job grew; undefined for jobs of schedules. */
  event(): Promise<Event | undefined>;
  /**
   * Makes a job of the same event; its id, or undefined when its key is taken. In shadow it makes jobs only of kinds that are
   * in shadow too, and gives undefined for the others.
   */
  enqueue(job: NewJob): Promise<string | undefined>;
  /** When the newest job of an entity, or of a collapse key, was made, as far as retention has left it. */
  newestJob(entity: string): Promise<Date | undefined>;
  readonly gaps: Gaps;
  /** Creates something in the outside world, once for the key; its reference, or undefined in shadow. */
  effect(key: string, effect: Effect): Promise<string | undefined>;
}

/** The function that does the work of one kind: one file in `lib/handlers/`, one line in the registry. */
export interface Handler<
  P = unknown,
  D extends ClientDefinitions = ClientDefinitions,
  S extends Settings = Settings,
> {
  readonly kind: string;
  /** A payload that does not fit is a permanent failure. */
  readonly payload: Schema<P>;
  readonly settings: S;
  readonly clients: D;
  /** As a source's; its schedules are left out with it. */
  readonly onlyWith?: string;
  /** The outside service without which no job of the kind can do anything: while it is paused, none is begun. */
  readonly lane?: string;
  /** The deadline of one attempt; 60 when absent. */
  readonly timeoutSeconds?: number;
  /** How long a claim holds without renewal; LEASE_SECONDS when absent. */
  readonly leaseSeconds?: number;
  /** Whether a job that waits for its next attempt lets the other jobs of its entity go on. */
  readonly stepsAside?: boolean;
  run(payload: P, context: JobContext<D, S>): Promise<void | Result>;
}

/** When a schedule falls due. */
export type Timing =
  | { readonly everyMinutes: number }
  /** `HH:MM` on each local date of an IANA time zone. */
  | { readonly dailyAt: string; readonly timeZone?: string }
  /** Five fields of cron. */
  | { readonly cron: string; readonly timeZone?: string };

// deno-lint-ignore no-explicit-any -- handlers of different payloads, clients and settings
export type AnyHandler = Handler<any, any, any>;

/** A kind that is enqueued by itself, once a slot. Its job's payload is `{ slot, late }`. */
export type Schedule = Timing & { readonly name: string; readonly kind: string };

/** All sources, handlers and schedules of a process, ready for use. */
export interface Registry {
  readonly sources: ReadonlyMap<string, Source>;
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  readonly schedules: readonly Schedule[];
}

/**
 * Reads what is typed after a command; whatever does not fit is an error of usage.
 * @module
 */
import { Argument, InvalidArgumentError, Option } from "commander";
import { storableText } from "../base/text.ts";
import type { EffectState, Status } from "../contract.ts";

/** Postgres' largest bigint. */
const MAX_ID = 2n ** 63n - 1n;
const MAX_ROWS = 1000;
const STATUSES = [
  "pending",
  "running",
  "done",
  "failed",
  "superseded",
] as const satisfies readonly Status[];

const EFFECT_STATES = ["intended", "done", "planned"] as const satisfies readonly EffectState[];
const MAX_REFERENCE_UNITS = 1000;

/** The id of a job or an event. */
export function parseId(text: string): string {
  const id = /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  if (id >= 1n && id <= MAX_ID) return String(id);
  throw new InvalidArgumentError(
    `An id is a whole number from 1 to ${MAX_ID}; \`hookwork jobs\` and \`hookwork events\` list them.`,
  );
}

/** An address that Telegram may call. */
export function parseHttpsUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:") return url.href;
  throw new InvalidArgumentError("Telegram calls addresses that begin with https:// only.");
}

/** The address of the hook of amoCRM; the secret is added to it, so that nobody has to type that. */
export function parseAmocrmHookUrl(text: string): string {
  const url = URL.parse(text);
  const isHook = url !== null && /^https?:$/.test(url.protocol) && url.search === "" &&
    /\/hooks\/amocrm\/?$/.test(url.pathname);
  if (isHook) return url.href;
  throw new InvalidArgumentError(
    "The address is https://<your domain>/hooks/amocrm, without the secret.",
  );
}

/** An address of the receiver. */
export function parseHttpUrl(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new InvalidArgumentError("An address begins with http:// or https://.");
}

function parseReference(text: string): string {
  const isOption = text.startsWith("--");
  if (!isOption && text.trim() !== "" && storableText(text, MAX_REFERENCE_UNITS) === text) {
    return text;
  }
  throw new InvalidArgumentError(
    "A reference is what the outside world calls it, up to 1,000 characters.",
  );
}

function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_ROWS) return limit;
  throw new InvalidArgumentError(`A limit is a whole number from 1 to ${MAX_ROWS}.`);
}

/** How many rows are listed at most. */
export const limitOption = (): Option =>
  new Option("--limit <n>", "how many at most").argParser(parseLimit).default(20);
/** Only jobs, or what else is listed, of one kind. */
export const kindOption = (what = "jobs"): Option =>
  new Option("--kind <kind>", `only ${what} of this kind`);
/** Only jobs in one state. */
export const statusOption = (): Option =>
  new Option("--status <status>", "only jobs in this state").choices(STATUSES);
/** Only effects in one state. */
export const effectStateOption = (): Option =>
  new Option("--state <state>", "only effects in this state").choices(EFFECT_STATES);
/** What is done with a lane. */
export const laneAction = (): Argument =>
  new Argument("[action]", "what to do").choices(["pause", "resume"]);
/** Only planned effects. */
export const plannedOption = (): Option =>
  new Option("--planned", "only what would have been created outside of shadow").conflicts("state");
/** A person's word that an effect is there. */
export const happenedOption = (): Option =>
  new Option("--happened <reference>", "it is there, and this is what it is called there")
    .argParser(parseReference).conflicts("didNotHappen");
/** A person's word that an effect is not there. */
export const didNotHappenOption = (): Option =>
  new Option("--did-not-happen", "it is not there: the next attempt creates it");

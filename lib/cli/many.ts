/**
 * What commands have in common that may change much at once: how the many are chosen, at which rate, and who agrees to it.
 * @module
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import { RefusedError } from "../base/errors.ts";
import type { Reason } from "../contract.ts";
import type { Host } from "./host.ts";
import { timeZoneOf } from "./output.ts";
import { readTime } from "./time.ts";

const REASONS = [
  "permanent",
  "exhausted",
  "timeout",
  "worker_lost",
  "bad_payload",
  "outcome_unknown",
  "cancelled",
] as const satisfies readonly Reason[];
/** So slow that one worker keeps up and fresh work is not held up. */
const PER_SECOND = 10;
const MAX_PER_SECOND = 1000;

function parseRate(text: string): number {
  const rate = Number(text);
  if (/^[\d.]+$/.test(text) && rate > 0 && rate <= MAX_PER_SECOND) return rate;
  throw new InvalidArgumentError(`A rate is a number above 0, at most ${MAX_PER_SECOND}.`);
}

/** How many a second. */
export const rateOption = (what: string): Option =>
  new Option("--rate <n>", `how many ${what} a second`).argParser(parseRate).default(PER_SECOND);
/** Only jobs that were given up for one reason. */
export const reasonOption = (): Option =>
  new Option("--reason <reason>", "only jobs given up for this reason").choices(REASONS);
/** Consent beforehand. */
export const yesOption = (): Option => new Option("--yes", "do not ask");
/** An instant. */
export const timeOption = (host: Host, flag: string, about: string): Option =>
  new Option(`${flag} <time>`, about).argParser((text) => {
    const time = readTime(text, host.now(), timeZoneOf(host));
    if (time) return time;
    throw new InvalidArgumentError(
      "A time is a span before now such as 90m, 2h or 3d, or a date such as 2026-03-01 or 2026-03-01T09:05.",
    );
  });

/**
 * Whether a command is about many and not about one: then it needs all options of `needed`. Ends with an error of usage when
 * the command line says neither or both; `also` names what else makes sense for many only.
 */
export function isAboutMany(
  command: Command,
  id: string | undefined,
  needed: readonly string[],
  also: readonly string[],
): boolean {
  const isGiven = (name: string) => command.getOptionValueSource(name) === "cli";
  const flagOf = (name: string) =>
    command.options.find((option) => option.attributeName() === name)!.long!;
  const flags = needed.map(flagOf).join(" and ");
  if (id === undefined) {
    if (needed.every(isGiven)) return true;
    command.error(`error: give one id, or ${flags} for many`);
  }
  const stray = [...needed, ...also].find(isGiven);
  if (stray === undefined) return false;
  command.error(`error: ${flagOf(stray)} is for many; give it with ${flags}, and no id`);
}

/** Asks before much is changed; throws when nobody agrees. */
export type Agree = (question: string) => void;

/** Asks the host's person, unless `--yes` was given. Where there is none, that is an error of usage. */
export function agreement(host: Host, command: Command): Agree {
  return (question) => {
    if (command.opts<{ yes?: boolean }>().yes) return;
    const answer = host.confirm(`${question} Go on?`);
    if (answer === undefined) {
      command.error(`${question}\nerror: there is no terminal to ask on; add --yes to go on`);
    }
    if (!answer) throw new RefusedError("Nothing was changed: the answer was not yes");
  };
}

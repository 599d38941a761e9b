/**
 * What the doctor says of one thing.
 * @module
 */
import type { Config } from "../base/config.ts";

/** `look`: a person should look at it some time. `bad`: work stands still, or soon will. */
export type Level = "ok" | "look" | "bad";

/** How one thing is. */
export interface Finding {
  readonly level: Level;
  /** What was looked at, in a word or two. */
  readonly part: string;
  readonly detail: string;
  /** What helps; absent when all is well. */
  readonly remedy?: string;
}

/** What the judgement needs of the configuration. */
export type Limits = Pick<
  Config,
  "BACKUP_ALERT_HOURS" | "DB_POOLER" | "OLDEST_DUE_ALERT_MINUTES"
>;

/** Makes the findings about one thing. */
export function judging(part: string) {
  return {
    ok: (detail: string): Finding => ({ level: "ok", part, detail }),
    look: (detail: string, remedy: string): Finding => ({ level: "look", part, detail, remedy }),
    bad: (detail: string, remedy: string): Finding => ({ level: "bad", part, detail, remedy }),
  };
}

/**
 * What a part of the system needs of the environment.
 * @module
 */
import type { ZodType } from "zod";

/** One environment variable that a part of the system needs. */
export interface Setting<T> {
  /** Reads the variable's text; its messages must never repeat the value. */
  readonly schema: ZodType<T>;
  /** What it is for, in one sentence: shown in `.env.example` and in error messages. */
  readonly about: string;
  /** Its default or a harmless sample, as written in `.env.example`. */
  readonly example: string;
  /** Values of secret settings are removed from logs, errors and rows. */
  readonly secret: boolean;
}
/** Settings by the name of their environment variable. */
// deno-lint-ignore no-explicit-any -- a record of settings of different types
export type Settings = Record<string, Setting<any>>;
/** The values that a record of settings yields. */
export type SettingValues<S extends Settings> = {
  readonly [N in keyof S]: S[N] extends Setting<infer T> ? T : never;
};

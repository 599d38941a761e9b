/**
 * What the program is given by its process, so that tests can give it something else.
 * @module
 */

/** The outside of one run of the program. */
export interface Host {
  readonly environment: Readonly<Record<string, string>>;
  /** Characters of one line of the terminal; Infinity when the output goes to a file or a pipe. */
  readonly columns: number;
  now(): Date;
  /** Writes what was asked for. Bytes are written as they are. */
  write(output: string | Uint8Array): void;
  /** Writes what went wrong or is under way. */
  writeError(text: string): void;
}

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
  /** Asks a person, and says whether the answer is yes; undefined when there is no person to ask. */
  confirm(question: string): boolean | undefined;
  /** Does work that Ctrl-C does not cut off: its signal is aborted instead. */
  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

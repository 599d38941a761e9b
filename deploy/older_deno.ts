/**
 * Lets a Deno older than the pinned one compile the programs: Deno 2.4 and later, where nothing newer can be had.
 * @module
 */

/** What Deno 2 has had without flags only since this minor version: Temporal, and hex and base64 of bytes. */
const PLAIN_SINCE_MINOR = 7;

/** The flags by which an older Deno has them. */
export const OLDER_FLAGS: readonly string[] = ["--unstable-temporal", "--v8-flags=--js-base-64"];

/** Whether a Deno of this version needs the flags and the entry that are made here. */
export function isOlder(denoVersion: string): boolean {
  const [major, minor] = denoVersion.split(".").map(Number);
  return major === 2 && minor! < PLAIN_SINCE_MINOR;
}

/** An entry for the folder `dist`: a program, after what is wrong in an older Deno has been set right. */
export function olderEntry(entry: string): string {
  return `import "../deploy/older_deno_hex.ts";\nimport "../${entry}";\n`;
}

/**
 * Where the receiver of a configuration is, for the commands that ask it.
 * @module
 */
import type { Config } from "../base/config.ts";
import { RefusedError } from "../base/errors.ts";

/** What stands for all addresses of a machine can be listened on and not be called: its own address can. */
const OWN_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * The address of the receiver, as seen from its own machine; `what` reads after "Cannot".
 * Throws RefusedError when the configuration does not tell it.
 */
export function receiverUrl(what: string, { HOST, PORT }: Pick<Config, "HOST" | "PORT">): string {
  if (PORT === 0) {
    throw new RefusedError(`Cannot ${what}: PORT is 0, so any port may be it; add --url`);
  }
  const host = OWN_ADDRESS[HOST] ?? HOST;
  return `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`;
}

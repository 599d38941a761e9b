/**
 * `hookwork send`: a signed sample goes the way of a real delivery.
 * @module
 */
import type { App } from "../../app.ts";
import { RefusedError } from "../../base/errors.ts";
import { hookPath, shownPath } from "../../base/hook_path.ts";
import { nameHint } from "../../base/nearest.ts";
import { call } from "../../outside/http.ts";
import { ExitCode } from "../failure.ts";
import { receiverUrl } from "../receiver.ts";

/** What the receiver answered. */
export interface Sent {
  readonly url: string;
  readonly status: number;
  readonly answer: string;
}

/**
 * Sends a sample to the receiver at `url`, or to the one on this machine.
 * Throws RefusedError for an unknown source, and what `call` throws when nobody answers.
 */
export async function send(
  { registry, config }: Pick<App, "registry" | "config">,
  name: string,
  options: { url?: string },
): Promise<Sent> {
  const source = registry.sources.get(name);
  if (!source) throw new RefusedError(unknownSource(name, [...registry.sources.keys()]));
  const base = options.url ?? receiverUrl("send a sample", config);
  const { pathSecret, ...sample } = source.sample();
  const url = new URL(hookPath(name, pathSecret), base.endsWith("/") ? base : `${base}/`);
  const { status, body } = await call({
    what: "send a sample to the receiver",
    url,
    method: "POST",
    // A sample delivered twice does no harm.
    idempotent: true,
    signal: new AbortController().signal,
    shadow: false,
    ...sample,
  });
  return { url: shownPath(url.href), status, answer: new TextDecoder().decode(body) };
}

function unknownSource(name: string, names: readonly string[]): string {
  const hint = nameHint(name, names, "sources");
  return `Cannot send a sample of "${name}": there is no such source; ${hint}`;
}

/** The answer, as it came. */
export function renderSent({ url, status, answer }: Sent): string {
  return `POST ${url}\n${status}\n${answer}`;
}

/** Senders count everything but 2xx as failed. */
export function sentExitCode({ status }: Sent): ExitCode {
  return status >= 200 && status < 300 ? ExitCode.done : ExitCode.failed;
}

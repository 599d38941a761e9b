/**
 * `hookwork health`: asks the receiver how it is, for whatever looks after containers and deploys. Ends with 1 when not well.
 * @module
 */
import { coreSettings, loadSettings } from "../../base/config.ts";
import { call } from "../../outside/http.ts";
import { ExitCode } from "../failure.ts";
import type { Host } from "../host.ts";
import { receiverUrl } from "../receiver.ts";

/** Less than the usual patience of those who ask again and again. */
const DEADLINE_SECONDS = 5;
/** All that is asked of the environment: a process can be well before its settings are whole. */
const { HOST, PORT } = coreSettings;

/** What the receiver answered. */
export interface Health {
  readonly url: string;
  readonly status: number;
  readonly answer: string;
}

/**
 * Asks the receiver at `url`, or the one on this machine, whether it lives; with `ready`, whether deliveries can be stored.
 * Throws what `call` throws when nobody answers.
 */
export async function health(
  { environment }: Pick<Host, "environment">,
  options: { url?: string; ready?: boolean },
): Promise<Health> {
  const what = "ask the receiver how it is";
  const base = options.url ?? receiverUrl(what, loadSettings(environment, { HOST, PORT }));
  const url = new URL(options.ready ? "ready" : "health", base.endsWith("/") ? base : `${base}/`);
  const { status, body } = await call({
    what,
    url,
    signal: new AbortController().signal,
    shadow: false,
    deadlineSeconds: DEADLINE_SECONDS,
  });
  return { url: url.href, status, answer: new TextDecoder().decode(body) };
}

/** The answer, as it came. */
export function renderHealth({ url, status, answer }: Health): string {
  return `GET ${url}\n${status}\n${answer}`;
}

/** 200 is the only good answer: 503 says what is not well, or that it is about to stop. */
export function healthExitCode({ status }: Health): ExitCode {
  return status === 200 ? ExitCode.done : ExitCode.failed;
}

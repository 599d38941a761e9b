/**
 * What the steps with Telegram share: someone sends /ping, and Telegram takes the bot's answer or does not.
 * @module
 */
import type { System } from "../system.ts";
import type { Failure } from "../telegram_api.ts";
import { until } from "../until.ts";
import { jobOfChat, type JobSeen, messagesTo } from "./look.ts";
import { expect } from "./step.ts";

/** Sends /ping from a chat, to which messages fail from now on. */
export async function ping(system: System, chat: number, failure: Failure): Promise<void> {
  system.telegram.failChat(chat, failure);
  expect("the webhook's answer", await system.telegram.write("/ping", chat), 202);
}

/** Waits until the job of a chat is as `isIt` wants it. */
export async function jobThat(
  what: string,
  system: System,
  chat: number,
  isIt: (job: JobSeen) => boolean,
): Promise<JobSeen> {
  const job = await until(what, () => jobOfChat(system, chat), (job) => job && isIt(job));
  return job!;
}

/** Has the first answer fail and the second one succeed; gives the seconds from /ping to its only pong, and the attempts that were charged. */
export async function secondsToPong(
  system: System,
  chat: number,
  failure: Failure,
): Promise<{ seconds: number; attempts: number }> {
  const pingedAt = Date.now();
  await ping(system, chat, failure);
  await jobThat(
    "a refused attempt",
    system,
    chat,
    ({ status, claims }) => status === "pending" && claims === 1,
  );
  system.telegram.failChat(chat);
  const { attempts } = await jobThat("a done job", system, chat, ({ status }) => status === "done");
  const pongs = messagesTo(system, chat);
  expect("messages", pongs.map(({ text }) => text), ["pong"]);
  return { seconds: (pongs[0]!.at.getTime() - pingedAt) / 1000, attempts };
}

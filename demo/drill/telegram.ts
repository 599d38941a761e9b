/**
 * Steps about what goes out: how the bot's answer fares when Telegram fails in each of its ways.
 * @module
 */
import type { System } from "../system.ts";
import type { Failure } from "../telegram_api.ts";
import { until } from "../until.ts";
import { jobOfChat, type JobSeen, messagesTo } from "./look.ts";
import { expect, step } from "./step.ts";

const CHAT = { unavailable: 101, limited: 102, lost: 103, unknown: 104 };
const RETRY_AFTER_SECONDS = 3;
/** The first pause of a job is ten seconds, give or take a fifth. */
const SHORTEST_PAUSE_SECONDS = 8;

/** A failure that may pass is tried again, later. */
export const retriedAfter502 = step(
  "/ping, refused with 502, is tried again: one pong",
  async (system) => {
    const seconds = await secondsToPong(system, CHAT.unavailable, { status: 502 });
    if (seconds < SHORTEST_PAUSE_SECONDS) {
      throw new Error(
        `expected a pause of at least ${SHORTEST_PAUSE_SECONDS} s, seen ${seconds} s`,
      );
    }
    return `502, then one pong after ${seconds} s`;
  },
);

/** Who asks for a pause gets it: that pause, and not our own. */
export const obeysRetryAfter = step(
  "429 with retry_after is obeyed: one pong, not sooner",
  async (system) => {
    const failure = { status: 429, retryAfter: RETRY_AFTER_SECONDS };
    const seconds = await secondsToPong(system, CHAT.limited, failure);
    if (seconds < RETRY_AFTER_SECONDS || seconds >= SHORTEST_PAUSE_SECONDS) {
      throw new Error(`expected the pause of ${RETRY_AFTER_SECONDS} s, seen ${seconds} s`);
    }
    return `asked to wait ${RETRY_AFTER_SECONDS} s, then one pong after ${seconds} s`;
  },
);

/** A message that may have arrived is not sent twice; a person decides. */
export const lostAnswer = step(
  "an answer that is lost stops the job: one pong, and a human is told",
  async (system) => {
    const job = await pingThatFails(system, CHAT.lost, { lost: true });
    expect("the job", stateOf(job), { reason: "outcome_unknown", attempts: 1 });
    expect("pongs", messagesTo(system, CHAT.lost).length, 1);
    await alertAbout(system, job);
    return `job ${job.id} outcome_unknown, one pong, alert sent`;
  },
);

/** What cannot succeed is not tried again, and the alert leads to it. */
export const permanentError = step(
  "400 chat not found stops the job at once, and a human is told",
  async (system) => {
    const description = "Bad Request: chat not found";
    const job = await pingThatFails(system, CHAT.unknown, { status: 400, description });
    expect("the job", stateOf(job), { reason: "permanent", attempts: 1 });
    await alertAbout(system, job);
    const { code, output } = await system.cli("job", job.id);
    expect("the exit code of the alert's command", code, 0);
    expect("the command shows the error", output.includes("chat not found"), true);
    return `job ${job.id} permanent after one attempt, alert names \`hookwork job ${job.id}\``;
  },
);

/** Once the cause is mended, a person gives the job another chance. */
export const retriedByHand = step(
  "that job, retried by the CLI, is done: one pong",
  async (system) => {
    system.telegram.failChat(CHAT.unknown);
    const { id } = (await jobOfChat(system, CHAT.unknown))!;
    const { code, output } = await system.cli("retry", id);
    expect(`the exit code of \`hookwork retry ${id}\` (${output})`, code, 0);
    await until(
      "the job is done",
      () => jobOfChat(system, CHAT.unknown),
      (job) => job?.status === "done",
    );
    expect("pongs", messagesTo(system, CHAT.unknown).length, 1);
    return `\`hookwork retry ${id}\`, then done with one pong`;
  },
);

/** Has the first answer fail and the next ones succeed; gives the seconds from the message to its only pong. */
async function secondsToPong(system: System, chat: number, failure: Failure): Promise<number> {
  const writtenAt = Date.now();
  await ping(system, chat, failure);
  await until(
    "one attempt has failed",
    () => jobOfChat(system, chat),
    (job) => job?.status === "pending" && job.attempts === 1,
  );
  system.telegram.failChat(chat);
  const done = await until(
    "the job is done",
    () => jobOfChat(system, chat),
    (job) => job?.status === "done",
  );
  expect("attempts", done!.attempts, 2);
  const [pong, ...more] = messagesTo(system, chat);
  expect("pongs", [pong?.text, ...more], ["pong"]);
  return (pong!.at.getTime() - writtenAt) / 1000;
}

async function pingThatFails(system: System, chat: number, failure: Failure): Promise<JobSeen> {
  await ping(system, chat, failure);
  const job = await until(
    "the job is given up",
    () => jobOfChat(system, chat),
    (job) => job?.status === "failed",
  );
  return job!;
}

async function ping(system: System, chat: number, failure: Failure): Promise<void> {
  system.telegram.failChat(chat, failure);
  expect("the webhook's answer", await system.telegram.write("/ping", chat), 202);
}

const stateOf = ({ reason, attempts }: JobSeen) => ({ reason, attempts });

async function alertAbout(system: System, job: JobSeen): Promise<void> {
  await until(
    `an alert names \`hookwork job ${job.id}\``,
    () => messagesTo(system, system.settings.TELEGRAM_ALERT_CHAT_ID).map(({ text }) => text),
    (texts) => texts.some((text) => text.split("\n").includes(`hookwork job ${job.id}`)),
  );
}

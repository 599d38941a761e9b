/**
 * Steps about what goes out: how the bot's answer fares when Telegram fails in each of its ways.
 * @module
 */
import type { System } from "../system.ts";
import { until } from "../until.ts";
import { type JobSeen, messagesTo } from "./look.ts";
import { jobThat, ping, secondsToPong } from "./ping.ts";
import { expect, expectAtLeast, expectBelow, step } from "./step.ts";

/** A chat for each step, so that they do not see each other. */
const CHAT = { unavailable: 101, limited: 102, lost: 103, unknown: 104 };
const RETRY_AFTER_SECONDS = 3;
/** The first pause of a job is ten seconds, give or take a fifth. */
const SHORTEST_PAUSE_SECONDS = 8;

/** A failure that may pass is tried again, later. */
export const retriedAfter502 = step(
  "/ping whose answer is refused with 502: tried again after a pause, one pong",
  async (system) => {
    const { seconds, attempts } = await secondsToPong(system, CHAT.unavailable, { status: 502 });
    expect("attempts", attempts, 2);
    expectAtLeast("seconds to the pong", seconds, SHORTEST_PAUSE_SECONDS);
    return `502, then one pong after ${seconds.toFixed(1)} s`;
  },
);

/** Who asks for a pause gets it: that pause, and not our own; and it costs no attempt. */
export const obeysRetryAfter = step(
  `/ping whose answer is refused with 429: tried again after retry_after, one pong`,
  async (system) => {
    const failure = { status: 429, retryAfter: RETRY_AFTER_SECONDS };
    const { seconds, attempts } = await secondsToPong(system, CHAT.limited, failure);
    expect("attempts", attempts, 1);
    expectAtLeast("seconds to the pong", seconds, RETRY_AFTER_SECONDS);
    expectBelow("seconds to the pong", seconds, SHORTEST_PAUSE_SECONDS);
    return `429 asks for ${RETRY_AFTER_SECONDS} s, one pong after ${seconds.toFixed(1)} s`;
  },
);

/** A message that may have arrived is not sent twice; a person decides. */
export const lostAnswer = step(
  "a pong whose confirmation is lost: not sent again, a human is told",
  async (system) => {
    await ping(system, CHAT.lost, { lost: true });
    const job = await jobThat("a job given up", system, CHAT.lost, isFailed);
    expect("the job", endOf(job), { reason: "outcome_unknown", attempts: 1 });
    expect("pongs", messagesTo(system, CHAT.lost).length, 1);
    await alertAbout(system, job);
    return `job ${job.id} ended as outcome_unknown, one pong, alert sent`;
  },
);

/** What cannot succeed is not tried again, and the alert leads to it. */
export const permanentError = step(
  "400 chat not found: no second attempt, a human is told how to see more",
  async (system) => {
    const description = "Bad Request: chat not found";
    await ping(system, CHAT.unknown, { status: 400, description });
    const job = await jobThat("a job given up", system, CHAT.unknown, isFailed);
    expect("the job", endOf(job), { reason: "permanent", attempts: 1 });
    await alertAbout(system, job);
    const { code, output } = await system.cli("job", job.id);
    expect("the exit code of the alert's command", code, 0);
    expect("its output names the error", output.includes("chat not found"), true);
    return `job ${job.id} ended as permanent, the alert says \`hookwork job ${job.id}\``;
  },
);

/** Once the cause is mended, a person gives the job another chance. */
export const retriedByHand = step("that job, retried by the CLI: one pong", async (system) => {
  const { id } = await jobThat("a job given up", system, CHAT.unknown, isFailed);
  system.telegram.failChat(CHAT.unknown);
  const { code, output } = await system.cli("retry", id);
  expect(`the exit code of \`hookwork retry ${id}\`, which said ${output}`, code, 0);
  await jobThat("a done job", system, CHAT.unknown, ({ status }) => status === "done");
  expect("pongs", messagesTo(system, CHAT.unknown).length, 1);
  return `\`hookwork retry ${id}\`, then one pong`;
});

const isFailed = ({ status }: JobSeen) => status === "failed";
const endOf = ({ reason, attempts }: JobSeen) => ({ reason, attempts });

async function alertAbout(system: System, job: JobSeen): Promise<void> {
  const command = `hookwork job ${job.id}`;
  await until(
    `an alert with the line ${command}`,
    () => messagesTo(system, system.settings.TELEGRAM_ALERT_CHAT_ID).map(({ text }) => text),
    (texts) => texts.some((text) => text.split("\n").includes(command)),
  );
}

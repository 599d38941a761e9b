/** The bot by real processes: a message is answered, a failure stays with us, and the token stays secret. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../support/process.ts";
import { startSystem, type System } from "../support/system.ts";
import { until } from "../support/until.ts";

const WORKER = "worker.ts";
const CHAT = 4711;

Deno.test("a form and a /ping go all the way through receiver and worker, and are done once", async () => {
  await using system = await startSystem();
  const [receiver] = await Promise.all([system.receiver(), system.worker({ file: WORKER })]);
  await setWebhook(system, receiver.port);
  const { body } = await receiver.post({ id: "f1", name: "Ada" });
  assertEquals(await system.telegram.write("/ping", CHAT), 202);
  await until("the bot answers", () => system.telegram.messages.length > 0);
  assertEquals(system.telegram.messages.map(({ chatId, text }) => ({ chatId, text })), [
    { chatId: `${CHAT}`, text: "pong" },
  ]);
  const { sql } = system.database;
  const [form] = await sql`select id from jobs where event_id = ${`${body.id}`}`;
  assertEquals((await system.jobIs(form!.id, "done")).attempts, 1);
  await assertSecret(system);
});

Deno.test("a handler that fails for good does not reach Telegram, whose update was taken", async () => {
  await using system = await startSystem();
  const [receiver] = await Promise.all([system.receiver(), system.worker({ file: WORKER })]);
  await setWebhook(system, receiver.port);
  system.telegram.failChat(CHAT, { status: 403, description: "Forbidden: bot was blocked" });
  assertEquals(await system.telegram.write("/ping", CHAT), 202);
  const { reason, last_error } = await system.jobIs("1", "failed");
  assertEquals(reason, "permanent");
  assertStringIncludes(last_error!, "bot was blocked");
  await until("a human is told", () => system.telegram.messages.length > 0);
  assertStringIncludes(system.telegram.messages[0]!.text, "telegram.message failed: permanent");
});

const UNREACHABLE = {
  "a name that cannot be resolved": () => "http://telegram.invalid",
  "a port that refuses connections": () => `http://127.0.0.1:${freePort()}`,
};
for (const [what, api] of Object.entries(UNREACHABLE)) {
  Deno.test(`the bot's token is in no line and no row when the API is ${what}`, async () => {
    await using system = await startSystem({ TELEGRAM_API: api() });
    await failToAnswer(system);
    await until("the alert was tried", async () => {
      const tried = await system.database.sql`select from alerts where tried_at is not null`;
      return tried.length > 0;
    });
    await assertSecret(system);
  });
}

Deno.test("the bot's token is in no line and no row when a page repeats the address that was called", async () => {
  await using system = await startSystem();
  const page = `Not Found: /bot${system.env.TELEGRAM_BOT_TOKEN}/sendMessage`;
  system.telegram.failNext({ status: 404, page }, { status: 404, page });
  await failToAnswer(system);
  await assertSecret(system);
});

Deno.test("a token that Telegram does not know is in no line and no row", async () => {
  await using system = await startSystem({
    TELEGRAM_BOT_TOKEN: "2000000002:quite_another_bots_token",
  });
  const { last_error } = await failToAnswer(system);
  assertStringIncludes(last_error!, "TELEGRAM_BOT_TOKEN");
  await assertSecret(system);
});

/** Has a worker answer a /ping in vain, and the operator look at what became of it: the job is given up, or its lane holds it. */
async function failToAnswer(system: System) {
  await system.worker({ file: WORKER });
  const payload = { chatId: "1", messageId: 1, text: "/ping" };
  const id = await system.enqueue("telegram.message", payload, 1);
  const { sql } = system.database;
  const find = async () => (await sql`select last_error from jobs where id = ${id}`)[0]!;
  await until("its error is noted", async () => (await find()).last_error !== null);
  for (const args of [["job", id], ["failed"], ["check"], ["lanes"], ["status"], ["doctor"]]) {
    await system.cli(args);
  }
  return await find();
}

async function assertSecret(system: System): Promise<void> {
  const { sql } = system.database;
  const [{ rows }] = await sql<[{ rows: string }]>`
    select concat(
      (select json_agg(events)::text from events), (select json_agg(jobs)::text from jobs),
      (select json_agg(alerts)::text from alerts), (select json_agg(lanes)::text from lanes)
    ) as rows
  `;
  const shown = [...system.lines(), rows].join("\n");
  assert(shown.length > 1000, "there is nothing to look at");
  for (const secret of ["TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET", "SITE_WEBHOOK_SECRET"]) {
    const key = system.env[secret]!.split(":").at(-1)!;
    assert(!shown.includes(key), `${secret} is shown`);
  }
}

async function setWebhook({ env, telegram }: System, port: number): Promise<void> {
  const response = await fetch(`${telegram.url}bot${env.TELEGRAM_BOT_TOKEN}/setWebhook`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      url: `http://127.0.0.1:${port}/hooks/telegram`,
      secret_token: env.TELEGRAM_WEBHOOK_SECRET,
    }),
  });
  assertEquals((await response.json()).ok, true);
}

import { assert, assertEquals } from "@std/assert";
import type { TelegramApi } from "../../demo/telegram_api.ts";
import type { App } from "../../lib/app.ts";
import { loadConfig } from "../../lib/base/config.ts";
import { enqueue, insertJobs, jobRow } from "../../lib/db/jobs.ts";
import { listLanes, resumeLane } from "../../lib/db/lanes_view.ts";
import { telegramMessage } from "../../lib/handlers/telegram_message.ts";
import { telegram } from "../../lib/outside/telegram.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { fakeTelegram, TOKEN } from "../outside/support.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { handlerOf } from "../support/jobs.ts";
import { until } from "../support/until.ts";

const other = handlerOf(() => Promise.resolve(), { kind: "other" });

/** The App with a bot at the fake Telegram. */
function withBot(app: TestApp, api: TelegramApi): App {
  const config = loadConfig({
    DATABASE_URL: app.config.DATABASE_URL,
    TELEGRAM_BOT_TOKEN: TOKEN,
    TELEGRAM_API: api.url.href,
    TELEGRAM_ALERT_CHAT_ID: "-1",
  }, telegram.settings);
  return { ...app, config };
}

const pings = (app: App, chats: readonly number[]) =>
  insertJobs(
    app.db,
    chats.map((chat) =>
      jobRow({
        kind: "telegram.message",
        payload: { chatId: `${chat}`, messageId: 1, text: "/ping" },
      })
    ),
  );
const chatsTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const countBy = async (app: TestApp) =>
  Object.fromEntries(
    (await app.rows`select status, count(*)::int from jobs group by 1`).map((row) => [
      row.status,
      row.count,
    ]),
  );
const pausesOf = async (app: TestApp) => (await listLanes(app.db, "failing"))[0]?.pauses ?? 0;
/** Each pause once: a call that enters at the same instant would find the lane still closed. */
const endPause = (app: TestApp) =>
  app.rows`update lanes set paused_until = now() where name = 'telegram' and paused_until > now()`;

Deno.test("a token refused for long fails none of 200 jobs, alerts once and once more when all goes on, and holds up nothing else (F110, rule 21)", async () => {
  await using api = await fakeTelegram();
  await using app = await freshApp({ handlers: [telegramMessage, other] });
  const bot = withBot(app, api);
  const chats = chatsTo(200);
  for (const chat of chats) api.failChat(chat, { status: 401, description: "Unauthorized" });
  await pings(bot, chats);
  const worker = startWorker(bot, "test");
  for (let pauses = 1; pauses <= 5; pauses++) {
    await until("the lane is paused", async () => await pausesOf(app) === pauses);
    await enqueue(app.db, { kind: "other" });
    await until("others go on", async () => (await countBy(app)).done === pauses);
    await endPause(app);
  }
  const [row] = await app.rows`
    select max(attempts) as attempts, max(pauses) as pauses from jobs where kind = 'telegram.message'`;
  assert(row!.attempts <= 1, "no job is charged that others could have probed for");
  assertEquals(row!.pauses, 1, "each probe is another job");
  assertEquals((await countBy(app)).failed, undefined);
  // Ten at once before the first answer came, then one for each pause.
  assert(api.calls.length <= 10 + 6, `${api.calls.length} calls`);
  for (const chat of chats) api.failChat(chat);
  await endPause(app);
  await resumeLane(app.db, "telegram");
  await until("all is done", async () => (await countBy(app)).done === 205, { within: 30 });
  assertEquals(api.messages.length, 200);
  assertEquals(await app.rows`select topic, pending from alerts order by topic`, [
    { topic: "lane telegram open", pending: 1 },
    { topic: "lane telegram paused", pending: 1 },
  ]);
  await worker.stop();
});

Deno.test("a chat that asks for 34 seconds gets them, its job is not charged, and other chats do not wait (F120, rule 21)", async () => {
  await using api = await fakeTelegram();
  await using app = await freshApp({ handlers: [telegramMessage] });
  const bot = withBot(app, api);
  api.failChat(1, { status: 429, retryAfter: 34 });
  await pings(bot, [1]);
  const worker = startWorker(bot, "test");
  await until("the chat is paused", async () => await pausesOf(app) === 1);
  await pings(bot, [2]);
  await until("the other chat has its answer", () => api.messages.length === 1);
  const [row] = await app.rows`
    select attempts, status, extract(epoch from run_at - now())::float8 as seconds from jobs order by id limit 1`;
  assertEquals([row!.attempts, row!.status], [0, "pending"]);
  assert(row!.seconds > 30 && row!.seconds < 42, `${row!.seconds}`);
  assertEquals(api.calls.length, 2);
  await worker.stop();
});

Deno.test("a job that alone makes the service refuse is given up in the end, and those behind it are done (rule 21)", async () => {
  await using api = await fakeTelegram();
  await using app = await freshApp({ handlers: [telegramMessage] });
  const bot = withBot(app, api);
  api.failChat(1, { status: 401 });
  await insertJobs(app.db, [jobRow({
    kind: "telegram.message",
    payload: { chatId: "1", messageId: 1, text: "/ping" },
    priority: 0,
    maxAttempts: 2,
  })]);
  const worker = startWorker(bot, "test");
  await until("the lane is paused", async () => await pausesOf(app) === 1);
  await pings(bot, chatsTo(6).slice(1));
  await until("its others are done and it is given up", async () => {
    await endPause(app);
    await app.rows`update jobs set run_at = now() where status = 'pending' and run_at > now()`;
    const counts = await countBy(app);
    return counts.done === 5 && counts.failed === 1;
  }, { within: 30 });
  const [row] = await app.rows`select attempts, claims from jobs where status = 'failed'`;
  assertEquals(row, { attempts: 2, claims: 4 });
  await worker.stop();
});

Deno.test("a job that was lost probes too when its lane has no other, and does not keep it shut", async () => {
  await using api = await fakeTelegram();
  await using app = await freshApp({ handlers: [telegramMessage] });
  const bot = withBot(app, api);
  await pings(bot, [1]);
  await app.rows`update jobs set lost = 1`;
  await app.rows`
    insert into lanes (name, since, paused_until, reason) values ('telegram', now(), now(), 'answered 401')`;
  const worker = startWorker(bot, "test");
  await until("it is done", async () => (await countBy(app)).done === 1);
  assertEquals(await pausesOf(app), 0);
  assertEquals((await listLanes(app.db, "failing")).length, 0);
  await worker.stop();
});

/** Our units, followed as systemd would follow them: secrets, boots without a database, crashes, stops. */

import { assert, assertEquals, assertLess, assertMatch, assertNotEquals } from "@std/assert";
import { accountSettings, startSampleAccount } from "../../demo/sample_account.ts";
import { randomSettings } from "../../demo/settings.ts";
import { createSite } from "../../demo/site.ts";
import { startTelegramApi } from "../../demo/telegram_api.ts";
import { emptyDatabase, type TestDatabase, testDatabase } from "../support/database.ts";
import { freePort, startProcess } from "../support/process.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";
import { install, settingsText } from "./support/standins.ts";
import { boot, type Supervised } from "./support/supervisor.ts";

const SECRET = `a$b%s"c#d\\e`;
/** Restarts come after tenths of a second instead of seconds. */
const SPEED = 20;
const MIGRATE = "hookwork-migrate.service";
const WORKER = "hookwork-worker@1.service";

/** A server with settings and programs on which nothing runs yet, and a sender of forms. */
async function server(database: TestDatabase, url = database.url) {
  await using stack = new AsyncDisposableStack();
  const amocrm = stack.use(await startSampleAccount());
  const settings = {
    ...randomSettings(),
    ...accountSettings(amocrm),
    AMOCRM_ACCESS_TOKEN: amocrm.token,
    DATABASE_URL: url,
    SITE_WEBHOOK_SECRET: SECRET,
  };
  const telegram = stack.use(await startTelegramApi({ token: settings.TELEGRAM_BOT_TOKEN }));
  // The file names a port too: the unit's instance has to win.
  const text = settingsText({ ...settings, TELEGRAM_API: telegram.url.href, PORT: "1" });
  const installation = stack.use(await install(`# Settings\n\n${text}`));
  const port = freePort();
  const site = createSite(`http://127.0.0.1:${port}/hooks/site`, SECRET);
  const moved = stack.move();
  return {
    installation,
    receiver: `hookwork-receiver@${port}.service`,
    boot: (...names: string[]) => boot({ ...installation, speed: SPEED }, names),
    async post() {
      const answer = await site.post(JSON.stringify({ id: crypto.randomUUID() })).catch(() => null);
      return answer?.status;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

async function enqueue({ sql }: TestDatabase, seconds: number): Promise<string> {
  await sql`create table if not exists runs (job bigint not null)`;
  const payload = JSON.stringify({ seconds });
  const [row] = await sql`
    insert into jobs (kind, payload) values ('wait', ${payload}::text::json) returning id
  `;
  return row!.id;
}

function jobIs({ sql }: TestDatabase, id: string, status: string, within = 20): Promise<void> {
  const is = async () => (await sql`select status from jobs where id = ${id}`)[0]?.status;
  return until(`job ${id} is ${status}`, async () => await is() === status, { within });
}

const outputOf = (units: readonly Supervised[]) => units.flatMap((unit) => unit.lines()).join("\n");

Deno.test("a secret of $, %, quotes, # and backslash goes whole through the file into the service, and check shows that", async () => {
  await using database = await testDatabase();
  await using machine = await server(database);
  const [receiver] = await machine.boot(machine.receiver);
  await using _ = receiver!;
  await until("a form signed with it is taken", async () => await machine.post() === 202);
  await using check = await startProcess({
    name: "hookwork check",
    command: `${machine.installation.programs}/hookwork`,
    args: ["check", "--json"],
    env: { HOOKWORK_ENV_FILE: machine.installation.settings },
  });
  assertEquals(await check.exit, 0, check.lines.join("\n"));
  const { secrets } = JSON.parse(check.lines.join("\n"));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(SECRET));
  const sha256 = new Uint8Array(digest).toHex().slice(0, 8);
  const shown = secrets.find(({ name }: { name: string }) => name === "SITE_WEBHOOK_SECRET");
  assertEquals(shown, { name: "SITE_WEBHOOK_SECRET", bytes: SECRET.length, sha256 });
});

Deno.test("booted long before an empty Postgres, all units find to their work with no human", async () => {
  await using database = await emptyDatabase();
  await using proxy = startProxy(database.url);
  proxy.cut();
  await using machine = await server(database, proxy.url);
  const units = await machine.boot(MIGRATE, machine.receiver, WORKER);
  await using stack = new AsyncDisposableStack();
  const [migrate] = units.map((unit) => stack.use(unit));
  await until("migrate was tried four times", () => migrate!.starts >= 4, { within: 60 });
  assertNotEquals(await machine.post(), 202);
  proxy.heal();
  assertEquals(await migrate!.over, 0, outputOf(units));
  await until("a form is taken", async () => await machine.post() === 202, { within: 30 });
  const id = await enqueue(database, 0);
  await jobIs(database, id, "done", 30);
  assertEquals(units.slice(1).map(({ starts }) => starts), [1, 1], outputOf(units));
});

Deno.test("a worker killed by -9 is back after its pause, and works; told to stop, it lets its job end", async () => {
  await using database = await testDatabase();
  await using machine = await server(database);
  const [worker] = await machine.boot(WORKER);
  await using _ = worker!;
  await jobIs(database, await enqueue(database, 0), "done");
  const { pid } = worker!;
  Deno.kill(pid, "SIGKILL");
  await jobIs(database, await enqueue(database, 0), "done");
  assertEquals([worker!.starts, worker!.pid === pid], [2, false]);

  const id = await enqueue(database, 2);
  await jobIs(database, id, "running");
  const since = performance.now();
  assertEquals(await worker!.stop(), 0, outputOf([worker!]));
  assertLess(performance.now() - since, worker!.unit.stopSeconds * 1000);
  await jobIs(database, id, "done");
});

Deno.test("a service with unfit settings is not started over and over: it says what is wrong and ends with 78", async () => {
  await using installation = await install(settingsText({ DATABASE_URL: "nothing" }));
  const [worker] = await boot({ ...installation, speed: SPEED }, [WORKER]);
  await using _ = worker!;
  assertEquals([await worker!.over, worker!.starts], [78, 1]);
  assertMatch(outputOf([worker!]), /DATABASE_URL/);
  assert(!outputOf([worker!]).includes("nothing"));
});

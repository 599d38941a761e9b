/** A database that is there but says no: full, crowded, or being changed underneath. */

import { assert, assertEquals, assertGreater, assertLess, assertStringIncludes } from "@std/assert";
import type { Answer } from "../../demo/site.ts";
import { asAdmin } from "../support/database.ts";
import { startSystem, type System } from "../support/system.ts";
import { until } from "../support/until.ts";

Deno.test("a full disk gives 503s, one alert and few lines; with space again all is well without a restart", async () => {
  await using system = await startSystem({ LOG_LEVEL: "info" });
  const { sql } = system.database;
  await sql.unsafe(`
    create function fill() returns trigger language plpgsql as $$
    begin raise exception using errcode = '53100', message = 'No space left on device'; end $$;
    create trigger full_disk before insert on events for each row execute function fill();
  `);
  const receiver = await system.receiver();
  const about = (text: RegExp) => system.telegram.messages.filter((sent) => text.test(sent.text));
  let refused = 0;
  await until("a human is told", async () => {
    const { status, retryAfter } = await receiver.post({ id: `full-${refused++}` });
    assertEquals({ status, hasRetryAfter: Number(retryAfter) > 0 }, {
      status: 503,
      hasRetryAfter: true,
    });
    return about(/cannot use the database.*No space left/).length > 0;
  }, { within: 20 });
  assertGreater(refused, 100);
  assertLess(receiver.lines.length, 15);
  await sql`drop trigger full_disk on events`;
  assertEquals((await receiver.post({ id: "full-0" })).status, 202);
  await until("a human hears the end", () => about(/can use the database again/).length > 0);
  assertEquals(system.telegram.messages.length, 2);
  assertEquals((await sql`select from events`).length, 1);
});

Deno.test("too few connections for two receivers: each post gets 202 or 503, and nothing acknowledged is missing", async () => {
  await using system = await startSystem({ LOG_LEVEL: "info" });
  const { sql } = system.database;
  await using role = await limitedRole(system, 3);
  const env = { DATABASE_URL: role.url };
  const receivers = await Promise.all([system.receiver({ env }), system.receiver({ env })]);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => receivers[index % 2]!.post({ id: `crowd-${index}` })),
  );
  assertEquals(answers.filter(({ status }) => ![202, 503].includes(status)), []);
  assert((await sql`select from events`).length >= stored(answers).length);
  await role.allow(100);
  for (const receiver of receivers) {
    await until("posts are stored", receiver.stores, { within: 3 });
  }
  const { code, output } = await system.cli(["status"], { env });
  assertEquals(code, 0, output);
});

Deno.test("columns added under a running receiver and worker disturb neither", async () => {
  await using system = await startSystem();
  const { sql } = system.database;
  const receiver = await system.receiver();
  await system.worker();
  const statuses: number[] = [];
  for (let column = 1; column <= 5; column++) {
    const posts = Array.from({ length: 10 }, (_, n) => receiver.post({ id: `${column}-${n}` }));
    await sql.unsafe(`alter table events add column later_${column} text`);
    await sql.unsafe(`alter table jobs add column later_${column} text`);
    statuses.push(...(await Promise.all(posts)).map(({ status }) => status));
    await system.jobIs(await system.enqueue("wait"), "done");
  }
  assertEquals(statuses, Array(50).fill(202));
});

Deno.test("a migration that waits for a forgotten transaction gives up with advice, and no sender waits for it", async () => {
  await using system = await startSystem();
  await using checkout = await checkoutWith("alter table events add column later text;\n");
  const { sql } = system.database;
  const receiver = await system.receiver();
  const forgotten = await sql.reserve();
  await forgotten`begin`;
  await forgotten`select from events`;
  const migrated = system.cli(["migrate"], checkout.start);
  let over = false;
  migrated.finally(() => over = true);
  const answers: Answer[] = [];
  await until("the migration gives up", async () => {
    answers.push(await receiver.post({ id: `during-${answers.length}` }));
    return over;
  }, { within: 30 });
  const { code, output } = await migrated;
  assertEquals(code, 1, output);
  assertStringIncludes(output, "pg_stat_activity");
  assertEquals(answers.filter(({ status }) => status !== 202), []);
  assertGreater(answers.length, 10);
  await forgotten`rollback`;
  forgotten.release();
  const again = await system.cli(["migrate"], checkout.start);
  assertEquals(again.code, 0, again.output);
  assertEquals((await receiver.post({ id: "after" })).status, 202);
});

Deno.test("two processes that migrate an empty database at once both succeed, and each file is applied once", async () => {
  await using system = await startSystem();
  const { sql } = system.database;
  await sql.unsafe(`drop schema public cascade; create schema public;`);
  const ended = await Promise.all([system.cli(["migrate"]), system.cli(["migrate"])]);
  assertEquals(ended.map(({ code }) => code), [0, 0], ended.map(({ output }) => output).join("\n"));
  const receiver = await system.receiver();
  assertEquals((await receiver.post({ id: "first" })).status, 202);
});

const stored = (answers: Answer[]) => answers.filter(({ status }) => status === 202);

/** A role of this database alone, which may connect only so often. */
async function limitedRole({ database }: System, connections: number) {
  const name = `${database.name}_role`;
  const password = crypto.randomUUID();
  const { sql } = database;
  const allow = (limit: number) => sql.unsafe(`alter role ${name} connection limit ${limit}`);
  await sql.unsafe(`create role ${name} login password '${password}'`);
  await sql.unsafe(`grant all on all tables in schema public to ${name}`);
  await sql.unsafe(`grant all on all sequences in schema public to ${name}`);
  await allow(connections);
  const url = new URL(database.url);
  url.username = name;
  url.password = password;
  return {
    url: url.href,
    allow,
    async [Symbol.asyncDispose]() {
      await sql.unsafe(`drop owned by ${name}`);
      await asAdmin((admin) => admin.unsafe(`drop role ${name}`));
    },
  };
}

/** The program as it is, with one more migration. */
async function checkoutWith(migration: string) {
  const root = new URL("../../", import.meta.url).pathname;
  const dir = await Deno.makeTempDir({ prefix: "hookwork-" });
  const parts = ["cli.ts", "lib", "migrations", "deno.json", "deno.lock"];
  const copied = await new Deno.Command("cp", {
    args: ["-R", ...parts.map((part) => `${root}${part}`), dir],
  }).output();
  assert(copied.success);
  await Deno.writeTextFile(`${dir}/migrations/9999_later.sql`, migration);
  const flags = [`--config=${dir}/deno.json`, `--allow-read=${dir}/migrations`];
  return {
    start: { file: `${dir}/cli.ts`, flags },
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pauseLane } from "../../../lib/db/lanes.ts";
import { freshApp } from "../../support/app.ts";
import { cli } from "../support.ts";

Deno.test("status begins with the one sentence that all is well, and only when it is", async () => {
  await using app = await freshApp();
  await app.rows`insert into jobs (kind, run_at) values ('site.form', now())`;
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["status"]);
  assertEquals(exitCode, 0);
  assert(output.startsWith("All is well.\n"), output);
  assertStringIncludes(output, "1 pending");
});

Deno.test("status shows that alerts are refused: silence must not look like peace", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into alerts (topic, pending, last_error, last_text)
    values ('work permanent', 3, 'Telegram answered 403, bot was blocked by the user', 'text')`;
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["status"]);
  assertEquals(exitCode, 0);
  assert(output.startsWith("Not well:\n- Alerts do not arrive: Telegram answered 403"), output);
});

Deno.test("status warns of everything that waits for a person", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, status, reason, run_at, finished_at, locked_by, locked_until, started_at) values
      ('site.form', 'pending', null, now() - interval '61 minutes', null, null, null, null),
      ('gone.kind', 'pending', null, now() - interval '1 second', null, null, null, null),
      ('site.form', 'failed', 'timeout', now(), now(), null, null, null),
      ('site.form', 'failed', 'timeout', now(), now() - interval '3 days', null, null, null),
      ('site.form', 'running', null, now(), null, 'host/12', now() - interval '5 minutes', now())`;
  const { output } = await cli(app.config.DATABASE_URL, ["status", "--json"]);
  const { warnings, counts, due, running } = JSON.parse(output);
  assertEquals(warnings.length, 4, warnings.join("\n"));
  assertStringIncludes(warnings[0], "61 minutes");
  assertStringIncludes(warnings[1], "1 lease(s) are over and no worker takes the jobs back");
  assertStringIncludes(warnings[2], "1 job(s) were given up in the last 24 hours");
  assertStringIncludes(warnings[3], '"gone.kind"');
  assertEquals(counts, { pending: 2, failed: 2, running: 1 });
  assertEquals(due.map(({ kind, count }: { kind: string; count: number }) => [kind, count]), [
    ["site.form", 1],
    ["gone.kind", 1],
  ]);
  assertEquals([running[0].id, running[0].lockedBy], ["5", "host/12"]);
});

Deno.test("status says who runs what, until when, and which slot of each schedule was the last", async () => {
  await using app = await freshApp();
  await app.rows`insert into schedules (name, last_slot) values ('heartbeat', '2026-03-01T11:00Z')`;
  await app.rows`
    insert into jobs (kind, status, locked_by, locked_until, started_at)
    values ('site.form', 'running', 'host/12', now() + interval '90 seconds', '2026-03-01T09:00:00Z')`;
  const { output } = await cli(app.config.DATABASE_URL, ["status"]);
  assert(
    / 1 +site\.form +host\/12 +2026-03-01 12:00:00\+03:00 +1 min (29|30) s\n/.test(output),
    output,
  );
  assert(/heartbeat +heartbeat +2026-03-01T11:00Z\n/.test(output), output);
});

Deno.test("status lists twenty running jobs at most, and says how many more there are", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, status, locked_by, locked_until, started_at)
    select 'site.form', 'running', 'host/12', now() + interval '60 seconds', now()
    from generate_series(1, 23)`;
  const { output } = await cli(app.config.DATABASE_URL, ["status"]);
  assertEquals(output.match(/host\/12/g)?.length, 20);
  assertStringIncludes(output, "and 3 more: hookwork jobs --status running");
});

Deno.test("status names a paused lane at once, and once: due jobs that nobody takes need a reason", async () => {
  await using app = await freshApp();
  await pauseLane(app.db, { name: "telegram", seconds: 340, reason: "Telegram answered 401" });
  await pauseLane(app.db, { name: "telegram:7", seconds: 34, reason: "answered 429" });
  const warned = async () =>
    JSON.parse((await cli(app.config.DATABASE_URL, ["status", "--json"])).output).warnings;
  const [warning, ...more] = await warned();
  assertEquals(more, []);
  assertStringIncludes(warning, "telegram holds its jobs: Telegram answered 401");
  await app.rows`update lanes set since = now() - interval '1 hour'`;
  assertEquals((await warned()).length, 1);
});

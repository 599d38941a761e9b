import { assert, assertEquals } from "@std/assert";
import { startSystem } from "../support/system.ts";
import { until } from "../support/until.ts";

Deno.test("a worker that is killed while it cleans up leaves whole rows, and the next one goes on, while forms are stored (rule 18, F151)", async () => {
  await using system = await startSystem();
  const { sql } = system.database;
  await sql`
    insert into events (source, dedup_key, secret_index, path, headers, body, received_at)
    select 'site', 'old' || n, 0, '/', '{}', '{}', now() - interval '500 days' from generate_series(1, 5000) as n`;
  await sql`
    insert into jobs (kind, event_id, status, finished_at)
    select 'wait', id, 'done', now() - interval '500 days' from events`;
  const count = async () => {
    const [row] = await sql`
      select (select count(*)::int from jobs where status = 'done') as jobs,
        (select count(*)::int from events where dedup_key like 'old%') as events`;
    return { jobs: row!.jobs as number, events: row!.events as number };
  };
  await using receiver = await system.receiver();
  await using first = await system.worker();
  await until("some jobs are gone", async () => (await count()).jobs < 5000);
  first.kill("SIGKILL");
  await first.exit;
  const left = await count();
  assert(left.jobs > 0 && left.events === 5000, Deno.inspect(left));
  assertEquals(await receiver.stores(), true);
  // Instead of waiting until the turn of the dead worker is over.
  await sql`update retention set held_until = now() - interval '1 second'`;
  await using _second = await system.worker();
  await until("all that is old is gone", async () => (await count()).events === 0, { within: 30 });
  assertEquals(await count(), { jobs: 0, events: 0 });
  assertEquals(await receiver.stores(), true);
});

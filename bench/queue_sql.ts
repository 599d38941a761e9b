/**
 * Jobs made by the thousand, and done by Postgres alone: the SQL of the queue's bench.
 * @module
 */
import postgres from "postgres";

const BATCH = 500;
/** More do not go faster on a machine whose cores Postgres has to itself. */
const LOOPS = 2;

/** Makes jobs of the kind `bench` that are due, each with a handler of `ms`; `priorities` are given in turn. */
export async function fillJobs(
  sql: postgres.Sql,
  { jobs, ms, priorities = [1], entities }: {
    jobs: number;
    ms: number;
    priorities?: readonly number[];
    entities?: number;
  },
): Promise<void> {
  await sql`
    with made as (
      insert into jobs (kind, payload, priority, entity)
      select 'bench', json_build_object('ms', ${ms}::float8),
        (${`{${priorities}}`}::smallint[])[1 + n % ${priorities.length}::int], 'lead:' || n % ${
    entities ?? null
  }::int
      from generate_series(1, ${jobs}::int) as n
      returning entity, kind, priority, run_at
    )
    insert into entities (entity, next_at, kind, priority)
    select distinct on (entity) entity, run_at, kind, priority from made where entity is not null
  `;
}

/** Whether no due job is left; jobs of the future may be. Looks along the index that claims use, so that it costs them little. */
export async function isQueueEmpty(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql`
    select exists (select from jobs where status = 'running')
      or exists (select from entities where kind = 'bench' and next_at <= now())
      or exists (
        select from generate_series(0, 3) as level (priority) cross join lateral (
          select from jobs
          where status = 'pending' and entity is null and lost = 0 and kind = 'bench'
            and priority = level.priority and run_at <= now()
          limit 1
        ) as due
      ) as any
  `;
  return !row!.any;
}

/**
 * Does all due jobs with the two statements that no queue which keeps its rows can do without. They are not those of
 * `lib/db/`: no kinds, no fence, no alerts. What lies between this and Hookwork is what Hookwork costs.
 */
export async function drainByHand(url: string): Promise<void> {
  const sql = postgres(url, { max: LOOPS, fetch_types: false });
  try {
    await Promise.all(Array.from({ length: LOOPS }, () => drain(sql)));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function drain(sql: postgres.Sql): Promise<void> {
  for (;;) {
    const claimed = await sql<{ id: string }[]>`
      with due as materialized (
        select id from jobs
        where status = 'pending' and entity is null and lost = 0 and kind = 'bench' and priority = 1
          and run_at <= now()
        order by run_at, id limit ${BATCH} for update skip locked
      )
      update jobs set status = 'running', locked_until = now() + interval '1 minute', claims = claims + 1
      from due where jobs.id = due.id
      returning jobs.id, payload
    `;
    if (claimed.length === 0) return;
    await sql`
      update jobs set status = 'done', locked_until = null, finished_at = now()
      where id = any(${`{${claimed.map(({ id }) => id)}}`}::bigint[])
    `;
  }
}

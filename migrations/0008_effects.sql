-- What is created in the outside world, one row for each thing: noted before the call that creates it, and with the world's
-- own name for it after. Rows outlive their jobs, so that nothing is created again when a job comes back.
create table effects (
  key text primary key,
  -- The job and the claim that noted it last. No foreign key: jobs are deleted earlier.
  job_id bigint not null,
  kind text not null,
  claim integer not null,
  state text not null check (state in ('intended', 'done', 'planned')),
  -- Attempts of which nobody knows whether they took effect, the present one included.
  tries smallint not null check (tries >= 0),
  -- What the world calls it: the id of what was created.
  ref text,
  -- References that came after the first: the same thing was created more than once.
  other_refs text[] not null default '{}',
  -- For people: what is created. json, not jsonb, for the same reason as in jobs.
  detail json,
  -- By the clock and not by the transaction: it tells one intention from the next.
  intended_at timestamptz not null default clock_timestamp(),
  -- When the call of this intention must have ended.
  ends_at timestamptz,
  done_at timestamptz,
  check ((state = 'done') = (ref is not null)),
  check ((state = 'done') = (done_at is not null)),
  check (state <> 'intended' or ends_at is not null)
);

create index effects_job on effects (job_id);
create index effects_state on effects (state, intended_at);

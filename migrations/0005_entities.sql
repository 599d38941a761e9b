-- Order by entity: jobs of one entity run one at a time, and in the order of their ids.
alter table jobs add column entity text;
-- Newer work with the same entity makes this job pointless as long as it has not started.
alter table jobs add column collapses boolean not null default false check (not collapses or entity is not null);
-- No foreign key: retention may remove the newer job first.
alter table jobs add column superseded_by bigint;
alter table jobs add check ((status = 'superseded') = (superseded_by is not null));

-- The right to work on an entity: whoever locks its row decides which of its jobs runs. It is there while the entity has
-- unfinished jobs, so a hundred thousand followers cost a claim nothing: they are found through this one row.
create table entities (
  entity text primary key,
  -- Whose turn it is: the job runs, or waits for its next attempt. NULL: the first of those that are due.
  job_id bigint,
  -- When a claim may look; infinity while the job runs.
  next_at timestamptz not null,
  -- What the claim will find, as far as is known; a claim that finds something else corrects it.
  kind text not null,
  priority smallint not null,
  quarantined boolean not null default false,
  -- Grows with each job that is added. Equal before and after locking: no job was added that a statement cannot see.
  version bigint not null default 0
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0
);

create index entities_ready on entities (kind, priority, quarantined, next_at) where next_at < 'infinity';
create index jobs_entity on jobs (entity, id) where status = 'pending' and entity is not null;

-- One index for each use: by kind first, so that what a worker does not know, or must not touch now, costs it nothing.
drop index jobs_ready;
drop index jobs_quarantined;
create index jobs_ready on jobs (kind, priority, run_at, id) where status = 'pending' and entity is null and lost = 0;
create index jobs_quarantined on jobs (kind, priority, run_at, id) where status = 'pending' and entity is null and lost > 0;

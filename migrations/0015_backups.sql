-- What is known of backups, one row. It is in the database since the processes that watch it may read no folder of backups.
create table backups (
  only_row boolean primary key default true check (only_row),
  -- When a regular one was first begun: from then on their absence is told of.
  begun_at timestamptz,
  -- When the last regular one was whole, wherever it had to go.
  completed_at timestamptz,
  -- Of which moment the backup was that this database was restored from. What was done after it is not known here.
  restored_from timestamptz,
  restored_at timestamptz,
  check ((restored_from is null) = (restored_at is null))
);
insert into backups default values;

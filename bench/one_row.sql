-- What one request costs when each is a statement of its own: an event, its job, and the word to the workers.
\set id random(1, 9000000000000000)
with stored as (
  insert into events (source, dedup_key, secret_index, path, headers, body)
  values ('site', (:id)::bigint::text, 0, '/hooks/site',
    '{"host": "bench", "content-type": "application/json", "content-length": "142"}',
    convert_to('{"id":"00000000-0000-4000-8000-000000000000-1","name":"Ada Lovelace","phone":"+49 30 1234567","message":"Please call me back about the offer."}', 'UTF8'))
  on conflict (source, dedup_key) do nothing
  returning id
), made as (
  insert into jobs (kind, payload, event_id)
  select 'site.form',
    '{"form":{"id":"00000000-0000-4000-8000-000000000000-1","name":"Ada Lovelace","phone":"+49 30 1234567","message":"Please call me back about the offer."}}',
    id from stored
  returning id
), told as (
  select pg_notify('hookwork_jobs', '') from made
)
select made.id from made left join told on true;

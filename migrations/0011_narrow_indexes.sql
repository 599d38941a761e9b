-- Most jobs have no key, and those of schedules no event. Claim and finish write a new row version each, so an entry that says
-- nothing would be written three times for each job.
create unique index jobs_key on jobs (key) where key is not null;
alter table jobs drop constraint jobs_key_key;
drop index jobs_event;
create index jobs_event on jobs (event_id) where event_id is not null;

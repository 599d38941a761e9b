-- The fence of an alert: grows at each taking, so that a sender that was slow does not take off what another one sent.
alter table alerts add column tries integer not null default 0;

-- Whether a destination is told of events: the kind says whether it can be, its options whether it is.
alter table destination add column wants_events boolean not null default false;
update destination set wants_events = true where kind = 'webhook' and options ->> 'events' = 'true';

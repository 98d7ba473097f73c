-- Work that one process does at a time, by name (src/store/named-leases.ts).
create table named_lease (
  name        text collate "C" primary key,
  lease_token text collate "C" not null,
  until_ms    bigint not null
);
-- Ten minutes after the upgrade, by when the processes of the release before have ended their own maintenance.
insert into named_lease (name, lease_token, until_ms)
values ('maintenance', '', (extract(epoch from now()) * 1000)::bigint + 600000);

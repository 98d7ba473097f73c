-- Work that one process does at a time, by name (src/store/named-leases.ts).
create table named_lease (
  name        text collate "C" primary key,
  lease_token text collate "C" not null,
  until_ms    bigint not null
);

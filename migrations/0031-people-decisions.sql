-- What an app decided about people: which service users are one person, and which are not. In the shard of the account; a row for each
-- service user of a decision. There is no end but that of the account: a decision also counts for a user who comes back.
create table people_decision (
  shard       smallint not null,
  account_id  text collate "C" not null,
  decision_id text collate "C" not null,
  service     text collate "C" not null,
  user_id     text collate "C" not null,
  kind        text not null check (kind in ('join', 'split')),
  -- Of a split: not the person that the others of the decision are.
  is_other    boolean not null,
  decided_at  bigint not null,
  primary key (shard, account_id, decision_id, service, user_id)
);

-- Grows with each change of the decisions, so that a cached list of people is recognised as old.
alter table account add column people_revision bigint not null default 0;

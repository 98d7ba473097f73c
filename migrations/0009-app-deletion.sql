-- Set while an app is being deleted: its secret and its people's tokens are refused, nothing is synced for it any more.
alter table app add column deleting_at bigint;

-- Deletions of apps with everything of their people: what is under way goes on after a restart. Kept when done, to be looked at.
create table app_deletion (
  app_id        text collate "C" primary key,
  name          text not null,
  actor         text not null,
  started_at    bigint not null,
  finished_at   bigint,
  -- Accounts when it began; how many of them are erased.
  accounts      bigint not null,
  erased        bigint not null,
  -- What became of the tokens that services had given.
  revoked       bigint not null,
  not_supported bigint not null,
  failed        bigint not null,
  -- Since when only destinations are waited for, which have not taken out all rows yet.
  waiting_since bigint,
  -- Do not wait for destinations any longer.
  give_up       boolean not null,
  -- Destinations that went without having confirmed the erasure.
  untold        bigint not null,
  -- Until when one process alone goes on with it.
  lease_until   bigint not null,
  error         text
);

-- Finds the accounts of an app.
create index account_app on account (app_id, part, id);

-- Files that people upload instead of signing in. An upload is in the shard of the profile that it is for, and belongs to it from the
-- exchange of the code on; until then it expires with its sign-in.
create table upload (
  shard      smallint not null,
  id         text collate "C" not null,
  app_id     text collate "C" not null,
  -- Null until the profile exists.
  profile_id text collate "C",
  -- The order in which uploads were attached to their profile.
  position   int,
  -- Null once it belongs to a profile.
  expires_at bigint,
  primary key (shard, id)
);
create index upload_of_profile on upload (shard, profile_id, position) where profile_id is not null;
create index upload_expired on upload (expires_at, shard, id) where expires_at is not null;

-- The bytes of an upload as they arrive (stream ''), then the records in it, in pages: JSON, by the endpoint that reads them.
create table upload_part (
  shard     smallint not null,
  upload_id text collate "C" not null,
  stream    text collate "C" not null,
  part      int not null,
  content   bytea not null,
  primary key (shard, upload_id, stream, part)
);
-- Compressed by nobody: the bytes of archives cannot be, and pages are deleted after a moment.
alter table upload_part alter column content set storage external;

-- Which tokens an account keeps when it has too many. By the sign-in of which profile a token was issued: '' when it was disconnected
-- since, null for tokens of the release before. When it was used last, to a day; null: not on a later day than it was issued.
alter table access_token add column profile_id text collate "C";
alter table access_token add column used_at bigint;

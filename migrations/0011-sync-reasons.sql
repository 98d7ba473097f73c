-- Why an endpoint's last run did not end well, as one word; `last_error` has only the sentence.
alter table endpoint_sync add column last_reason text collate "C";
update endpoint_sync set last_reason = split_part(last_error, ': ', 1), last_error = substr(last_error, strpos(last_error, ': ') + 2)
where last_error ~ '^[a-z_]+: ';

-- Which request `etag` is for.
alter table endpoint_sync add column validator_for text collate "C";
update endpoint_sync set validator_for = left(etag, 16), etag = substr(etag, 18) where etag is not null;

-- One shape: each pace as it was written and as it is read.
update app set sync = json_build_object('off', coalesce(sync -> 'off', '[]'::json), 'pace', coalesce((
  select json_object_agg(p.key, p.value::jsonb || jsonb_build_object('text', coalesce(sync -> 'written' -> 'pace' ->> p.key,
    case when p.value ->> 'cron' is null then (p.value ->> 'everyMs')::bigint / 1000 || 's' else concat_ws(' ', p.value ->> 'cron', p.value ->> 'zone') end)))
  from json_each(coalesce(sync -> 'pace', '{}'::json)) p), '{}'::json))
where sync::text <> '{}';

-- Since when a person or an operator wants no syncs. Stays while the profile needs a new sign-in, so that one does not end the pause.
alter table profile add column paused_at bigint;

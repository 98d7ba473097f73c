-- The services that people of an app may connect, by name. Null: all that it has keys for. A process of the release before neither reads
-- nor writes it.
alter table app add column services text[];

-- Every word begins with a scope of its profile, which tells more than the part does. The part beside it, an entry as long as
-- the whole part, cost a search more than all the words in it.
drop index item_found;
create index item_found on item using gin (words);

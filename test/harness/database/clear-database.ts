import { Client } from 'pg'

/**
 * Remembers the rows and the schema of a new database, so that it can be cleared for the next test file: copying a template of
 * hundreds of tables costs the server a second.
 */
export async function rememberDatabase(url: string): Promise<string> {
  return inDatabase(url, async (client) => {
    await client.query(REMEMBER)
    return fingerprint(client)
  })
}

/** Gives a database the rows back that it was created with. Returns false if its schema has changed. */
export async function clearDatabase(url: string, remembered: string): Promise<boolean> {
  return inDatabase(url, async (client) => {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    if ((await fingerprint(client)) !== remembered) return false
    await client.query(CLEAR)
    return true
  })
}

const TABLES = `select c.oid::regclass::text as name, 'remembered.' || quote_ident(replace(c.oid::regclass::text, '.', '_')) as copy,
  coalesce((select sum(pg_relation_size(relid)) from pg_partition_tree(c.oid)), 0) + pg_relation_size(c.oid) as bytes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and nspname not in ('pg_catalog', 'information_schema', 'remembered')`

const MAX_LEFT_BYTES = 64 * 1024

const REMEMBER = `create schema remembered;
do $$ declare one record; has_rows boolean; begin
  for one in ${TABLES} loop
    execute format('select exists (select from %s)', one.name) into has_rows;
    if has_rows then execute format('create table %s as select * from %s', one.copy, one.name); end if;
  end loop;
end $$`

// What is deleted stays in its pages and indexes, and the statements of later files would read it: soon as much as they read
// of their own. Truncating costs a few files for each table, so small ones are left.
const CLEAR = `set session_replication_role = replica;
do $$ declare one record; has_rows boolean; large text; begin
  select string_agg(name, ', ') into large from (${TABLES}) each where bytes > ${MAX_LEFT_BYTES};
  if large is not null then execute format('truncate %s cascade', large); end if;
  for one in ${TABLES} loop
    execute format('select exists (select from %s)', one.name) into has_rows;
    if has_rows then execute format('delete from %s', one.name); end if;
    if to_regclass(one.copy) is not null then execute format('insert into %s select * from %s', one.name, one.copy); end if;
  end loop;
  for one in select seqrelid, seqstart from pg_sequence loop perform setval(one.seqrelid, one.seqstart, false); end loop;
end $$`

/** Changes when a table, column, index, trigger, function or setting comes or goes. */
async function fingerprint(client: Client): Promise<string> {
  const { rows } = await client.query<{ print: string }>(
    `select md5(concat_ws(' ',
       (select string_agg(concat_ws(' ', oid, relkind, relnatts, relchecks, reloptions), ',' order by oid) from pg_class
        where oid >= 16384 and relkind <> 't'),
       (select count(*) from pg_attribute where attrelid >= 16384 and attisdropped),
       (select string_agg(oid::text, ' ' order by oid) from pg_constraint where oid >= 16384),
       (select string_agg(concat_ws(' ', oid, tgenabled), ',' order by oid) from pg_trigger where oid >= 16384),
       (select string_agg(concat_ws(' ', oid, md5(prosrc)), ',' order by oid) from pg_proc where oid >= 16384),
       (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where datname = current_database()),
       (select count(*) from pg_prepared_xacts where database = current_database()))) as print`,
  )
  return rows[0]!.print
}

async function inDatabase<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { statement } from '#platform/postgres/database.ts'
import { isByShard } from '#store/cluster/compare-tables.ts'
import { PLACEMENTS } from '#store/cluster/placement.ts'
import { migrate } from '#store/migrate.ts'
import { SEALED_COLUMNS } from '#store/reseal.ts'
import { BYTES, SEALED, SOUNDS_SECRET, TEXTS } from '../../scripts/threat-model/columns.ts'
import { type Opened, openFresh } from './opened.ts'

/** Found by one key and divided by it, or small and copied to every node. */
const WITHOUT_SHARD = [...PLACEMENTS].flatMap(([table, placement]) => (isByShard(placement) ? [] : [table]))

const tables = statement(
  'rules-tables',
  `select c.relname as name, coalesce(a.attnotnull and t.typname in ('int2', 'int4'), false) as sharded
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   left join pg_attribute a on a.attrelid = c.oid and a.attname = 'shard' and not a.attisdropped
   left join pg_type t on t.oid = a.atttypid
   where n.nspname = 'public' and c.relkind in ('r', 'p') order by 1`,
)
const uniques = statement(
  'rules-uniques',
  `select c.relname as table, i.relname as index, a.attname as first, x.indisprimary as primary
   from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
   join pg_namespace n on n.oid = c.relnamespace
   left join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
   where n.nspname = 'public' and x.indisunique`,
)
const indexes = statement(
  'rules-indexes',
  `select c.relname as table, i.relname as index,
     array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any(x.indkey)) as columns
   from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
   join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public'`,
)
const sequences = statement(
  'rules-sequences',
  `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'S'`,
)
const identities = statement(
  'rules-identities',
  `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' and is_identity = 'YES'`,
)
const triggers = statement(
  'rules-triggers',
  `select c.relname || '.' || t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
   join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and not t.tgisinternal
   union all select c.relname || '.' || r.rulename from pg_rewrite r join pg_class c on c.oid = r.ev_class
   join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind in ('r', 'p')`,
)
const defaults = statement(
  'rules-defaults',
  `select c.relname || '.' || a.attname || ': ' || pg_get_expr(d.adbin, d.adrelid) as name
   from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
   join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and pg_get_expr(d.adbin, d.adrelid) ~* '[a-z_]+ *\\(|current_|localtime|session_user'`,
)
const foreign = statement(
  'rules-foreign',
  `select c.relname as table, k.conname as name, f.relname as target,
     exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'shard' and a.attnum = any(k.conkey)) as with_shard
   from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
   join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and k.contype = 'f'`,
)
const bytes = statement(
  'rules-bytes',
  `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' and data_type = 'bytea' order by 1`,
)
// A `lease_token` opens nothing: it says which process holds a lease.
const secretTexts = statement(
  'rules-secret-texts',
  `select table_name || '.' || column_name as name from information_schema.columns
   where table_schema = 'public' and data_type in ('text', 'json', 'jsonb') and column_name ~ '${SOUNDS_SECRET}'
     and column_name <> 'lease_token' order by 1`,
)
const texts = statement(
  'rules-texts',
  `select c.relname || '.' || a.attname as name from pg_index x join pg_class c on c.oid = x.indrelid
   join pg_namespace n on n.oid = c.relnamespace
   join pg_attribute a on a.attrelid = c.oid and a.attnum = any(x.indkey)
   join pg_type t on t.oid = a.atttypid left join pg_collation l on l.oid = a.attcollation
   where n.nspname = 'public' and t.typname in ('text', 'varchar') and l.collname is distinct from 'C'`,
)

let opened: Opened
const names = async (query: ReturnType<typeof statement>) =>
  (await opened.database.rows<{ name: string }>(query)).map(({ name }) => name)

before(async () => {
  opened = await openFresh()
  await migrate(opened.database, 1)
})
after(() => opened.close())

suite('the distribution rules', () => {
  const partedTables = async () =>
    (await opened.database.rows<{ name: string; sharded: boolean }>(tables)).filter(
      ({ name }) => !WITHOUT_SHARD.includes(name),
    )

  test('the placement knows every table, and no other', async () => {
    const all = (await opened.database.rows<{ name: string }>(tables)).map(({ name }) => name)
    assert.deepEqual([...PLACEMENTS.keys()].sort(), all.sort())
  })

  test('every table that is divided by shard has one that is never empty', async () => {
    const all = await partedTables()
    assert.ok(all.length > 0)
    assert.deepEqual(
      all.filter(({ sharded }) => !sharded),
      [],
    )
  })

  test('a table that is divided by another column has it in front of every key', async () => {
    const keyed = [...PLACEMENTS].flatMap(([table, placement]) =>
      typeof placement === 'object' && !isByShard(placement) ? [[table, placement.by] as const] : [],
    )
    assert.ok(keyed.length > 0)
    const keys = await opened.database.rows<{ table: string; first: string }>(uniques)
    for (const [table, column] of keyed) {
      const firsts = keys.filter((key) => key.table === table).map(({ first }) => first)
      assert.ok(firsts.length > 0 && firsts.every((first) => first === column), `${table}: ${firsts.join(', ')}`)
    }
  })

  test('every table has a primary key, and every key of a sharded one starts with the shard', async () => {
    const keys = await opened.database.rows<{ table: string; index: string; first: string; primary: boolean }>(uniques)
    const sharded = (await partedTables()).map(({ name }) => name)
    assert.deepEqual(
      keys.filter(({ table, first }) => sharded.includes(table) && first !== 'shard'),
      [],
    )
    const withPrimary = keys.filter(({ primary }) => primary).map(({ table }) => table)
    assert.deepEqual(
      [...sharded, ...WITHOUT_SHARD].filter((table) => !withPrimary.includes(table)),
      [],
    )
  })

  test('every other index of a sharded table has the shard in it, or the scope that stands in every word', async () => {
    const sharded = (await partedTables()).map(({ name }) => name)
    const all = await opened.database.rows<{ table: string; index: string; columns: string[] }>(indexes)
    assert.deepEqual(
      all.filter(
        ({ table, index, columns }) =>
          sharded.includes(table) &&
          !columns.includes('shard') &&
          !['item_words', 'profile_person_terms'].includes(index),
      ),
      [],
    )
  })

  test('nothing counts by itself', async () => {
    assert.deepEqual(await names(sequences), [])
    assert.deepEqual(await names(identities), [])
  })

  test('nothing happens behind a statement', async () => assert.deepEqual(await names(triggers), []))

  test('no default calls a function', async () => assert.deepEqual(await names(defaults), []))

  test('a foreign key of a sharded table carries the shard', async () => {
    const sharded = (await partedTables()).map(({ name }) => name)
    const all = await opened.database.rows<{ table: string; with_shard: boolean }>(foreign)
    assert.deepEqual(
      all.filter(({ table, with_shard }) => sharded.includes(table) && !with_shard),
      [],
    )
  })

  test('texts in keys sort as their bytes do', async () => assert.deepEqual(await names(texts), []))

  test('all bytes are sealed, are hashes or are no secret, as the threat model says', async () => {
    assert.deepEqual(await names(bytes), Object.keys(BYTES).toSorted())
    const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
    assert.deepEqual(Object.keys(SEALED).toSorted(), sealed.toSorted())
  })

  test('no text that sounds like a secret is in the clear', async () => {
    assert.deepEqual(await names(secretTexts), Object.keys(TEXTS).toSorted())
  })

  test('a table that breaks them is found', async () => {
    await opened.database.script(`create table bad (id serial primary key, at timestamptz default now(), x bytea);
      create function quiet() returns trigger language plpgsql as 'begin return new; end';
      create trigger behind before insert on bad for each row execute function quiet()`)
    try {
      assert.deepEqual(
        (await partedTables()).filter(({ sharded }) => !sharded).map(({ name }) => name),
        ['bad'],
      )
      assert.deepEqual(await names(sequences), ['bad_id_seq'])
      assert.deepEqual(await names(triggers), ['bad.behind'])
      assert.equal((await names(defaults)).length, 2)
      assert.ok((await names(bytes)).includes('bad.x'))
    } finally {
      await opened.database.script('drop table bad; drop function quiet()')
    }
  })
})

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { knownStatements, statement } from '#platform/postgres/database.ts'
import { migrate } from '#store/migrate.ts'
import { EVERY_SHARD } from './every-shard.ts'
import { type Opened, openFresh } from './opened.ts'

const shardedTables = statement(
  'test-sharded-tables',
  `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'shard'`,
)

const KEYWORDS =
  'and as cross do for group inner join lateral left limit not on order returning select set union using values where'
const REFERENCE = /\b(from|join|into|update|using) (?:only )?([a-z_]+)(?: (?:as )?([a-z_]+))?/g

/** A shard that comes with the values; without one, shards are only compared with each other. */
const GIVEN = /\bshard = (?:any ?\()?\$|\bvalues \(|\bselect \$|\bunnest\(|\bjson_to_recordset\(/

/** Tables of a statement that it reads or writes without saying in which shard. */
function tablesWithoutShard(text: string, sharded: readonly string[]): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, verb, table = '', next = '']) => {
    if (!sharded.includes(table)) return []
    const alias = KEYWORDS.split(' ').includes(next) || next === '' ? table : next
    const shard = `(?:\\b${alias}\\.|(?<![.\\w]))shard\\b`
    const says =
      verb === 'into'
        ? new RegExp(`into ${table}(?: as \\w+)? \\([^)]*\\bshard\\b`)
        : new RegExp(
            `${shard} (?:=|in\\b)|= ${shard}|\\(${shard}, [^)]*\\) (?:=|in\\b)|= \\(${shard},|using \\(shard\\b`,
          )
    return says.test(text) && GIVEN.test(text) ? [] : [table]
  })
}

suite('the shard in statements', () => {
  let opened: Opened
  let sharded: string[]
  before(async () => {
    opened = await openFresh()
    await migrate(opened.database, 1)
    sharded = (await opened.database.rows<{ name: string }>(shardedTables)).map(({ name }) => name)
    const root = join(import.meta.dirname, '../../src')
    const files = globSync('{store,flows}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    for (const file of files) await import(join(root, file))
  })
  after(() => opened.close())

  // Texts that are composed when they are asked for are not known here; test/spec/reading/partitioned.test.ts runs them on a partitioned table.
  test('every statement on a table with shards says which, but for those that need every shard', () => {
    assert.ok(sharded.length > 15)
    const ours = knownStatements().filter(({ name }) => !name.startsWith('test-'))
    const found = ours.filter(({ text }) => tablesWithoutShard(text, sharded).length > 0).map(({ name }) => name)
    assert.deepEqual(found.sort(), Object.values(EVERY_SHARD).flat().sort())
  })

  test('one that does not is found', () => {
    const texts: [string, string[]][] = [
      ['select shard, id from profile where account_id = $1', ['profile']],
      ['delete from item where profile_id = $1', ['item']],
      ['insert into audit (id, at) values ($1, $2)', ['audit']],
      ['select 1 from profile p join item i on i.profile_id = p.id where p.shard = $1', ['item']],
      ['select 1 from profile p join item i on i.shard = p.shard and i.profile_id = p.id where p.shard = $1', []],
      [
        'select 1 from profile p join item i on i.shard = p.shard and i.profile_id = p.id where p.app_id = $1',
        ['profile', 'item'],
      ],
      ['update account set shards = $2 where shard = $1 and id = $3', []],
      ['select id from app where name = $1', []],
    ]
    for (const [text, tables] of texts) assert.deepEqual(tablesWithoutShard(text, sharded), tables, text)
  })
})

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { knownStatements } from '#platform/postgres/database.ts'
import { migrate } from '#store/migrate.ts'
import { takeApart } from '../harness/source/source-text.ts'
import { partitionTables } from '../runner/partition-tables.ts'
import { composedStatements } from './composed-statements.ts'
import { EVERY_SHARD, NOT_ON_SHARDS } from './every-shard.ts'
import { type Opened, openFresh } from './opened.ts'
import { partitionsOf, partitionsWith } from './partitions-of-plan.ts'

const sweeps = new Set(Object.values(EVERY_SHARD).flat())
/** Others, like `analyze`, have no plan. */
const HAS_PLAN = /^(select|insert|update|delete|with)\b/i

suite('the shard in statements', () => {
  let opened: Opened
  let client: Client
  before(async () => {
    opened = await openFresh()
    await migrate(opened.database, 1)
    client = new Client({ connectionString: opened.url })
    await client.connect()
    await partitionTables(client)
    // With the values, so that the plan contains the partitions of these values only.
    await client.query('set plan_cache_mode = force_custom_plan')
    // All values are the same, so a range of ids is empty; the plan must contain its partitions nevertheless.
    await client.query('set constraint_exclusion = off')
    const root = join(import.meta.dirname, '../../src')
    const files = globSync('{store,flows}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    for (const file of files) await import(join(root, file))
  })
  after(async () => {
    await client?.end()
    await opened?.close()
  })

  const ours = () =>
    knownStatements().filter(
      ({ text, name }) => HAS_PLAN.test(text) && !name.startsWith('test-') && !NOT_ON_SHARDS.includes(name),
    )
  const readsSeveral = async (text: string) =>
    (await partitionsOf(client, { name: 'test-plan', text })).some((partitions) => partitions.includes(','))

  test('every statement reads one shard, but for those that are listed', async () => {
    const found: string[] = []
    for (const each of ours())
      if ((await partitionsOf(client, each)).some((partitions) => partitions.includes(','))) found.push(each.name)
    assert.deepEqual(found.sort(), [...sweeps].sort())
  })

  test('every composed statement reads one shard', async () => {
    const composed = composedStatements(5)
    const found: string[] = []
    const seen = new Set<string>()
    for (const { name, text, values } of composed) {
      const partitions = await partitionsWith(client, text, values)
      for (const each of partitions) seen.add(each)
      if (partitions.length !== 1 || partitions[0]!.includes(',')) found.push(`${name}: ${partitions.join('; ')}`)
    }
    assert.deepEqual(found, [])
    // All of one shard, so all in one partition.
    assert.equal(seen.size, 1)
    const broken = composed.flatMap(({ name, text }) =>
      RULES.filter(({ breaks, onlySweeps }) => onlySweeps !== true && breaks.test(text)).map(
        ({ rule }) => `${name}: ${rule}`,
      ),
    )
    assert.deepEqual(broken, [])
  })

  test('every composed statement is listed', () => {
    const list = readFileSync(join(import.meta.dirname, 'composed-statements.ts'), 'utf8')
    const missing = globSync('*.ts', { cwd: ITEMS }).flatMap((file) =>
      unlisted(readFileSync(join(ITEMS, file), 'utf8'), list).map((name) => `${file}: ${name}`),
    )
    assert.deepEqual(missing, [])
    const listed = "import { monthsOf, writeMonths } from '#store/items/months.ts'"
    const cases: [source: string, expected: string[]][] = [
      ['export function writeMonths() {}\nqueries.rows(autoPrepare(text))', []],
      ['export function writeYears() {}\nqueries.rows(autoPrepare(text))', ['writeYears']],
      ['queries.rows(autoPrepare(text))', ['1 composed, 0 written']],
      ["queries.rows({ name: '', text })", ['1 composed, 0 written']],
      ['countShown<Row>(queries, [profile], monthsOf(selection))', []],
      ['countShown(queries, readable, { by: {}, match: (a, b) => ({ where: [] }) })', ['countShown']],
      ['listItems(queries, list, YEARS, toYear)', ['listItems']],
    ]
    for (const [source, expected] of cases) assert.deepEqual(unlisted(source, listed), expected, source)
  })

  test('a composed statement with values of two shards is found', async () => {
    const [here, there] = [5, 6].map(
      (shard) => composedStatements(shard).find(({ name }) => name.startsWith('items: '))!,
    )
    const offset = here!.values.length
    const shifted = there!.text.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`)
    const text = `select from (${here!.text}) one, (${shifted}) other`
    const partitions = await partitionsWith(client, text, [...here!.values, ...there!.values])
    assert.match(partitions.join('; '), /,/)
  })

  test('one that reads several is found', async () => {
    const texts: [string, boolean][] = [
      ['select shard, id from profile where account_id = $1', true],
      ['delete from item where profile_id = $1', true],
      ['select from profile p join item i on i.profile_id = p.id where p.shard = $1', true],
      ['select from profile p join item i on i.shard = p.shard and i.profile_id = p.id where p.shard = $1', false],
      ['select from profile p join item i on i.shard = p.shard and i.profile_id = p.id where p.app_id = $1', true],
      ['select from profile p, unnest($1::smallint[]) as given (shard) where p.shard = given.shard', true],
      ['update account set shards = $2 where shard = $1 and id = $3', false],
      ['update rate_limit set tokens = $1 where bucket = $2', false],
      ['delete from rate_limit where refilled_at < $1', true],
      ['select id from app where name = $1', false],
    ]
    for (const [text, expected] of texts) assert.equal(await readsSeveral(text), expected, text)
  })

  // What a sharded server (Citus) refuses or does wrongly, and neither partitions nor plans show.
  test('no statement uses what a sharded server cannot do', () => {
    const wrong = ours().flatMap(({ name, text }) =>
      RULES.filter(({ breaks, onlySweeps }) => (onlySweeps !== true || sweeps.has(name)) && breaks.test(text)).map(
        ({ rule }) => `${name}: ${rule}`,
      ),
    )
    assert.deepEqual(wrong, [])
  })
})

const ITEMS = join(import.meta.dirname, '../../src/store/items')
/** The functions that complete what a reader composes, and which argument that is. */
const COMPLETED = { listItems: 2, countShown: 2, matchingAmong: 3 }

/** What a source composes and `list` does not import. */
function unlisted(source: string, list: string): string[] {
  const imported = new Set([...list.matchAll(/^import \{([^}]*)\}/gm)].flatMap(([, names]) => names!.match(/\w+/g)!))
  const { code } = takeApart(source)
  const written = [...code.matchAll(/^export function (write\w+)/gm)].map(([, name]) => name!)
  const composed = [...code.matchAll(/\bautoPrepare\(/g)].length + source.split("name: ''").length - 1
  return [
    ...written.filter((name) => !imported.has(name)),
    ...(composed === written.length ? [] : [`${composed} composed, ${written.length} written`]),
    ...Object.entries(COMPLETED).flatMap(([name, at]) =>
      [...code.matchAll(new RegExp(`(?<!function )\\b${name}(?:<[^(]*>)?\\(`, 'g'))]
        .map((call) => argumentsAt(code, call.index + call[0].length)[at] ?? '')
        .filter((given) => given.trim() !== '' && !(given.match(/\w+/g) ?? []).some((word) => imported.has(word)))
        .map(() => name),
    ),
  ]
}

/** The arguments of a call, from behind its parenthesis. */
function argumentsAt(code: string, start: number): string[] {
  const given = ['']
  for (let at = start, depth = 0; at < code.length; at += 1) {
    const char = code[at]!
    if ('([{'.includes(char)) depth += 1
    if (')]}'.includes(char)) depth -= 1
    if (depth < 0) break
    if (char === ',' && depth === 0) given.push('')
    else given[given.length - 1] += char
  }
  return given
}

const RULES: { rule: string; breaks: RegExp; onlySweeps?: boolean }[] = [
  { rule: 'rows found by ctid', breaks: /\bctid\b/ },
  { rule: 'a lock over several shards', breaks: /\bfor (no key update|update|share|key share)\b/, onlySweeps: true },
  { rule: 'a recursive query over several shards', breaks: /\bwith recursive\b/, onlySweeps: true },
  { rule: 'a lateral join over several shards', breaks: /\blateral\b/, onlySweeps: true },
  // Citus 13.2 takes it for an assignment to elements, and crashes.
  { rule: 'a slice at the top of an assignment', breaks: /\bset\b.*[=,] \([^()]*(?:\([^()]*\)[^()]*)*\)\[\d+:/ },
  // Its type cannot be determined.
  {
    rule: 'a parameter in the conflict clause of insert … select',
    // Up to the end of the `with` query that it may be in.
    breaks: /\) select\b.*\bon conflict\b.*\bdo update\b(?:(?!\) (?:select|insert|update|delete)\b).)*\$\d/,
  },
]

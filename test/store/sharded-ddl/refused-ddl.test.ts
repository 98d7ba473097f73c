import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Placement } from '#store/cluster/placement.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { ACCEPTED_ACTIONS, REFUSED_ACTIONS } from './forms.ts'
import { refusedDdl } from './refused-ddl.ts'

const placements = new Map<string, Placement>([
  ['scratch', { by: 'shard' }],
  ['keyed', { by: 'bucket' }],
  ['shared', 'reference'],
  ['kept', 'local'],
])
const refused = (sql: string) => refusedDdl(sql, placements)

suite('DDL that a sharded server refuses', () => {
  for (const { name, sql } of readMigrations()) test(`is not in ${name}`, () => assert.deepEqual(refusedDdl(sql), []))

  for (const { form, example } of REFUSED_ACTIONS.filter((each) => each.example !== undefined))
    test(`${form} is refused on a table of the nodes, and accepted elsewhere`, () => {
      for (const table of ['scratch', 'keyed', 'shared', 'unknown'])
        assert.equal(refused(`ALTER TABLE ${table} ${example}`).length, 1, table)
      assert.deepEqual(refused(`alter table kept ${example}`), [])
      // Placed after the last statement of the file.
      assert.deepEqual(refused(`alter table scratch ${example}; create table scratch (shard smallint)`), [])
    })

  for (const { form, example } of ACCEPTED_ACTIONS.filter((each) => each.example !== undefined))
    test(`${form} is accepted`, () => assert.deepEqual(refused(`alter table scratch\n  ${example};`), []))

  for (const [what, sql, reason] of [
    [
      'the column that divides, with another type',
      'alter table scratch alter column shard type int',
      /divided by shard/,
    ],
    ['that column, removed', 'alter table keyed drop column bucket', /divided by bucket/],
    [
      'a refused action among others',
      'alter table scratch add column a int, alter column t set storage plain',
      /SET STORAGE/,
    ],
    ['a constraint among other actions', 'alter table scratch add column a int, add check (a > 0)', /the only action/],
    ['an action that nobody has tried', 'alter table scratch do something', /not known to work/],
    ['a statement that nobody has tried', 'cluster scratch', /not known to work/],
    ['a trigger', 'create trigger x after insert on scratch execute function f()', /not known to work/],
    ['a block', 'do $$ begin alter table scratch add column x int; end $$', /not known to work/],
    ['two indexes at once', 'drop index a, b', /not known to work/],
    ['a unique index without the column that divides', 'create unique index u on scratch (id)', /must contain shard/],
    [
      'such an index of some rows',
      'create unique index concurrently u on keyed (id) where id > 0',
      /must contain bucket/,
    ],
    ['a foreign key to divided rows', 'create table keyed (x text references scratch (id))', /cannot lead to scratch/],
    ['a foreign key that is added', 'alter table shared add foreign key (x) references kept (id)', /lead to kept/],
    ['a sequence', 'create table scratch (id bigserial)', /sequence/],
  ] as const)
    test(`${what} is refused`, () => {
      const found = refused(sql)
      assert.equal(found.length, 1)
      assert.match(found[0]!, reason)
    })

  test('commas and words in strings and parentheses divide nothing', () => {
    const sql = `alter table scratch add column a text default 'x, set storage', add column b numeric(3, 1) -- , set storage`
    assert.deepEqual(refused(sql), [])
    assert.deepEqual(refused('create unique index u on scratch (shard, lower(id))'), [])
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readIndexSteps } from './index-steps.ts'

test('statements end at semicolons that are not quoted or in a comment', () => {
  const steps = readIndexSteps(
    '0002-x.sql',
    `-- no-transaction
     -- Words; and more.
     create index concurrently a on item (shard, (data ->> 'x;  y'))
       where endpoint <> 'it''s; -- no comment'; -- done; really
     create unique index concurrently b on item(shard - 1);
     drop index concurrently if exists c`,
  )
  assert.deepEqual(steps, [
    {
      kind: 'create',
      index: 'a',
      table: 'item',
      sql: `create index concurrently a on item (shard, (data ->> 'x;  y')) where endpoint <> 'it''s; -- no comment'`,
    },
    { kind: 'create', index: 'b', table: 'item', sql: 'create unique index concurrently b on item(shard - 1)' },
    { kind: 'drop', index: 'c', sql: 'drop index concurrently if exists c' },
  ])
})

for (const sql of [
  'alter table thing add x int',
  'create index thing_value on thing (value)',
  'create index concurrently if not exists thing_value on thing (value)',
  'drop index concurrently thing_value',
])
  test(`rejects a statement that cannot be repeated: ${sql}`, () => {
    assert.throws(
      () => readIndexSteps('0002-x.sql', `-- no-transaction\n${sql};`),
      (error) =>
        error instanceof Error && error.message.includes('0002-x.sql') && error.message.endsWith(`not: ${sql}`),
    )
  })

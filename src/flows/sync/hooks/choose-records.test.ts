import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseRecords, type Delivered } from './choose-records.ts'

const versionOf = (record: unknown) => (record as { v?: number }).v
const upsert = (id: string, v: number | undefined, text = ''): Delivered => ({
  id,
  position: 1,
  change: { record: v === undefined ? { text } : { v, text } },
})
const deletion = (id: string, deletedAt: number | undefined, position = 1): Delivered => ({
  id,
  position,
  change: { deletedAt },
})
const stored = (id: string, v: number, text = '') => new Map([[id, { record: JSON.stringify({ v, text }) }]])

test('a newer version replaces an older one, whatever the order of arrival', () => {
  assert.deepEqual(chooseRecords(versionOf, stored('a', 5), [upsert('a', 4)]).records, [])
  assert.deepEqual(chooseRecords(versionOf, stored('a', 5), [upsert('a', 6)]).records, [{ v: 6, text: '' }])
  const { records } = chooseRecords(versionOf, new Map(), [upsert('a', 7, 'new'), upsert('a', 6, 'old')])
  assert.deepEqual(records, [{ v: 7, text: 'new' }])
})

test('where versions do not tell, the endpoint is read again and nothing is written', () => {
  const cases = [
    chooseRecords(versionOf, stored('a', 5, 'one'), [upsert('a', 5, 'other')]),
    chooseRecords(versionOf, new Map(), [upsert('a', undefined)]),
    chooseRecords(versionOf, new Map([['a', { record: '{}' }]]), [upsert('a', 9)]),
    chooseRecords(versionOf, new Map([['a', { deletedAt: 10 }]]), [upsert('a', 9)]),
    // Our clock and the service's differ.
    chooseRecords(versionOf, new Map([['a', { deletedAt: 10 }]]), [upsert('a', 60_000)]),
  ]
  for (const { records, deleted, needsReread } of cases)
    assert.deepEqual([records, deleted, needsReread], [[], [], true])
  assert.equal(chooseRecords(versionOf, stored('a', 5, 'one'), [upsert('a', 5, 'one')]).needsReread, false)
})

test('a deletion counts unless the record is newer, and one of an unknown record is kept', () => {
  assert.deepEqual(chooseRecords(versionOf, stored('a', 5), [deletion('a', 6)]).deleted, ['a'])
  assert.deepEqual(chooseRecords(versionOf, stored('a', 5), [deletion('a', undefined)]).deleted, ['a'])
  assert.deepEqual(chooseRecords(versionOf, stored('a', 5), [deletion('a', 4)]).deleted, [])
  const unknown = chooseRecords(versionOf, new Map(), [deletion('a', 6, 3), upsert('a', 5)])
  assert.deepEqual([unknown.records, unknown.deleted, unknown.kept], [[], [], [3]])
  const restored = chooseRecords(versionOf, new Map(), [deletion('a', 6, 3), upsert('a', 7)])
  assert.deepEqual(restored.records, [{ v: 7, text: '' }])
  const both = chooseRecords(versionOf, stored('a', 5), [upsert('a', 6), deletion('a', 7)])
  assert.deepEqual([both.records, both.deleted], [[], ['a']])
})

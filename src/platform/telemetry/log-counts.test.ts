import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogCounts, sumLogCounts } from './log-counts.ts'

test('messages beyond the bound are counted together', () => {
  const counts = createLogCounts()
  for (let i = 0; i < 700; i += 1) counts.add('warn', `message ${i}`)
  counts.add('warn', 'message 3')
  counts.add('error', 'message 3')
  const all = counts.all()
  assert.equal(all.length, 502)
  assert.equal(all.find(({ message }) => message === 'message 3')?.count, 2)
  assert.deepEqual(
    all.filter(({ message }) => message === 'other'),
    [
      { level: 'warn', message: 'other', count: 200 },
      { level: 'error', message: 'other', count: 1 },
    ],
  )
})

test('a secret in a message is not counted by name', () => {
  const counts = createLogCounts()
  counts.add('error', 'no entry for Authorization: Bearer abcdefghijklmnop')
  assert.doesNotMatch(JSON.stringify(counts.all()), /abcdefgh/)
})

test('the counts of several processes are summed', () => {
  const [one, two] = [createLogCounts(), createLogCounts()]
  for (const counts of [one, two]) counts.add('warn', 'both')
  two.add('error', 'both')
  assert.deepEqual(sumLogCounts([one.all(), two.all()]), [
    { level: 'warn', message: 'both', count: 2 },
    { level: 'error', message: 'both', count: 1 },
  ])
})

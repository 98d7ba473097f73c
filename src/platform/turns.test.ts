import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

test('works of one key run one after the other, in order, also after a failure; others do not wait', async () => {
  const turns = createTurns()
  const seen: string[] = []
  const gate = Promise.withResolvers<void>()
  const work =
    (name: string, wait: Promise<void>, fails = false) =>
    async () => {
      seen.push(`${name} begins`)
      await wait
      seen.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const first = turns.take('a', work('first', gate.promise, true))
  const second = turns.take('a', work('second', Promise.resolve()))
  assert.equal(await turns.take('b', work('other', Promise.resolve())), 'other')
  assert.equal(turns.waiting('a'), 2)
  gate.resolve()
  await assert.rejects(first, /first/)
  assert.equal(await second, 'second')
  assert.deepEqual(seen, ['first begins', 'other begins', 'other ends', 'first ends', 'second begins', 'second ends'])
  assert.equal(turns.waiting('a'), 0)
})

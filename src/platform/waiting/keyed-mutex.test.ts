import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyedMutex } from './keyed-mutex.ts'

test('tasks of one key run one after the other, in order, also after a failure; other keys do not wait', async () => {
  const mutex = createKeyedMutex()
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
  const first = mutex.run('a', work('first', gate.promise, true))
  const second = mutex.run('a', work('second', Promise.resolve()))
  assert.equal(await mutex.run('b', work('other', Promise.resolve())), 'other')
  assert.equal(mutex.pending('a'), 2)
  gate.resolve()
  await assert.rejects(first, /first/)
  assert.equal(await second, 'second')
  assert.deepEqual(seen, ['first begins', 'other begins', 'other ends', 'first ends', 'second begins', 'second ends'])
  assert.equal(mutex.pending('a'), 0)
})

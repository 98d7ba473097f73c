import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createRunSlots } from './run-slots.ts'

suite('run slots', () => {
  test('are taken by runs and freed by their ends, also by a failure', async () => {
    const slots = createRunSlots(2)
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    slots.start('one', () => one.promise)
    assert.equal(slots.fullMs(), 0)
    slots.start('two', () => two.promise)
    assert.deepEqual([slots.free(), slots.open(), slots.isRunning('two')], [0, 2, true])
    let isFreed = false
    const freed = slots.freed().then(() => {
      isFreed = true
    })
    await Promise.resolve()
    assert.equal(isFreed, false)
    two.reject(new Error('a bug'))
    await freed
    assert.deepEqual([slots.free(), slots.isRunning('two'), slots.fullMs()], [1, false, 0])
    one.resolve()
    assert.deepEqual(await slots.drain(0), [])
  })

  test('a drain begins nothing more, waits, then aborts, and names what does not end', async () => {
    const slots = createRunSlots(3)
    const aborted: string[] = []
    const quick = Promise.withResolvers<void>()
    slots.start('quick', () => quick.promise)
    slots.start('obeys', (signal) => new Promise((end) => signal.addEventListener('abort', () => end())))
    slots.start('hangs', (signal) => new Promise(() => signal.addEventListener('abort', () => aborted.push('hangs'))))
    const waiting = slots.freed()
    const drained = slots.drain(0)
    await waiting
    assert.equal(slots.free(), 0)
    quick.resolve()
    assert.deepEqual(await drained, ['hangs'])
    assert.deepEqual(aborted, ['hangs'])
  })
})

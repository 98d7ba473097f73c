import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createSemaphore } from './semaphore.ts'

/** Tasks that record when they begin and end when the test says so. */
function start(permits: number) {
  const semaphore = createSemaphore(permits)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const run = (name: string) => {
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return semaphore.run(() => {
      begun.push(name)
      return end.promise
    })
  }
  return { begun, run, end: (name: string) => ends.get(name)!.resolve(name), ends }
}

suite('the semaphore', () => {
  test('runs no more tasks than it has permits; the others follow in order of arrival', async () => {
    const { begun, run, end } = start(2)
    const all = ['a', 'b', 'c', 'd'].map(run)
    await setImmediate()
    assert.deepEqual(begun, ['a', 'b'])
    end('b')
    assert.equal(await all[1], 'b')
    await setImmediate()
    assert.deepEqual(begun, ['a', 'b', 'c'])
    for (const name of ['a', 'c', 'd']) end(name)
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd'])
    assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
  })

  test('a new caller does not overtake a waiting one while a permit is passed on', async () => {
    const { begun, run, end } = start(1)
    const first = run('first')
    const waited = run('waited')
    end('first')
    await first
    // The permit has been passed to the waiting task, which has not run yet.
    const late = run('late')
    await setImmediate()
    assert.deepEqual(begun, ['first', 'waited'])
    for (const name of ['waited', 'late']) end(name)
    await Promise.all([waited, late])
    assert.deepEqual(begun, ['first', 'waited', 'late'])
  })

  test('a task that fails releases its permit and rejects', async () => {
    const { begun, run, end, ends } = start(1)
    const failing = run('failing')
    const next = run('next')
    ends.get('failing')!.reject(new Error('broken'))
    await assert.rejects(failing, /broken/)
    end('next')
    assert.equal(await next, 'next')
    await assert.rejects(
      createSemaphore(1).run(() => {
        throw new Error('at once')
      }),
      /at once/,
    )
    assert.deepEqual(begun, ['failing', 'next'])
  })
})

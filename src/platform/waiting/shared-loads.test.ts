import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSharedLoads } from './shared-loads.ts'

function start() {
  const share = createSharedLoads<string>()
  const loads: PromiseWithResolvers<string>[] = []
  const call = (key = 'a') =>
    share(key, () => {
      const load = Promise.withResolvers<string>()
      loads.push(load)
      return load.promise
    })
  const begun = async (count: number) => {
    while (loads.length < count) await Promise.resolve()
    assert.equal(loads.length, count)
  }
  return { call, loads, begun }
}

suite('shared loads', () => {
  test('callers that arrive while a load is under way share the next one, and none gets an older value', async () => {
    const { call, loads, begun } = start()
    const first = call()
    const others = [call(), call(), call()]
    assert.equal(loads.length, 1)
    loads[0]!.resolve('first')
    assert.equal(await first, 'first')
    await begun(2)
    const last = call()
    loads[1]!.resolve('second')
    assert.deepEqual(await Promise.all(others), ['second', 'second', 'second'])
    await begun(3)
    loads[2]!.resolve('third')
    assert.equal(await last, 'third')
  })

  test('nothing is kept: a later call loads again', async () => {
    const { call, loads } = start()
    for (const value of ['first', 'second']) {
      const loaded = call()
      loads.at(-1)!.resolve(value)
      assert.equal(await loaded, value)
    }
    assert.equal(loads.length, 2)
  })

  test('other keys do not wait', () => {
    const { call, loads } = start()
    void call('a')
    void call('b')
    assert.equal(loads.length, 2)
  })

  test('a failure is only that of its own callers', async () => {
    const { call, loads, begun } = start()
    const first = call()
    const next = call()
    loads[0]!.reject(new Error('away'))
    await assert.rejects(first, /away/)
    await begun(2)
    loads[1]!.resolve('second')
    assert.equal(await next, 'second')
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createTtlCache } from './ttl-cache.ts'

function start(options: { ttlMs?: number; maxEntries?: number } = {}) {
  const clock = { nowMs: 0, now: () => clock.nowMs }
  const cache = createTtlCache<string>(clock, { ttlMs: 1000, maxEntries: 100, ...options })
  let loads = 0
  const load = async () => `value ${(loads += 1)}`
  return { clock, cache, load, loads: () => loads }
}

suite('the TTL cache', () => {
  test('loads once within the time to live, and again afterwards', async () => {
    const { clock, cache, load } = start()
    assert.equal(await cache.get('a', load), 'value 1')
    clock.nowMs = 999
    assert.equal(await cache.get('a', load), 'value 1')
    clock.nowMs = 1000
    assert.equal(cache.peek('a'), undefined)
    assert.equal(await cache.get('a', load), 'value 2')
    assert.equal(await cache.get('b', load), 'value 3')
  })

  test('a use does not extend the time to live', async () => {
    const { clock, cache, load } = start()
    await cache.get('a', load)
    for (const nowMs of [400, 800]) {
      clock.nowMs = nowMs
      await cache.get('a', load)
    }
    clock.nowMs = 1000
    assert.equal(await cache.get('a', load), 'value 2')
  })

  test('concurrent callers share one load', async () => {
    const { cache } = start()
    const loading = Promise.withResolvers<string>()
    let loads = 0
    const load = () => {
      loads += 1
      return loading.promise
    }
    const both = [cache.get('a', load), cache.get('a', load)]
    assert.equal(cache.peek('a'), both[0])
    loading.resolve('shared')
    assert.deepEqual(await Promise.all(both), ['shared', 'shared'])
    assert.equal(loads, 1)
  })

  test('values are deleted by what they are, and those being loaded in any case', async () => {
    const { cache, load } = start()
    await cache.get('a', load)
    await cache.get('b', load)
    const loading = Promise.withResolvers<string>()
    const begun = cache.get('c', () => loading.promise)
    cache.deleteMatching((value) => value === 'value 1')
    loading.resolve('of before')
    assert.equal(await begun, 'of before')
    assert.deepEqual([cache.peek('a'), await cache.peek('b'), cache.peek('c')], [undefined, 'value 2', undefined])
  })

  test('a failed load rejects for all who share it, and is not cached', async () => {
    const { cache, load } = start()
    const loading = Promise.withResolvers<string>()
    const both = [cache.get('a', () => loading.promise), cache.get('a', () => loading.promise)]
    loading.reject(new Error('away'))
    for (const each of both) await assert.rejects(each, /away/)
    assert.equal(cache.peek('a'), undefined)
    assert.equal(await cache.get('a', load), 'value 1')
  })

  test('a load that fails late does not remove a value that was set meanwhile', async () => {
    const { cache } = start()
    const loading = Promise.withResolvers<string>()
    const first = cache.get('a', () => loading.promise)
    cache.set('a', 'newer')
    loading.reject(new Error('away'))
    await assert.rejects(first, /away/)
    assert.equal(await cache.peek('a'), 'newer')
  })

  test('beyond the maximum only the least recently used entry is dropped', async () => {
    const { cache, load, loads } = start({ maxEntries: 3 })
    for (const key of ['a', 'b', 'c']) cache.set(key, key)
    assert.equal(await cache.get('a', load), 'a')
    cache.set('d', 'd')
    assert.equal(cache.peek('b'), undefined)
    for (const key of ['a', 'c', 'd']) assert.equal(await cache.get(key, load), key)
    // Setting an existing entry is a use and drops nothing.
    cache.set('a', 'A')
    assert.equal(await cache.peek('c'), 'c')
    cache.set('e', 'e')
    assert.equal(cache.peek('d'), undefined)
    assert.equal(await cache.peek('a'), 'A')
    assert.equal(loads(), 0)
  })

  test('deleted and cleared entries are loaded again', async () => {
    const { cache, load } = start()
    for (const key of ['a', 'b']) cache.set(key, key)
    cache.delete('a')
    assert.equal(await cache.get('a', load), 'value 1')
    assert.equal(await cache.peek('b'), 'b')
    cache.clear()
    assert.equal(cache.peek('b'), undefined)
  })

  test('expired entries are removed without a call', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const { clock, cache } = start()
    cache.set('a', 'a')
    clock.nowMs = 1500
    cache.set('b', 'b')
    clock.nowMs = 2000
    context.mock.timers.tick(2000)
    // With the clock set back, the entries that are still stored can be read: only expired ones were removed.
    clock.nowMs = 0
    assert.equal(cache.peek('a'), undefined)
    assert.notEqual(cache.peek('b'), undefined)
    cache.clear()
  })

  test('beyond the weight, the least recently used values are dropped', async () => {
    const clock = { now: () => 0 }
    const cache = createTtlCache<string>(clock, {
      ttlMs: 1000,
      maxEntries: 10,
      weigh: ({ length }) => length,
      maxWeight: 6,
    })
    const keys = () => ['a', 'b', 'c', 'd'].filter((key) => cache.peek(key) !== undefined)
    for (const key of ['a', 'b', 'c']) await cache.get(key, async () => 'xx')
    assert.deepEqual(keys(), ['a', 'b', 'c'])
    await cache.get('a', async () => 'never loaded')
    const [loading, failing] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    const waiting = cache.get('d', () => loading.promise)
    const failed = cache.get('e', () => failing.promise)
    loading.resolve('xxx')
    failing.reject(new Error('away'))
    assert.equal(await waiting, 'xxx')
    await assert.rejects(failed, /away/)
    assert.equal(cache.peek('b'), undefined)
    assert.equal(cache.peek('c'), undefined)
    assert.deepEqual(keys(), ['a', 'd'])
    await cache.get('c', async () => 'heavier than all')
    assert.deepEqual(keys(), [])
  })
})

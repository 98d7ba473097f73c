import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createRunLimiter, type RunPermit } from './run-limiter.ts'

/** Runs that end when the test calls `finish`. */
function controlledRuns() {
  const started: { name: string; permit: RunPermit; finish: () => void }[] = []
  return {
    started,
    names: () => started.map(({ name }) => name),
    run: (name: string) => (permit: RunPermit) =>
      new Promise<void>((finish) => {
        started.push({ name, permit, finish })
      }),
  }
}

const of = (appId: string, destinationId: string, isFailing = false) => ({ appId, destinationId, isFailing })

suite('run limiter', () => {
  test('a destination gets as many permits as it asks for, and at most three', async () => {
    const limiter = createRunLimiter(10)
    const { run, names, started } = controlledRuns()
    await limiter.acquire(of('a', 'a1'), 2, run('a1'))
    assert.deepEqual(names(), ['a1', 'a1'])
    await limiter.acquire(of('a', 'a1'), 3, run('a1'))
    assert.deepEqual(names(), ['a1', 'a1', 'a1'])
    await limiter.acquire(of('a', 'a1'), 3, run('a1'))
    assert.equal(started.length, 3)
    assert.deepEqual(
      started.map(({ permit }) => permit.others),
      [0, 1, 2],
    )
    for (const { finish } of started) finish()
    await limiter.close()
  })

  test('when all permits are in use, runs are asked to yield, and the app with the fewest runs is next', async () => {
    const limiter = createRunLimiter(3)
    const { run, names, started } = controlledRuns()
    for (const name of ['big1', 'big2', 'big3']) await limiter.acquire(of('big', name), 1, run(name))
    assert.equal(started[0]!.permit.isWanted(), false)
    const waiting = [
      limiter.acquire(of('big', 'big4'), 1, run('big4')),
      limiter.acquire(of('small', 'small1'), 1, run('small1')),
    ]
    await turn()
    assert.equal(started[0]!.permit.isWanted(), true)
    started[0]!.finish()
    await waiting[1]
    assert.deepEqual(names(), ['big1', 'big2', 'big3', 'small1'])
    started[1]!.finish()
    await waiting[0]
    assert.deepEqual(names().slice(4), ['big4'])
    for (const { finish } of started) finish()
    await limiter.close()
  })

  test('a quarter of the permits is reserved for apps that have none', async () => {
    const limiter = createRunLimiter(4)
    const { run, names, started } = controlledRuns()
    for (const name of ['big1', 'big2', 'big3']) await limiter.acquire(of('big', name), 1, run(name))
    const waiting = limiter.acquire(of('big', 'big4'), 1, run('big4'))
    await turn()
    assert.deepEqual(names(), ['big1', 'big2', 'big3'])
    await limiter.acquire(of('small', 'small1'), 3, run('small1'))
    assert.deepEqual(names(), ['big1', 'big2', 'big3', 'small1'])
    started[0]!.finish()
    await turn()
    assert.equal(names().length, 4)
    started[1]!.finish()
    await waiting
    assert.deepEqual(names().slice(4), ['big4'])
    for (const { finish } of started) finish()
    await limiter.close()
  })

  test('failing destinations get at most a quarter of the permits, and no run waits behind them', async () => {
    const limiter = createRunLimiter(8)
    const { run, names, started } = controlledRuns()
    for (let i = 0; i < 6; i += 1) await limiter.acquire(of(`app${i}`, `dead${i}`, true), 1, run(`dead${i}`))
    assert.deepEqual(names(), ['dead0', 'dead1'])
    for (let i = 0; i < 6; i += 1) await limiter.acquire(of(`app${i}`, `live${i}`), 1, run(`live${i}`))
    assert.equal(names().length, 8)
    for (const { finish } of started) finish()
    await limiter.close()
  })

  test('at most four controlledRuns of an app and one of a destination wait; the others return at once', async () => {
    const limiter = createRunLimiter(1)
    const { run, names, started } = controlledRuns()
    await limiter.acquire(of('big', 'big0'), 1, run('big0'))
    const first = limiter.acquire(of('big', 'big1'), 1, run('big1'))
    // These would hang if they waited.
    await limiter.acquire(of('big', 'big1'), 1, run('big1 again'))
    const more = [2, 3, 4].map((i) => limiter.acquire(of('big', `big${i}`), 1, run(`big${i}`)))
    await limiter.acquire(of('big', 'big5'), 1, run('big5'))
    const small = limiter.acquire(of('small', 'small1'), 1, run('small1'))
    started[0]!.finish()
    await first
    for (let i = 1; i < 6; i += 1) {
      await turn()
      started[i]!.finish()
    }
    await Promise.all([...more, small])
    assert.deepEqual(names().toSorted(), ['big0', 'big1', 'big2', 'big3', 'big4', 'small1'])
    await limiter.close()
  })

  test('a run that throws releases its permit', async () => {
    const limiter = createRunLimiter(1)
    const { run, names, started } = controlledRuns()
    await limiter.acquire(of('a', 'a1'), 1, () => Promise.reject(new Error('lost')))
    await limiter.acquire(of('a', 'a2'), 1, run('a2'))
    assert.deepEqual(names(), ['a2'])
    started[0]!.finish()
    await limiter.close()
  })

  test('close aborts the runs, waits for them and starts no other', async () => {
    const limiter = createRunLimiter(1)
    const { run, names, started } = controlledRuns()
    await limiter.acquire(of('a', 'a1'), 1, run('a1'))
    const late = limiter.acquire(of('a', 'a2'), 1, run('a2'))
    let closed = false
    const closing = limiter.close().then(() => {
      closed = true
    })
    await late
    assert.equal(started[0]!.permit.signal.aborted, true)
    await turn()
    assert.equal(closed, false)
    started[0]!.finish()
    await closing
    assert.deepEqual(names(), ['a1'])
  })
})

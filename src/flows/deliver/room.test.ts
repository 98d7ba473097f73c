import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createRoom, type Stay } from './room.ts'

/** Runs that end when they are told to. */
function guests() {
  const started: { name: string; stay: Stay; leave: () => void }[] = []
  return {
    started,
    names: () => started.map(({ name }) => name),
    run: (name: string) => (stay: Stay) =>
      new Promise<void>((leave) => {
        started.push({ name, stay, leave })
      }),
  }
}

const of = (appId: string, destinationId: string) => ({ appId, destinationId })

suite('the room of runs', () => {
  test('a destination gets as many places as it has use for, and no more than three', async () => {
    const room = createRoom(10)
    const { run, names, started } = guests()
    await room.enter(of('a', 'a1'), 2, run('a1'))
    assert.deepEqual(names(), ['a1', 'a1'])
    await room.enter(of('a', 'a1'), 3, run('a1'))
    assert.deepEqual(names(), ['a1', 'a1', 'a1'])
    await room.enter(of('a', 'a1'), 3, run('a1'))
    assert.equal(started.length, 3)
    assert.deepEqual(
      started.map(({ stay }) => stay.others),
      [0, 1, 2],
    )
    for (const { leave } of started) leave()
    await room.close()
  })

  test('when it is full, those inside are asked to leave, and the app with the fewest comes in next', async () => {
    const room = createRoom(3)
    const { run, names, started } = guests()
    for (const name of ['big1', 'big2', 'big3']) await room.enter(of('big', name), 1, run(name))
    assert.equal(started[0]!.stay.isWanted(), false)
    const waiting = [room.enter(of('big', 'big4'), 1, run('big4')), room.enter(of('small', 'small1'), 1, run('small1'))]
    await turn()
    assert.equal(started[0]!.stay.isWanted(), true)
    started[0]!.leave()
    await waiting[1]
    assert.deepEqual(names(), ['big1', 'big2', 'big3', 'small1'])
    started[1]!.leave()
    await waiting[0]
    assert.deepEqual(names().slice(4), ['big4'])
    for (const { leave } of started) leave()
    await room.close()
  })

  test('a run that throws frees its place', async () => {
    const room = createRoom(1)
    const { run, names, started } = guests()
    await room.enter(of('a', 'a1'), 1, () => Promise.reject(new Error('lost')))
    await room.enter(of('a', 'a2'), 1, run('a2'))
    assert.deepEqual(names(), ['a2'])
    started[0]!.leave()
    await room.close()
  })

  test('closing asks everybody to leave, waits for them and lets nobody in', async () => {
    const room = createRoom(1)
    const { run, names, started } = guests()
    await room.enter(of('a', 'a1'), 1, run('a1'))
    const late = room.enter(of('a', 'a2'), 1, run('a2'))
    let closed = false
    const closing = room.close().then(() => {
      closed = true
    })
    await late
    assert.equal(started[0]!.stay.signal.aborted, true)
    await turn()
    assert.equal(closed, false)
    started[0]!.leave()
    await closing
    assert.deepEqual(names(), ['a1'])
  })
})

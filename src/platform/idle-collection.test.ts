import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { collectEverything, idleCollection } from './idle-collection.ts'

const MB = 1024 * 1024

/** A process whose time, work and heap the test sets; a collection leaves `leaves` megabytes. */
function scripted(leaves: number) {
  const state = { nowMs: 0, cpuMs: 0, heapMb: 50, collections: 0 }
  const look = idleCollection({
    now: () => state.nowMs,
    cpuMs: () => state.cpuMs,
    heapBytes: () => state.heapMb * MB,
    collect: () => {
      state.collections += 1
      state.heapMb = leaves
    },
  })
  return {
    state,
    /** Ten seconds with this work. */
    pass: (cpuMs: number, heapMb = state.heapMb) => {
      state.nowMs += 10_000
      state.cpuMs += cpuMs
      state.heapMb = heapMb
      look()
      return state.collections
    },
  }
}

suite('collecting when idle', () => {
  test('once after the work, and again only after growth', () => {
    const { pass } = scripted(40)
    assert.equal(pass(9000), 0, 'busy')
    assert.equal(pass(50), 1, 'idle')
    assert.equal(pass(50), 1, 'nothing has grown')
    assert.equal(pass(50, 43), 1, 'hardly anything has grown')
    assert.equal(pass(9000, 60), 1, 'busy again')
    assert.equal(pass(50), 2, 'idle again')
  })

  test('not a heap whose collection takes long', () => {
    const { pass } = scripted(40)
    assert.equal(pass(10, 500), 0)
    assert.equal(pass(10, 90), 1)
  })

  test('frees what nothing refers to, and leaves the flags as they were', () => {
    const dropped = (() => new WeakRef({ text: 'x'.repeat(1000) }))()
    const before = 'gc' in globalThis
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      collectEverything()
      assert.equal(dropped.deref(), undefined)
      assert.equal('gc' in globalThis, before)
    })
  })
})

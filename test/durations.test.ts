import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { longestFirst, readDurations, writeDurations } from './durations.ts'

const file = (name: string) => ({ path: `/suite/${name}`, on: 'here', env: {} })

test('files run longest first; files without a recorded duration run before them, in their given order', () => {
  const seconds = new Map([
    ['a (here)', 1],
    ['b (here)', 30],
    ['c (there)', 99],
  ])
  const order = longestFirst('/suite', ['a', 'c', 'b', 'd'].map(file), seconds).map(({ path }) => path)
  assert.deepEqual(order, ['/suite/c', '/suite/d', '/suite/b', '/suite/a'])
})

test('durations survive from one run to the next, and an unreadable file counts as empty', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-durations-'))
  try {
    const path = join(folder, 'new/seconds.json')
    assert.deepEqual(readDurations(path), new Map())
    writeDurations(path, new Map([['a', 1.5]]))
    assert.deepEqual(readDurations(path), new Map([['a', 1.5]]))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

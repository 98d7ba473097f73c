import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { longestFirst, readDurations, writeDurations } from './durations.ts'
import type { ProcessRun } from './grouping.ts'

const file = (name: string) => ({ path: `/suite/${name}`, on: 'here', env: {} })
const together = (first: string, ...others: string[]): ProcessRun => ({ files: [file(first), ...others.map(file)] })

test('processes run longest first; those with a file of unknown duration run before, in their given order', () => {
  const seconds = new Map([
    ['a (here)', 1],
    ['b (here)', 30],
    ['c (there)', 99],
    ['e (here)', 40],
  ])
  const processes = [together('a', 'b'), together('c'), together('b'), together('e'), together('a', 'd')]
  assert.deepEqual(
    longestFirst('/suite', processes, seconds).map(({ files }) => files.map(({ path }) => path.slice(-1)).join('')),
    ['c', 'ad', 'e', 'ab', 'b'],
  )
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

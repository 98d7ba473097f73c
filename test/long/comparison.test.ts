import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { compareWith } from '../../bench/compare/against.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-test-'))
process.env['TMPDIR'] = folder
after(() => rmSync(folder, { recursive: true, force: true }))

test('the working tree is compared with its own commit, and nothing is left behind', async () => {
  const sizes = { rounds: 1, warmRounds: 0, reads: 5, calls: 5, callers: 2, readers: 10, items: 100 }
  const lines = await compareWith('HEAD', ['read type', 'proxy up', 'sync first'], sizes)
  const operation = /^(\w+ \w+) +\d+\.\d\d \(.+\) +too few rounds +1 rounds; \d+ and \d+ ms$/
  assert.deepEqual(
    lines.slice(1).map((line) => operation.exec(line)?.[1] ?? line),
    ['read type', 'proxy up', 'sync first'],
  )
  assert.deepEqual(readdirSync(folder), [])
  assert.doesNotMatch(execFileSync('git', ['worktree', 'list'], { encoding: 'utf8' }), new RegExp(folder))
})

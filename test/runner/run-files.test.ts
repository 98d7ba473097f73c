import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { changesItsProcess, type FileRun } from './file-run.ts'
import { newCounters, runFiles } from './run-files.ts'

const root = mkdtempSync(join(tmpdir(), 'tributary-run-files-'))
after(() => rmSync(root, { recursive: true }))

function written(name: string, text: string): FileRun {
  const path = join(root, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return { path, on: 'here', env: {}, isAlone: false }
}

test('files that change or measure their process are found, also by a file that they import', () => {
  const plain = written('test/plain.ts', `import './other.ts'`)
  const sets = written('test/sets.ts', `process.env['A'] = 'b'`)
  const measures = written('test/measures.ts', 'process.memoryUsage.rss()')
  written('test/fixture.ts', `import { x } from './deeper.ts'`)
  written('test/deeper.ts', 'globalThis.fetch = x')
  const through = written('test/through.ts', `import { y } from './fixture.ts'`)
  const changes = [plain, sets, measures, through].filter(({ path }) => changesItsProcess(root, path))
  assert.deepEqual(changes, [sets, measures, through])
})

suite('a process with several test files', () => {
  const run = async (...files: FileRun[]) => {
    const counters = newCounters()
    // In a process of the test runner, Node runs no further files unless this is unset.
    const { NODE_TEST_CONTEXT: context } = process.env
    delete process.env['NODE_TEST_CONTEXT']
    try {
      await runFiles(root, files, counters)
    } finally {
      if (context !== undefined) process.env['NODE_TEST_CONTEXT'] = context
    }
    return counters
  }
  const head = `import { after, before, suite, test } from 'node:test'\nimport assert from 'node:assert'\n`
  const good = written(
    'good.ts',
    `${head}
     let began = false
     before(async () => { await new Promise(setImmediate); globalThis['good'] = began = true })
     after(() => { delete globalThis['good'] })
     test('one', () => assert.ok(began))
     suite('more', () => { test('two', () => assert.ok(began)); test('three', { skip: 'no reason' }, () => {}) })`,
  )

  test('runs each with its own hooks, around its own tests', async () => {
    const next = written('next.ts', `${head}test('alone', () => assert.ok(!('good' in globalThis)))`)
    const { passed, failed, skipped, files } = await run(good, next)
    assert.deepEqual([passed, failed, skipped], [3, [], ['three: no reason']])
    assert.deepEqual([...files.keys()].toSorted(), ['good.ts (here)', 'next.ts (here)'])
  })

  test('names the file of a failed test and of a failed hook, and runs the others', async () => {
    const wrong = written('wrong.ts', `${head}test('wrong', () => assert.fail())`)
    const hook = written('hook.ts', `${head}before(() => assert.fail())\ntest('never', () => {})`)
    const { passed, failed } = await run(wrong, hook, good)
    assert.equal(passed, 2)
    assert.ok(failed.includes('wrong (wrong.ts (here))'), failed.join())
    assert.ok(
      failed.some((each) => each.endsWith('(hook.ts (here))')),
      failed.join(),
    )
  })

  test('fails for a file that cannot be loaded, and runs the others', async () => {
    const { passed, failed } = await run(written('broken.ts', 'throw new Error("not like this")'), good)
    assert.deepEqual([passed, failed], [2, ['is loaded (broken.ts (here))']])
  })

  test('fails if the process fails after the tests', async () => {
    const late = `${head}test('one', () => {})\nprocess.once('exit', () => { process.exitCode = 1 })`
    const { failed } = await run(written('late.ts', late))
    assert.ok(failed.includes('its process failed afterwards (late.ts (here))'), failed.join())
  })

  test('fails for the file that ended its process, and runs the others in another one', async () => {
    const { passed, failed } = await run(written('exits.ts', `${head}test('exits', () => process.exit(0))`), good)
    assert.equal(passed, 2)
    assert.ok(failed.includes('its process ended (exits.ts (here))'), failed.join())
  })
})

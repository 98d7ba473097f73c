import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, suite, test } from 'node:test'
import { groupFiles } from './grouping.ts'
import { type Counters, runProcesses } from './run-files.ts'

const root = mkdtempSync(join(tmpdir(), 'tributary-grouping-'))
after(() => rmSync(root, { recursive: true }))

function written(name: string, text: string, on = 'here') {
  const path = join(root, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return { path, on, env: {} }
}

suite('test files share processes', () => {
  const namesOf = (groups: ReturnType<typeof groupFiles>) =>
    groups.map(({ files }) => files.map(({ path }) => relative(join(root, 'test'), path)).join(' '))
  const none = { alone: new Set<string>(), seconds: new Map<string, number>() }

  test('up to a duration, on one database, and without those that are to run alone', () => {
    const files = ['a', 'b', 'c', 'd'].map((name) => written(`test/${name}.ts`, ''))
    const elsewhere = written('test/a.ts', '', 'there')
    const seconds = new Map([['test/a.ts (here)', 30]])
    assert.deepEqual(namesOf(groupFiles(root, [...files, elsewhere], { alone: new Set([files[2]!.path]), seconds })), [
      'a.ts b.ts d.ts',
      'c.ts',
      'a.ts',
    ])
    seconds.set('test/b.ts (here)', 30)
    assert.deepEqual(namesOf(groupFiles(root, files, { ...none, seconds })), ['a.ts', 'b.ts c.ts d.ts'])
  })

  test('unless they change or measure their process, also in a file that they import', () => {
    const plain = written('test/plain.ts', `import './other.ts'`)
    const sets = written('test/sets.ts', `process.env['A'] = 'b'`)
    const measures = written('test/measures.ts', 'process.memoryUsage.rss()')
    written('test/fixture.ts', `import { x } from './deeper.ts'`)
    written('test/deeper.ts', 'globalThis.fetch = x')
    const through = written('test/through.ts', `import { y } from './fixture.ts'`)
    assert.deepEqual(namesOf(groupFiles(root, [plain, sets, measures, through, plain], none)), [
      'plain.ts plain.ts',
      'sets.ts',
      'measures.ts',
      'through.ts',
    ])
  })
})

suite('a process with several test files', () => {
  const run = async (...files: [ReturnType<typeof written>, ...ReturnType<typeof written>[]]) => {
    const counters: Counters = { passed: 0, failed: [], skipped: [], seconds: new Map() }
    // In a process of the test runner, Node runs no further files unless this is unset.
    const { NODE_TEST_CONTEXT: context } = process.env
    delete process.env['NODE_TEST_CONTEXT']
    try {
      await runProcesses(root, [{ files }], counters)
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
    const { passed, failed, skipped, seconds } = await run(good, next)
    assert.deepEqual([passed, failed, skipped], [3, [], ['three: no reason']])
    assert.deepEqual([...seconds.keys()], ['good.ts (here)', 'next.ts (here)'])
  })

  test('names the file of a failed test and of a failed hook, and runs the others', async () => {
    const wrong = written('wrong.ts', `${head}test('wrong', () => assert.fail())`)
    const hook = written('hook.ts', `${head}before(() => assert.fail())\ntest('never', () => {})`)
    const { passed, failed } = await run(wrong, hook, good)
    assert.equal(passed, 2)
    assert.ok(failed.includes('wrong (wrong.ts, here)'), failed.join())
    assert.ok(
      failed.some((each) => each.endsWith('(hook.ts, here)')),
      failed.join(),
    )
  })

  test('fails for a file that cannot be loaded, and runs the others', async () => {
    const { passed, failed } = await run(written('broken.ts', 'throw new Error("not like this")'), good)
    assert.deepEqual([passed, failed], [2, ['is loaded (broken.ts, here)']])
  })

  test('fails for every file whose tests did not run because the process ended', async () => {
    const { failed } = await run(written('exits.ts', `${head}test('exits', () => process.exit(0))`), good)
    for (const name of ['exits.ts', 'good.ts']) assert.ok(failed.includes(`was not run (${name}, here)`), failed.join())
  })
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { findRegexes, regexesIn } from './find-regexes.ts'
import { FUNCTIONS, MADE, OWN_INPUT } from './table.ts'
import { regexOf } from './worst-inputs.ts'

const root = join(import.meta.dirname, '..', '..')
/** CPU seconds, independent of load: many times what linear code needs, and far too little for anything else. */
const COMPUTING_S = Number(process.env['LINEAR_CPU_S'] ?? 60)

/** Runs it until it ends, or until the kernel ends it for using too much CPU time; returns its last line. */
async function lastLineOf(what: 'expressions' | 'functions'): Promise<string | undefined> {
  const child = spawn(
    '/bin/sh',
    ['-c', `ulimit -t ${COMPUTING_S}; exec "$0" "$@"`, process.execPath, join(import.meta.dirname, 'feed.ts'), what],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
  )
  const lines = (await textOf(child.stdout)).trimEnd().split('\n')
  return lines.at(-1)
}

suite('code that reads untrusted text takes linear time', () => {
  const found = findRegexes(root)

  test('every expression is a literal, or is listed in the table of those composed at run time', () => {
    const made = found.filter(({ text }) => !text.startsWith('/')).map(({ text }) => text)
    assert.deepEqual(made.toSorted(), Object.keys(MADE).toSorted())
    for (const { text } of found) if (text.startsWith('/')) assert.ok(regexOf(text))
    const names = new Set(found.map(({ file, text }) => `${file} ${text}`))
    assert.deepEqual(
      Object.keys(OWN_INPUT).filter((name) => !names.has(name)),
      [],
      'the table lists an expression that no longer exists',
    )
  })

  test('S46 every expression in the sources processes 1 MB of its worst input', async () => {
    assert.equal(await lastLineOf('expressions'), 'done')
  })

  test('S46 every function that reads untrusted text processes 1 MB of its worst input', async () => {
    assert.ok(Object.keys(FUNCTIONS).length > 0)
    assert.equal(await lastLineOf('functions'), 'done')
  })

  test('expressions are distinguished from divisions, strings, templates and comments', () => {
    const source = [
      'const a = b / c / d // /no/',
      "const e = '/no/' + `/no/${f.replace(/yes1/g, `${g / h}`)}/no/` /* /no/ */",
      'const i = [/[/]yes2\\//u, (j) / k / l].map((m) => /yes3/.test(m))',
      'if (n) return /yes4/',
      'const o = new RegExp(p)',
    ].join('\n')
    assert.deepEqual(
      regexesIn(source).map(({ text, line }) => [line, text]),
      [
        [2, '/yes1/g'],
        [3, '/[/]yes2\\//u'],
        [3, '/yes3/'],
        [4, '/yes4/'],
        [5, 'new RegExp(p)'],
      ],
    )
  })
})

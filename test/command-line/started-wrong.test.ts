import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { tributary, tributaryProcess } from '../harness/command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-typed-'))
const dataDir = join(folder, 'data')
after(() => rmSync(folder, { recursive: true }))

suite('wrong command lines and settings', () => {
  test('an unknown command exits with 2 and points to --help', async () => {
    const { code, stdout, stderr } = await tributaryProcess(['fly'], { TRIBUTARY_DATA: dataDir })
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /Unknown command “fly”\.\n.*--help/)
  })

  for (const [what, env, message] of [
    ['two bad settings at once', { LOG_LEVEL: 'loud', DATABASE_POOL: '0' }, /DATABASE_POOL: [\s\S]*LOG_LEVEL: /],
    ['a database of another kind', { DATABASE_URL: 'mysql://u:c4nary@h/d' }, /DATABASE_URL: must look like/],
    [
      'a settings file that is not there',
      { TRIBUTARY_KEY_FILE: '/none' },
      /TRIBUTARY_KEY_FILE cannot be read \(ENOENT\)/,
    ],
    [
      'a key that is none',
      { TRIBUTARY_KEY: 'c4nary', DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /TRIBUTARY_KEY must be 32 bytes/,
    ],
    [
      'F28 a key of zeros',
      { TRIBUTARY_KEY: Buffer.alloc(32).toString('base64'), DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /TRIBUTARY_KEY is too easy to guess[\s\S]*openssl rand/,
    ],
    [
      'F28 an admin token of one letter',
      { TRIBUTARY_ADMIN_TOKEN: 'a'.repeat(24), DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /TRIBUTARY_ADMIN_TOKEN: is too easy to guess[\s\S]*openssl rand/,
    ],
    [
      'a database that is not there',
      { DATABASE_URL: 'postgres://u:c4nary@127.0.0.1:1/x' },
      /database at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/,
    ],
  ] as const) {
    test(`${what}: exits with 3 and the remedy`, async () => {
      // One as a process; the others say the same in this one, and take most of a second less.
      const run = 'LOG_LEVEL' in env ? tributaryProcess : tributary
      const { code, stderr } = await run(['app', 'list'], { TRIBUTARY_DATA: dataDir, ...env })
      assert.equal(code, 3, stderr)
      assert.match(stderr, message)
      assert.doesNotMatch(stderr, /c4nary|\n\s+at /)
      assert.ok(stderr.trim().split('\n').length >= 2, 'what is wrong, and what helps')
    })
  }

  test('none of these starts leaves files behind', () => assert.equal(existsSync(join(dataDir, 'postgres')), false))
})

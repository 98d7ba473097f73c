import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { SetupError } from '#platform/errors.ts'
import { keyFilePath, openKeyFile, parseKeys, readKeyFile, writeKeyFile } from './key-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const refuses = (work: () => unknown, code: string) =>
  assert.throws(work, (error) => error instanceof SetupError && error.code === code && error.help !== '')
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

suite('the key file', () => {
  test('is made once, for its owner alone, and holds different keys each time', () => {
    const made = openKeyFile(folder)
    assert.equal(modeOf(keyFilePath(folder)), '600')
    assert.equal(made.keys[0]?.length, 32)
    assert.ok(made.databasePassword.length >= 32)
    assert.deepEqual(openKeyFile(folder), made)
    assert.deepEqual(readdirSync(folder), ['keyring.json'])
    const other = join(folder, 'other')
    mkdirSync(other)
    assert.notDeepEqual(openKeyFile(other), made)
  })

  test('S59 that others can read is closed, and its keys stay', () => {
    const made = openKeyFile(folder)
    for (const mode of [0o644, 0o660, 0o604]) {
      chmodSync(keyFilePath(folder), mode)
      assert.deepEqual(openKeyFile(folder), made)
      assert.equal(modeOf(keyFilePath(folder)), '600')
    }
  })

  const key = randomBytes(32).toString('base64')
  for (const [what, text] of Object.entries({
    'is empty': '',
    'is cut off': `{"keys":["${key}"],"database_pass`,
    'is not JSON': 'keys: [a]',
    'is null': 'null',
    'is a list': '[]',
    'has no key': '{"keys":[],"database_password":"x"}',
    'has a short key': `{"keys":["${key.slice(8)}"],"database_password":"x"}`,
    'has a key that is a number': `{"keys":[5],"database_password":"x"}`,
    'has no password': `{"keys":["${key}"]}`,
  })) {
    test(`that ${what} is refused and left as it is`, () => {
      writeFileSync(keyFilePath(folder), text, { mode: 0o600 })
      refuses(() => openKeyFile(folder), 'key_file_damaged')
      assert.equal(readFileSync(keyFilePath(folder), 'utf8'), text)
    })
  }

  test('that is gone while its database is there is not replaced', () => {
    mkdirSync(join(folder, 'postgres'))
    refuses(() => openKeyFile(folder), 'key_file_lost')
    assert.deepEqual(readdirSync(folder), ['postgres'])
  })

  test('that is a folder cannot be read, and the message says why', () => {
    mkdirSync(keyFilePath(folder))
    refuses(() => openKeyFile(folder), 'key_file_unreadable')
  })

  test('cannot be made where there is no folder, and the message says why', () => {
    refuses(() => openKeyFile(join(folder, 'none')), 'key_file_unwritable')
  })

  test('is replaced as a whole', () => {
    const made = openKeyFile(folder)
    const rotated = { ...made, keys: [randomBytes(32), ...made.keys] }
    writeKeyFile(keyFilePath(folder), rotated)
    assert.deepEqual(readKeyFile(keyFilePath(folder)), rotated)
    assert.equal(modeOf(keyFilePath(folder)), '600')
    assert.deepEqual(readdirSync(folder), ['keyring.json'])
    assert.throws(() => writeKeyFile(keyFilePath(folder), made, { mustBeNew: true }), { code: 'EEXIST' })
    assert.deepEqual(readKeyFile(keyFilePath(folder)), rotated)
    assert.deepEqual(readdirSync(folder), ['keyring.json'])
  })

  test('made by several processes at once is one for all', async () => {
    const program = `import { openKeyFile } from '${import.meta.dirname}/key-file.ts'
      process.stdout.write(openKeyFile('${folder}').databasePassword)`
    const passwords = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        let said = ''
        child.stdout.on('data', (text: Buffer) => {
          said += text.toString()
        })
        const [code] = (await once(child, 'close')) as [number]
        assert.equal(code, 0)
        return said
      }),
    )
    assert.equal(new Set(passwords).size, 1)
    assert.equal(passwords[0], openKeyFile(folder).databasePassword)
    assert.deepEqual(readdirSync(folder), ['keyring.json'])
  })
})

suite('TRIBUTARY_KEY', () => {
  const [one, two] = [randomBytes(32), randomBytes(32)]

  test('is one key or several, the sealing one first', () => {
    assert.deepEqual(parseKeys(one.toString('base64')), [one])
    assert.deepEqual(parseKeys(`${two.toString('base64')}, ${one.toString('base64')}`), [two, one])
    assert.deepEqual(parseKeys(one.toString('base64url')), [one])
  })

  test('of another length is refused without being repeated', () => {
    for (const bad of [
      '',
      'c4nary',
      one.toString('hex'),
      `${one.toString('base64')},`,
      randomBytes(31).toString('base64'),
    ]) {
      assert.throws(
        () => parseKeys(bad),
        (error) =>
          error instanceof SetupError && error.code === 'key_malformed' && (bad === '' || !error.message.includes(bad)),
      )
    }
  })

  test('F28 that anybody would guess is refused, but for beside a good one, to be replaced', () => {
    const zero = Buffer.alloc(32).toString('base64')
    for (const weak of [zero, `${zero},${zero}`, Buffer.from('abcd'.repeat(8)).toString('base64')])
      assert.throws(
        () => parseKeys(weak),
        (error) => error instanceof SetupError && error.code === 'key_weak' && !error.message.includes(weak),
      )
    assert.equal(parseKeys(`${one.toString('base64')},${zero}`).length, 2)
    assert.equal(parseKeys(`${zero},${one.toString('base64')}`).length, 2)
  })
})

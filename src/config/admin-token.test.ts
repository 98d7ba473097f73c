import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { SetupError } from '#platform/errors.ts'
import { readAdminToken } from './admin-token.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-admin-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

suite('the admin token', () => {
  test('of the settings leaves no file', () => {
    assert.deepEqual(readAdminToken('given', folder), { token: 'given', file: undefined })
    assert.deepEqual(readdirSync(folder), [])
  })

  test('is made once, for its owner alone', () => {
    const made = readAdminToken(undefined, folder)
    assert.match(made.token, /^tra_[0-9a-z]{52}$/)
    assert.equal(statSync(made.file!).mode & 0o777, 0o600)
    assert.deepEqual(readAdminToken(undefined, folder), made)
    assert.deepEqual(readdirSync(folder), ['admin-token'])
  })

  test('S59 that others can read is closed', () => {
    const made = readAdminToken(undefined, folder)
    chmodSync(made.file!, 0o644)
    assert.equal(readAdminToken(undefined, folder).token, made.token)
    assert.equal(statSync(made.file!).mode & 0o777, 0o600)
  })

  test('S59 that is empty or cut off does not open the door to anybody', () => {
    for (const text of ['', '\n', 'tra_short\n']) {
      writeFileSync(join(folder, 'admin-token'), text)
      assert.throws(
        () => readAdminToken(undefined, folder),
        (error) => error instanceof SetupError && error.code === 'admin_token_damaged',
      )
    }
  })

  test('F28 that anybody would guess is refused', () => {
    writeFileSync(join(folder, 'admin-token'), `${'a'.repeat(24)}\n`)
    assert.throws(
      () => readAdminToken(undefined, folder),
      (error) => error instanceof SetupError && error.code === 'admin_token_weak' && !/aaaa/.test(error.message),
    )
  })

  test('that cannot be made says why', () => {
    assert.throws(
      () => readAdminToken(undefined, join(folder, 'none')),
      (error) => error instanceof SetupError && error.code === 'admin_token_unreadable',
    )
  })
})

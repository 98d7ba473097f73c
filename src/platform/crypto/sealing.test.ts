import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { Keyring, keyId, SealError } from './sealing.ts'

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const cell = { table: 'credential', row: 'r1', column: 'token' }
const refuses = (work: () => unknown, reason: SealError['reason']) =>
  assert.throws(
    work,
    (error) => error instanceof SealError && error.reason === reason && !error.message.includes('s3cret'),
  )

suite('sealing', () => {
  test('what is sealed comes back, and only there', () => {
    const keyring = new Keyring([first])
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    fc.assert(fc.property(text, (value) => assert.equal(keyring.open(keyring.seal(value, cell), cell), value)))
  })

  test('the same value never looks the same twice, and never shows', () => {
    const keyring = new Keyring([first])
    const all = Array.from({ length: 100 }, () => keyring.seal('s3cret s3cret s3cret', cell))
    assert.equal(new Set(all.map((sealed) => sealed.toString('hex'))).size, 100)
    assert.ok(all.every((sealed) => !sealed.includes('s3cret')))
  })

  test('every flipped bit is noticed', () => {
    const keyring = new Keyring([first])
    const sealed = keyring.seal('s3cret', cell)
    for (let byte = 0; byte < sealed.length; byte += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const altered = Buffer.from(sealed)
        altered[byte]! ^= 1 << bit
        // The key id is only a hint: whether a key opens the value is proven by the tag.
        if (byte > 0 && byte < 5) assert.equal(keyring.open(altered, cell), 's3cret')
        else refuses(() => keyring.open(altered, cell), 'damaged')
      }
    }
  })

  test('every cut and every addition is noticed', () => {
    const keyring = new Keyring([first])
    const sealed = keyring.seal('s3cret', cell)
    for (let length = 0; length < sealed.length; length += 1)
      refuses(() => keyring.open(sealed.subarray(0, length), cell), 'damaged')
    refuses(() => keyring.open(Buffer.concat([sealed, Buffer.of(0)]), cell), 'damaged')
  })

  test('a value moved to another row, column or table does not open', () => {
    const keyring = new Keyring([first])
    const sealed = keyring.seal('s3cret', cell)
    const elsewhere = [
      { ...cell, row: 'r2' },
      { ...cell, column: 'refresh_token' },
      { ...cell, table: 'vault' },
      { table: 'r1', row: 'credential', column: 'token' },
      { table: 'credential', row: 'r1/token', column: '' },
      { table: 'credential","r1', row: 'token', column: '' },
    ]
    for (const other of elsewhere) refuses(() => keyring.open(sealed, other), 'damaged')
  })

  test('another key does not open it, and says so', () => {
    const sealed = new Keyring([first]).seal('s3cret', cell)
    refuses(() => new Keyring([second, third]).open(sealed, cell), 'unknown_key')
    assert.throws(() => new Keyring([second]).open(sealed, cell), new RegExp(keyId(first).toString('hex')))
    const altered = Buffer.from(sealed)
    altered[1]! ^= 1
    assert.equal(new Keyring([second, first]).open(altered, cell), 's3cret')
  })

  test('a keyring seals with its first key and opens with all', () => {
    const old = new Keyring([first]).seal('old', cell)
    const rotated = new Keyring([second, first])
    assert.equal(rotated.open(old, cell), 'old')
    const fresh = rotated.seal('new', cell)
    assert.deepEqual(fresh.subarray(1, 5), keyId(second))
    assert.equal(new Keyring([second]).open(fresh, cell), 'new')
    refuses(() => new Keyring([first]).open(fresh, cell), 'unknown_key')
  })

  test('a running keyring follows a rotation when it meets a key it does not know', () => {
    let keys = [first]
    const running = new Keyring(keys, () => keys)
    keys = [second, first]
    assert.equal(running.open(new Keyring([second]).seal('new', cell), cell), 'new')
    assert.deepEqual(running.primaryId, keyId(second))
  })

  test('keys that cannot be read anew leave those at hand', () => {
    for (const nothing of [undefined, []]) {
      const running = new Keyring([first], () => nothing)
      const sealed = running.seal('x', cell)
      running.refresh()
      assert.equal(running.open(sealed, cell), 'x')
      refuses(() => running.open(new Keyring([second]).seal('s3cret', cell), cell), 'unknown_key')
    }
  })

  test('a keyring without a key is a mistake', () => assert.throws(() => new Keyring([]), RangeError))
})

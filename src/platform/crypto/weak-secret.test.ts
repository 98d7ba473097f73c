import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { doubtAbout, weaknessOf } from './weak-secret.ts'

/** 32 bytes, the same each time: one of some ten thousand random secrets contains a word of examples. */
const randomBytes = (seed: number): Buffer => createHash('sha256').update(`seed ${seed}`).digest()

suite('F28 weak secrets', () => {
  test('are found', () => {
    for (const text of [
      'a'.repeat(24),
      'abababababababababababab',
      'changemechangemechangeme',
      'please-change-me-please-change-me-',
      '123456789012345678901234',
      'abcdefghijklmnopqrstuvwxyz',
      'zyxwvutsrqponmlkjihgfedcba',
      'aaaaaaaaaaaaaaaaaaaaaaab',
    ])
      assert.equal(typeof weaknessOf(Buffer.from(text)), 'string', text)
    for (const bytes of [
      Buffer.alloc(32),
      Buffer.alloc(32, 0xff),
      Buffer.from(Array.from({ length: 32 }, (_, i) => i)),
      Buffer.alloc(32, randomBytes(0).subarray(16)),
    ])
      assert.equal(typeof weaknessOf(bytes), 'string', bytes.toString('hex'))
  })

  test('S59 with fewer than 8 different characters are refused, and those with 8 are not', () => {
    const secretOf = (different: number) => Buffer.from(`q7Zp2Lx9w`.slice(0, different) + 'q'.repeat(24))
    assert.equal(weaknessOf(secretOf(7)), 'has fewer than 8 different characters')
    assert.deepEqual([weaknessOf(secretOf(8)), weaknessOf(secretOf(9))], [undefined, undefined])
  })

  test('random secrets and long sentences are not weak', () => {
    for (let i = 0; i < 2000; i += 1) {
      assert.equal(weaknessOf(randomBytes(i)), undefined)
      assert.equal(weaknessOf(Buffer.from(`tra_${randomBytes(i).toString('base64url')}`)), undefined)
    }
    assert.equal(weaknessOf(Buffer.from('tra_test-admin-token-0123456789')), undefined)
  })

  test('written text and words of examples cause a warning', () => {
    assert.equal(typeof doubtAbout(Buffer.from('this is my key of 32 characters!')), 'string')
    assert.equal(typeof doubtAbout(Buffer.from('my-very-own-PassWord-of-2026')), 'string')
    for (let i = 0; i < 100; i += 1)
      for (const random of [
        randomBytes(i),
        ...(['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(randomBytes(i).toString(encoding))),
      ])
        assert.equal(doubtAbout(random), undefined, random.toString())
  })
})

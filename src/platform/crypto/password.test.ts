import assert from 'node:assert/strict'
import crypto, { scryptSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { hashPassword, isOutdated, isPassword, PasswordsBusy } from './password.ts'

/** Parameters so small that forty comparisons take a moment. */
const CHEAP = { memory: 8, passes: 1, parallelism: 1 }
const cheapHash = `argon2id$8$1$1$${'A'.repeat(22)}$${'A'.repeat(43)}`
const guess = (queue: 'strangers' | 'known' = 'strangers') => isPassword('x', cheapHash, { queue, cost: CHEAP })

suite('passwords', () => {
  test('are recognised by their hash, which differs each time', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    assert.notEqual(one, other)
    assert.match(one, /^argon2id\$47104\$1\$1\$[\w-]{22}\$[\w-]{43}$/)
    assert.deepEqual(await Promise.all([isPassword('correct horse', one), isPassword('Correct horse', one)]), [
      true,
      false,
    ])
  })

  test('are hashed as other programs do it', async () => {
    // A test vector of the reference implementation: argon2id, version 1.3, t=2, m=65536, p=1, "password", "somesalt".
    const [salt, hash] = ['somesalt', '09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7']
    const encoded = ['argon2id', 65_536, 2, 1, Buffer.from(salt).toString('base64url')]
    const isRight = isPassword('password', [...encoded, Buffer.from(hash, 'hex').toString('base64url')].join('$'))
    assert.equal(await isRight, true)
  })

  test('of earlier releases, hashed with scrypt, are recognised and outdated', async () => {
    const salt = Buffer.from('0123456789abcdef')
    const hash = scryptSync('correct horse', salt, 32, { N: 65_536, r: 8, p: 2, maxmem: 160 * 1024 * 1024 })
    const encoded = ['scrypt', 65_536, 8, 2, salt.toString('base64url'), hash.toString('base64url')].join('$')
    assert.deepEqual(await Promise.all([isPassword('correct horse', encoded), isPassword('Correct horse', encoded)]), [
      true,
      false,
    ])
    assert.ok(isOutdated(encoded))
  })

  test('with other parameters are outdated', async () => {
    const cheap = await hashPassword('x', CHEAP)
    assert.deepEqual([isOutdated(cheap, CHEAP), isOutdated(cheap)], [false, true])
    assert.equal(await isPassword('x', cheap), true)
  })

  test('are never right without a hash', async () => {
    for (const encoded of [undefined, '', 'plain$x', 'argon2id$8$1$1$AAAAAAAAAAA$', 'scrypt$2$1$1$$'])
      assert.equal(await isPassword('', encoded, { cost: CHEAP }), false, encoded)
    assert.equal(await isPassword('', undefined, { cost: CHEAP, isScryptInUse: true }), false)
  })

  test('derive both forms while anybody has the old one, so that the time tells no name', async (t) => {
    const [argon2, scrypt] = [t.mock.method(crypto, 'argon2'), t.mock.method(crypto, 'scrypt')]
    const old = `scrypt$65536$8$2$${'A'.repeat(22)}$${'A'.repeat(43)}`
    for (const encoded of [old, cheapHash, undefined]) {
      await isPassword('x', encoded, { cost: CHEAP, isScryptInUse: true })
      assert.deepEqual([argon2.mock.callCount(), scrypt.mock.callCount()], [1, 1], encoded)
      for (const { mock } of [argon2, scrypt]) mock.resetCalls()
    }
  })

  test('say what is missing on a Node without argon2', async (t) => {
    const isExplained = (error: Error) => error.message.startsWith('Passwords need crypto.argon2, which Node ')
    const unsupported = Object.assign(new Error('not supported'), { code: 'ERR_CRYPTO_ARGON2_NOT_SUPPORTED' })
    const refused = t.mock.method(crypto, 'argon2', () => {
      throw unsupported
    })
    await assert.rejects(hashPassword('x', CHEAP), isExplained)
    refused.mock.restore()
    t.mock.property(crypto, 'argon2', undefined)
    await assert.rejects(hashPassword('x', CHEAP), isExplained)
  })

  test('of too many guesses at once are refused, and the rest are answered', async () => {
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => guess()))
    const refused = results.filter((each) => each.status === 'rejected')
    assert.equal(refused.length, 10)
    for (const { reason } of refused) assert.ok(reason instanceof PasswordsBusy)
    assert.equal(await guess(), false)
  })

  test('of callers who are known do not wait behind those of strangers', async () => {
    const strangers = Promise.allSettled(Array.from({ length: 40 }, () => guess()))
    assert.equal(await guess('known'), false)
    assert.match(await hashPassword('x', CHEAP), /^argon2id/)
    await strangers
  })
})

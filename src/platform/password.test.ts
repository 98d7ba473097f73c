import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hashPassword, isPassword, PasswordsBusy } from './password.ts'

suite('passwords', () => {
  test('are recognised by their hash, which differs each time', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    assert.notEqual(one, other)
    assert.match(one, /^scrypt\$65536\$8\$2\$[\w-]{22}\$[\w-]{43}$/)
    assert.deepEqual(await Promise.all([isPassword('correct horse', one), isPassword('Correct horse', one)]), [
      true,
      false,
    ])
  })

  test('are never right without a hash', async () => {
    assert.deepEqual(await Promise.all([isPassword('', undefined), isPassword('', ''), isPassword('x', 'plain$x')]), [
      false,
      false,
      false,
    ])
  })

  test('of too many guesses at once are refused, and the rest are answered', async () => {
    // Cheap parameters, so that the test does not take a minute.
    const cheap = `scrypt$2$1$1$${'A'.repeat(22)}$${'A'.repeat(43)}`
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => isPassword('x', cheap)))
    const refused = results.filter((each) => each.status === 'rejected')
    assert.equal(refused.length, 10)
    for (const { reason } of refused) assert.ok(reason instanceof PasswordsBusy)
    assert.equal(await isPassword('x', cheap), false)
  })

  test('of callers who are known do not wait behind those of strangers', async () => {
    const cheap = `scrypt$2$1$1$${'A'.repeat(22)}$${'A'.repeat(43)}`
    const strangers = Promise.allSettled(Array.from({ length: 40 }, () => isPassword('x', cheap)))
    assert.equal(await isPassword('x', cheap, 'known'), false)
    assert.match(await hashPassword('x'), /^scrypt/)
    await strangers
  })
})

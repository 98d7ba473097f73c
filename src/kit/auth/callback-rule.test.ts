import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callbackFault } from './callback-rule.ts'

const ADDRESSES = [
  'https://hub.example/auth/x/callback',
  'https://localhost/auth/x/callback',
  'http://localhost:8042/auth/x/callback',
  'http://127.0.0.1:8042/auth/x/callback',
  'http://[::1]:8042/auth/x/callback',
  'http://hub.example/auth/x/callback',
]

suite('redirect addresses that a service refuses', () => {
  const refusedBy = (callback: 'https' | 'loopback_ip' | undefined) =>
    ADDRESSES.filter((address) => callbackFault({ title: 'X', callback }, address) !== undefined)

  test('follow its rule', () => {
    assert.deepEqual(refusedBy(undefined), [])
    assert.deepEqual(refusedBy('https'), ADDRESSES.slice(2))
    assert.deepEqual(refusedBy('loopback_ip'), [ADDRESSES[1], ADDRESSES[2], ADDRESSES[5]])
  })

  test('are named, with what helps', () => {
    assert.equal(
      callbackFault({ title: 'X', callback: 'https' }, ADDRESSES[2] ?? ''),
      `X refuses a redirect address that is not https: ${ADDRESSES[2]}. Set BASE_URL to an https address.`,
    )
  })
})

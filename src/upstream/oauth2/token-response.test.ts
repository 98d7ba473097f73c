import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import { parseFields } from '../request/parse-object.ts'
import { readTokenResponse } from './token-response.ts'

const urls = { authorizeUrl: 'https://a.example', tokenUrl: 'https://a.example' }
const NOW = 1_800_000_000_000

const read = (text: string, knobs: Partial<Parameters<typeof oauth2>[0]> = {}) =>
  readTokenResponse(oauth2({ ...urls, ...knobs }), parseFields(text) ?? {}, NOW)
const expiresAt = (value: unknown, name = 'expires_in') =>
  read(JSON.stringify({ access_token: 't', [name]: value }))?.expiresAt

suite('token responses', () => {
  test('a standard one', () => {
    const text =
      '{"access_token":"t","token_type":"Bearer","expires_in":60,"refresh_token":"r","scope":"a b","sub":"s"}'
    assert.deepEqual(read(text), {
      token: 't',
      refreshToken: 'r',
      expiresAt: NOW + 60_000,
      scope: 'a b',
      subject: 's',
      tokenType: 'Bearer',
    })
  })

  test('every form of the expiry', () => {
    assert.equal(expiresAt('60'), NOW + 60_000)
    assert.equal(expiresAt(59.5), NOW + 59_500)
    assert.equal(expiresAt(60, 'expires'), NOW + 60_000)
    assert.equal(expiresAt(1_900_000_000, 'expires_at'), 1_900_000_000_000)
    assert.equal(expiresAt(1_900_000_000_000, 'expires_at'), 1_900_000_000_000)
    assert.equal(expiresAt('2030-01-01T00:00:00Z', 'expires_at'), Date.UTC(2030, 0, 1))
    for (const never of [0, '0', -1, null, '', 'never', true, [], {}]) assert.equal(expiresAt(never), undefined)
  })

  test('the lifetime of the connector overrides that of the service', () => {
    assert.equal(read('{"access_token":"t","expires_in":5}', { expiresInS: 100 })?.expiresAt, NOW + 100_000)
  })

  test('form-encoded, nested in objects and lists, under other names', () => {
    assert.equal(read('access_token=a%2Bb+c&expires=10')?.token, 'a+b c')
    assert.equal(read('{"authed":[{"access_token":"t"}]}', { tokenPath: ['authed', '0'] })?.token, 't')
    assert.equal(read('{"access_token":"top"}', { tokenPath: ['data'] })?.token, 'top')
    assert.equal(read('{"key":"t"}', { names: { access_token: 'key' } })?.token, 't')
    assert.equal(
      read('{"access_token":"t","user_id":12345678901234567890}', { subject: 'user_id' })?.subject,
      '12345678901234567890',
    )
    assert.equal(read('{"access_token":"t","scope":["a","b"]}')?.scope, 'a b')
  })

  test('without a token', () => {
    for (const text of [
      '{}',
      '[]',
      '"t"',
      '<html>',
      '',
      '{"access_token":""}',
      '{"access_token":{}}',
      '{"__proto__":{"access_token":"t"}}',
    ])
      assert.equal(read(text), undefined, text)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HmacSignature } from '#kit/auth/typed-signing.ts'
import { typedSignature } from './sign-typed.ts'

const hmac: HmacSignature = {
  kind: 'hmac',
  algorithm: 'sha256',
  key: '{secret}',
  over: '{body}',
  encoding: 'hex',
  headers: { 'x-sign': 'v1={signature}', 'x-at': '{time_s}' },
}
const request = { method: 'POST', url: 'https://api.acme.example/v1/a%20b?x=1&y=%7Bsecret%7D', body: '' }

suite('an HMAC of a request', () => {
  test('is that of RFC 4231', () => {
    const sign = (algorithm: HmacSignature['algorithm'], secret: string, body: string | Uint8Array) =>
      typedSignature({ ...hmac, algorithm }, { secret }, { ...request, body }, 5000)['x-sign']
    const text = 'what do ya want for nothing?'
    const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
    assert.equal(sign('sha256', 'Jefe', text), `v1=${expected}`)
    assert.equal(sign('sha256', 'Jefe', Buffer.from(text)), `v1=${expected}`)
    assert.match(sign('sha512', 'Jefe', text)!, /^v1=164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554/)
    assert.match(sign('sha1', 'Jefe', text)!, /^v1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79$/)
  })

  test('is over the parts as they are sent, and what a caller wrote into them is not replaced', () => {
    const signature = { ...hmac, over: '{method} {host} {path} {query} {time_ms} {body}' }
    const body = Buffer.from([0xff, 0x7b, 0x7d])
    const one = typedSignature(signature, { secret: 's' }, { ...request, body }, 5000)
    const plain = { ...hmac, over: 'POST api.acme.example /v1/a%20b x=1&y=%7Bsecret%7D 5000 {body}' }
    assert.equal(one['x-sign'], typedSignature(plain, { secret: 's' }, { ...request, body }, 5000)['x-sign'])
    assert.equal(one['x-at'], '5')
    const other = typedSignature(signature, { secret: 's' }, { ...request, body: '{secret}' }, 5000)
    const same = typedSignature(
      { ...signature, over: signature.over.replace('{body}', 's') },
      { secret: 's' },
      request,
      5000,
    )
    assert.notEqual(other['x-sign'], same['x-sign'])
  })
})

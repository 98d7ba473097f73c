import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { Sign } from './connector.ts'
import { challenge, signedToken, timedSignature, urlVerification, validationToken } from './hook.ts'

const SECRET = 'secret'
const sign: Sign = (algorithm, text, encoding = 'hex') => createHmac(algorithm, SECRET).update(text).digest(encoding)
const posted = (body: string, query: Record<string, string> = {}) => ({ method: 'POST', query, headers: {}, body })

test('only plain text of a bounded length is echoed', () => {
  assert.equal(challenge('Validation: Testing client 42'), 'Validation: Testing client 42')
  const refused = ['', '<script>', '{"a":1}', 'a\nb', 'x'.repeat(513), 7, null, undefined, { a: 1 }]
  for (const text of refused) assert.equal(challenge(text), undefined)
})

test('Slack: the challenge of url_verification is echoed, of nothing else', () => {
  const shown = (body: string) => urlVerification({}, SECRET, sign, posted(body))
  assert.equal(shown('{"type":"url_verification","challenge":"3eZbrw1a"}'), '3eZbrw1a')
  for (const body of ['', '[]', 'null', '{"type":"event_callback","challenge":"x"}', '{"type":"url_verification"}'])
    assert.equal(shown(body), undefined)
  const read = { ...posted('{"type":"url_verification","challenge":"x"}'), method: 'GET' }
  assert.equal(urlVerification({}, SECRET, sign, read), undefined)
})

test('Microsoft Graph: the token in the address of a POST is echoed', () => {
  const query = { validationToken: 'Validation: Request-Id 4-2' }
  assert.equal(validationToken()(query, SECRET, sign, posted('', query)), query.validationToken)
  assert.equal(validationToken()(query, SECRET, sign, { ...posted('', query), method: 'GET' }), undefined)
  assert.equal(validationToken()({}, SECRET, sign, posted('')), undefined)
})

test('Zoom: the token is returned with its HMAC', () => {
  const body = '{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"}}'
  assert.deepEqual(signedToken({}, SECRET, sign, posted(body)), {
    json: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken: sign('sha256', 'qgg8vlvZRS6UYooatFL8Aw') },
  })
  assert.equal(signedToken({}, SECRET, sign, posted(body.replace('qgg8', '{}'))), undefined)
  assert.equal(signedToken({}, SECRET, sign, posted('{"event":"endpoint.url_validation"}')), undefined)
})

test('a signature covers the time', () => {
  const { verify, signedAt } = timedSignature({ signature: 'x-signature', time: 'x-time' })
  const body = '{"a":1}'
  const headers = { 'x-time': '1531420618', 'x-signature': `v0=${sign('sha256', `v0:1531420618:${body}`)}` }
  assert.equal(verify({ headers, body, secret: SECRET, sign }), true)
  assert.equal(verify({ headers: { ...headers, 'x-time': '1531420619' }, body, secret: SECRET, sign }), false)
  assert.equal(verify({ headers: {}, body, secret: SECRET, sign }), false)
  assert.equal(signedAt({ headers, body }), 1_531_420_618_000)
  assert.equal(signedAt({ headers: { 'x-time': 'soon' }, body }), undefined)
})

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import type { LabService } from '../base/service.ts'
import { type Lab, startLab } from '../lab.ts'
import { requestToken, type Signing, sent, signedRequest } from '../testing/oauth1-client.ts'
import { callback } from '../testing/oauth2-client.ts'
import { oauth1Defaults } from './settings.ts'

let lab: Lab<'demo-micro'>
let service: LabService
let client: { key: string; secret: string }
const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

before(async () => {
  lab = await startLab({ services: ['demo-micro'] })
  service = lab.services['demo-micro']
  client = service.register({ redirectUris: [callback], publicKey, secret: 's&cret +%/é' })
})
after(() => lab.close())
beforeEach(() => service.configure({ ...oauth1Defaults }))

const sendRequest = (signing: Partial<Signing> = {}) => requestToken(service, { ...client, ...signing })

async function refused(check: string, signing: Partial<Signing>): Promise<void> {
  const response = await sendRequest(signing)
  assert.equal(response.status, 401)
  assert.match(response.headers.get('www-authenticate') ?? '', /^OAuth /)
  assert.match(response.body, new RegExp(`^${check}: `))
}

for (const by of ['header', 'body', 'query'] as const)
  test(`accepts parameters in ${by}, rejects them when disabled`, async () => {
    const response = await sendRequest({ by })
    assert.equal(response.status, 200, response.body)
    assert.equal(response.fields.get('oauth_callback_confirmed'), 'true')
    const others = ['header', 'body', 'query'].filter((one) => one !== by)
    service.configure({ transmissions: others })
    await refused('parameter_rejected', { by })
  })

for (const method of ['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1', 'PLAINTEXT'] as const)
  test(`verifies ${method}, rejects it when disabled`, async () => {
    service.configure({ methods: [method] })
    const response = await sendRequest({ method, privateKey })
    assert.equal(response.status, 200, response.body)
    await refused('signature_invalid', { method, privateKey, oauth: { oauth_signature: 'AAAA' } })
    service.configure({ methods: [method === 'HMAC-SHA1' ? 'RSA-SHA1' : 'HMAC-SHA1'] })
    await refused('signature_method_rejected', { method, privateKey })
  })

test('PLAINTEXT may omit timestamp and nonce', async () => {
  service.configure({ methods: ['PLAINTEXT'] })
  const response = await sendRequest({
    method: 'PLAINTEXT',
    oauth: { oauth_timestamp: undefined, oauth_nonce: undefined },
  })
  assert.equal(response.status, 200, response.body)
})

test('the error names the missing parameter', async () => {
  for (const name of [
    'oauth_consumer_key',
    'oauth_signature_method',
    'oauth_timestamp',
    'oauth_nonce',
    'oauth_callback',
  ])
    await refused(`parameter_absent: ${name}|parameter_absent`, { oauth: { [name]: undefined } })
  const bare = await sent(new Request(service.endpoints['request_token_url'] ?? '', { method: 'POST' }))
  assert.match(bare.body, /^parameter_absent/)
})

test('rejects a wrong version, unknown consumer, unknown method and wrong secret', async () => {
  await refused('version_rejected', { oauth: { oauth_version: '2.0' } })
  await refused('consumer_key_unknown', { key: 'nobody' })
  await refused('signature_method_rejected', { oauth: { oauth_signature_method: 'HMAC-MD5' } })
  await refused('signature_invalid', { secret: 'guessed' })
})

test('rejects a timestamp that is not a number or more than 300 seconds off the service clock', async () => {
  const now = Math.floor(Date.now() / 1000)
  assert.equal((await sendRequest({ timestamp: now - 290 })).status, 200)
  await refused('timestamp_refused', { timestamp: now - 310 })
  await refused('timestamp_refused', { timestamp: now + 310 })
  await refused('timestamp_refused', { oauth: { oauth_timestamp: '12.5' } })
  service.clock.skewMs = 400_000
  await refused('timestamp_refused', {})
  service.clock.skewMs = 0
})

test('rejects a replay; a failed signature does not use up the nonce', async () => {
  const once = { nonce: 'n-1', timestamp: Math.floor(Date.now() / 1000) }
  await refused('signature_invalid', { ...once, secret: 'guessed' })
  assert.equal((await sendRequest(once)).status, 200)
  await refused('nonce_used', once)
  assert.equal((await sendRequest({ ...once, nonce: 'n-2' })).status, 200)
})

test('rejects an unregistered callback unless callbackMatch allows it', async () => {
  const other = { oauth: { oauth_callback: 'http://127.0.0.1:9/other' } }
  await refused('callback_rejected', other)
  await refused('callback_rejected', { oauth: { oauth_callback: 'oob' } })
  service.configure({ callbackMatch: 'host' })
  assert.equal((await sendRequest(other)).status, 200)
  await refused('callback_rejected', { oauth: { oauth_callback: 'http://127.0.0.1:10/callback' } })
  service.configure({ callbackMatch: 'any' })
  assert.equal((await sendRequest({ oauth: { oauth_callback: 'https://anywhere.test/' } })).status, 200)
})

test('a 1.0 service does not confirm the callback; malformed requests can be 400', async () => {
  service.configure({ callbackConfirmed: 'missing', malformedStatus: 400, tokenResponseType: 'text/html' })
  const response = await sendRequest()
  assert.equal(response.fields.has('oauth_callback_confirmed'), false)
  assert.equal(response.headers.get('content-type'), 'text/html')
  assert.equal((await sendRequest({ oauth: { oauth_nonce: undefined } })).status, 400)
  assert.equal((await sendRequest({ secret: 'guessed' })).status, 401)
})

test('rejects protocol parameters that are repeated, in two places or unencoded in the header', async () => {
  const url = service.endpoints['request_token_url'] ?? ''
  const oauth = { oauth_callback: callback }
  const good = signedRequest(url, { ...client, oauth })
  const header = good.headers.get('authorization') ?? ''
  const post = async (authorization: string, at = url) =>
    (await sent(new Request(at, { method: 'POST', headers: { authorization } }))).body
  assert.match(await post(`${header}, oauth_nonce="again"`), /^parameter_rejected: oauth_nonce is given twice/)
  assert.match(await post(header, `${url}?oauth_nonce=again`), /^parameter_rejected: .*more than one place/)
  assert.match(await post(header.replaceAll('%3D', '=')), /^parameter_rejected: oauth_signature is not percent-encoded/)
  assert.match(await post(header.replaceAll('"', '')), /^parameter_rejected: the Authorization header/)
})

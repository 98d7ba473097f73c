import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LabService } from '../base/service.ts'
import { type Lab, startLab } from '../lab.ts'
import { apiCall, callback, readTokens, tokensFor } from '../testing/oauth2-client.ts'

let lab: Lab<'demo-social'>
let service: LabService
let flow: { service: LabService; key: string; secret: string }

before(async () => {
  lab = await startLab({ services: ['demo-social'] })
  service = lab.services['demo-social']
  flow = { service, ...service.register({ redirectUris: [callback] }) }
  service.configure({
    clientAuth: ['query', 'client_secret_post'],
    refresh: 'none',
    longLived: {
      grantType: 'fb_exchange_token',
      tokenParam: 'fb_exchange_token',
      path: '/oauth/token',
      ttlSeconds: 5_184_000,
      minAgeSeconds: 0,
      authenticated: true,
    },
    renew: {
      grantType: 'ig_refresh_token',
      tokenParam: 'access_token',
      path: '/oauth/renew',
      ttlSeconds: 5_184_000,
      minAgeSeconds: 86_400,
      authenticated: false,
    },
  })
})
after(() => lab.close())

const get = (path: string, fields: Record<string, string>) =>
  fetch(`${service.url}${path}?${new URLSearchParams(fields).toString()}`)
const credentials = () => ({ client_id: flow.key, client_secret: flow.secret })

test('exchanges an active short-lived token for a long-lived one, with credentials only', async () => {
  const short = await tokensFor(flow)
  const fields = { grant_type: 'fb_exchange_token', fb_exchange_token: short.access_token }
  const long = await readTokens(await get('/oauth/token', { ...fields, ...credentials() }))
  assert.equal(long.expires_in, 5_184_000)
  assert.equal((await get('/oauth/token', { ...fields, ...credentials(), client_secret: 'wrong' })).status, 401)
  const other = service.register({ redirectUris: [callback] })
  const foreign = { client_id: other.key, client_secret: other.secret }
  assert.equal((await readTokens(await get('/oauth/token', { ...fields, ...foreign }))).error, 'invalid_grant')
  lab.clock.advance(3_601_000)
  assert.equal((await readTokens(await get('/oauth/token', { ...fields, ...credentials() }))).error, 'invalid_grant')
  assert.equal((await apiCall(service, '/api/me', long.access_token)).status, 200)
})

test('renews an access token after a day without credentials, and not after it expired', async () => {
  service.configure({ accessTtlSeconds: 200_000 })
  const { access_token } = await tokensFor(flow)
  const fields = { grant_type: 'ig_refresh_token', access_token }
  assert.equal((await readTokens(await get('/oauth/renew', fields))).error, 'invalid_grant')
  lab.clock.advance(86_401_000)
  const renewed = await readTokens(await get('/oauth/renew', fields))
  assert.equal((await apiCall(service, '/api/me', renewed.access_token)).status, 200)
  lab.clock.advance(200_000_000)
  assert.equal((await readTokens(await get('/oauth/renew', fields))).error, 'invalid_grant')
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { basic, oauth1, oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { systemClock } from '#platform/clock.ts'
import { createEgressLevels } from '#platform/egress/levels.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { createUpstream } from '../request/send.ts'
import { locateService } from './addresses.ts'

const log = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })
const upstream = createUpstream({
  egress: createEgressLevels({ allowPrivate: [], allowPrivateTyped: [] }),
  clock: systemClock,
  log,
})
const rest = { title: 'T', docs: 'd', self: self('/me', () => ({ id: '1' })) }

const two = defineConnector({
  ...rest,
  service: 'two',
  auth: oauth2({
    authorizeUrl: 'https://one.example/login/authorize?kind=web',
    tokenUrl: 'https://one.example/login/token',
    revokeUrl: 'https://one.example/apps/{key}/grant',
    parUrl: 'https://par.example/par',
    issuer: 'https://one.example',
  }),
  api: { baseUrl: 'https://api.one.example/v3' },
})
const one = defineConnector({
  ...rest,
  service: 'one',
  auth: oauth1({
    requestTokenUrl: 'https://one.example/oauth/request_token',
    authorizeUrl: 'https://one.example/oauth/authenticate',
    accessTokenUrl: 'https://one.example/oauth/access_token',
  }),
  api: { baseUrl: 'https://one.example/api' },
})

const locate = async (connector: typeof two, overrides: Record<string, string>, instance?: Record<string, string>) =>
  locateService(upstream, { connector, key: { key: 'k', secret: 's', overrides }, instance })

suite('the addresses of a service', () => {
  test('are the connector’s when nothing is overridden', async () => {
    const { addresses } = await locate(two, {})
    assert.deepEqual(addresses, {
      authorizeUrl: 'https://one.example/login/authorize?kind=web',
      tokenUrl: 'https://one.example/login/token',
      apiUrl: 'https://api.one.example/v3',
      revokeUrl: 'https://one.example/apps/{key}/grant',
      parUrl: 'https://par.example/par',
      issuer: 'https://one.example',
      issuerAnnounced: true,
    })
  })

  test('move as a whole to the instance that base_url names, under its path', async () => {
    const { addresses, relocate } = await locate(two, { base_url: 'http://127.0.0.1:99/git/' })
    assert.deepEqual(addresses, {
      authorizeUrl: 'http://127.0.0.1:99/git/login/authorize?kind=web',
      tokenUrl: 'http://127.0.0.1:99/git/login/token',
      apiUrl: 'http://127.0.0.1:99/git/v3',
      revokeUrl: 'http://127.0.0.1:99/git/apps/{key}/grant',
      parUrl: 'http://127.0.0.1:99/git/par',
      issuer: 'http://127.0.0.1:99/git',
      issuerAnnounced: true,
    })
    assert.equal(relocate('https://one.example/trade?a=1', 'tokenUrl'), 'http://127.0.0.1:99/git/trade?a=1')
  })

  test('without an override move with token_url, so that no token goes to the old host', async () => {
    const { addresses, relocate } = await locate(two, {
      authorize_url: 'https://login.two.example/a',
      token_url: 'https://two.example/t',
    })
    const { authorizeUrl, issuer, ...back } = addresses
    assert.equal(authorizeUrl, 'https://login.two.example/a')
    assert.equal(issuer, 'https://login.two.example')
    for (const url of [back.tokenUrl, back.apiUrl, back.revokeUrl, back.parUrl])
      assert.ok(url?.startsWith('https://two.example/'), url)
    assert.equal(relocate('https://one.example/dm', 'authorizeUrl'), 'https://login.two.example/dm')
  })

  test('pages below a path of another host move there, and calls stay at base_url', async () => {
    const { addresses, relocate } = await locate(two, {
      base_url: 'http://inside.test',
      authorize_url: 'https://two.example/git/login/authorize',
    })
    assert.equal(addresses.issuer, 'https://two.example/git')
    assert.equal(relocate('https://one.example/dm', 'authorizeUrl'), 'https://two.example/git/dm')
    assert.equal(addresses.tokenUrl, 'http://inside.test/login/token')
    assert.equal(addresses.apiUrl, 'http://inside.test/v3')
  })

  test('an override of one address wins over base_url, and one of the grant over both', async () => {
    const overrides = {
      base_url: 'https://two.example',
      api_url: 'https://api.two.example/v9',
      revoke_url: 'https://r.example/r',
    }
    const { addresses } = await locate(two, overrides)
    assert.equal(addresses.apiUrl, 'https://api.two.example/v9')
    assert.equal(addresses.revokeUrl, 'https://r.example/r')
    assert.equal(addresses.tokenUrl, 'https://two.example/login/token')
    const own = await locate(two, overrides, { api_url: 'https://home.example/x' })
    assert.equal(own.addresses.apiUrl, 'https://home.example/x')
  })

  test('OAuth 1: the token addresses move together', async () => {
    const { addresses } = await locate(one, { request_token_url: 'http://127.0.0.1:1/oauth/request_token' })
    assert.equal(addresses.tokenUrl, 'http://127.0.0.1:1/oauth/access_token')
    assert.equal(addresses.apiUrl, 'http://127.0.0.1:1/api')
    assert.equal(addresses.requestTokenUrl, 'http://127.0.0.1:1/oauth/request_token')
    const other = await locate(one, { access_token_url: 'http://127.0.0.1:2/a' })
    assert.equal(other.addresses.requestTokenUrl, 'http://127.0.0.1:2/oauth/request_token')
  })

  test('other than http and https are refused before a browser sees them', async () => {
    for (const authorize_url of ['javascript:alert(1)', 'data:text/html,x', 'nowhere'])
      await assert.rejects(locate(two, { authorize_url }), { name: 'UpstreamError', reason: 'address_invalid' })
    const plain = { ...two, auth: basic() }
    await assert.rejects(locate(plain, { api_url: 'file:///etc/passwd' }), { reason: 'address_invalid' })
  })
})

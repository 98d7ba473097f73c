import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { locateService } from '#upstream/addresses/addresses.ts'
import { movableClock } from '../../lab/base/clock.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { oidc } from './connectors/oidc.ts'
import { refusal, withOptions } from './fixture.ts'
import { json, type LoopbackServer, startLoopback } from './loopback-server.ts'

suite('discovery', () => {
  const clock = movableClock()
  let open: OpenUpstream
  let server: LoopbackServer
  let pages: Record<string, unknown> = {}
  before(async () => {
    server = await startLoopback((request, response) => {
      const page = pages[request.url ?? '']
      if (page === undefined) json(response, { error: 'not_found' }, 404)
      else json(response, page)
    })
  })
  after(() => server.close())
  beforeEach(async (context) => {
    open = openUpstream(clock)
    pages = {}
    server.requests.length = 0
    if ('after' in context) context.after(() => open.close())
  })

  const document = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${server.url}/authorize`,
    token_endpoint: `${server.url}/token`,
    authorization_response_iss_parameter_supported: true,
  })
  const find = (base: string, resource = false) =>
    locateService(open.upstream, {
      connector: withOptions(oidc, { discover: { resource } }),
      key: { key: 'k', secret: 's', overrides: { base_url: base } },
    })

  test('RFC 8414, with the path of the issuer after the well-known path', async () => {
    pages['/.well-known/oauth-authorization-server/tenant'] = document(`${server.url}/tenant`)
    const { addresses } = await find(`${server.url}/tenant/`)
    assert.equal(addresses.tokenUrl, `${server.url}/token`)
    assert.equal(addresses.issuer, `${server.url}/tenant`)
    assert.equal(addresses.issuerAnnounced, true)
    assert.equal(addresses.parUrl, undefined)
  })

  test('OpenID Connect’s address if the other does not exist', async () => {
    pages['/tenant/.well-known/openid-configuration'] = document(`${server.url}/tenant`)
    assert.equal((await find(`${server.url}/tenant`)).addresses.authorizeUrl, `${server.url}/authorize`)
  })

  test('RFC 9728 first, if the API names its authorization server', async () => {
    pages['/.well-known/oauth-protected-resource'] = {
      resource: server.url,
      authorization_servers: [`${server.url}/as`],
    }
    pages['/.well-known/oauth-authorization-server/as'] = document(`${server.url}/as`)
    const { addresses } = await find(server.url, true)
    assert.equal(addresses.issuer, `${server.url}/as`)
    assert.equal(addresses.apiUrl, server.url)
    pages['/.well-known/oauth-protected-resource'] = { resource: 'https://else.example', authorization_servers: [] }
    const other = openUpstream(clock)
    const connector = withOptions(oidc, { discover: { resource: true } })
    const key = { key: 'k', secret: 's', overrides: { base_url: server.url } }
    await refusal(locateService(other.upstream, { connector, key }), 'stop', 'discovery_failed')
    await other.close()
  })

  test('a server that a person named gets no token of another one, whatever it publishes', async () => {
    const honest = 'https://honest.example'
    const host = new URL(server.url).host
    const named = (resource: boolean) =>
      locateService(open.upstream, {
        connector: {
          ...withOptions(oidc, { discover: { resource } }),
          ask: { host: { title: 'Server', example: 'one.example', kind: 'host' } },
          api: { ...oidc.api, baseUrl: server.url },
        },
        key: { key: 'k', secret: '', overrides: {} },
        instance: { host },
      })
    pages['/.well-known/oauth-authorization-server'] = { ...document(server.url), token_endpoint: `${honest}/token` }
    await refusal(named(false), 'stop', 'discovery_failed')
    const authorization_servers = [`${server.url}/as`]
    pages['/.well-known/oauth-protected-resource'] = { resource: server.url, authorization_servers }
    pages['/.well-known/oauth-authorization-server/as'] = document(`${server.url}/as`)
    assert.equal((await named(true)).addresses.tokenUrl, `${server.url}/token`)
  })

  test('an entryway has only the document of an authorization server; it is asked for once', async () => {
    pages['/.well-known/oauth-authorization-server'] = document(server.url)
    const { addresses } = await find(server.url, true)
    assert.deepEqual([addresses.issuer, addresses.tokenUrl], [server.url, `${server.url}/token`])
    await find(server.url, true)
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server'],
    )
  })

  test('an entryway that names another issuer is refused, and so is a resource document that is broken', async () => {
    pages['/.well-known/oauth-authorization-server'] = document('https://somebody-else.example')
    await refusal(find(server.url, true), 'stop', 'discovery_failed')
    pages['/.well-known/oauth-authorization-server'] = document(server.url)
    pages['/.well-known/oauth-protected-resource'] = { resource: server.url }
    const other = openUpstream(clock)
    const connector = withOptions(oidc, { discover: { resource: true } })
    const key = { key: 'k', secret: 's', overrides: { base_url: server.url } }
    await refusal(locateService(other.upstream, { connector, key }), 'stop', 'discovery_failed')
    await other.close()
  })

  test('a person’s own server does not choose the server that refreshes tokens', async () => {
    const theirs = await startLoopback((_request, response) =>
      json(response, { ...document(theirs.url), resource: theirs.url, authorization_servers: [theirs.url] }),
    )
    pages['/.well-known/oauth-protected-resource'] = { resource: server.url, authorization_servers: [server.url] }
    pages['/.well-known/oauth-authorization-server'] = document(server.url)
    const home = { document: String, read: String, apiPath: '' }
    const connector = withOptions(oidc, { discover: { resource: true }, home })
    const asked = locateService(open.upstream, {
      connector: { ...connector, api: { ...connector.api, baseUrl: `${server.url}/api` } },
      key: { key: 'k', secret: 's', overrides: {} },
      instance: { api_url: theirs.url },
    })
    const { addresses } = await asked
    await theirs.close()
    assert.deepEqual([addresses.apiUrl, addresses.issuer], [theirs.url, server.url])
  })

  test('another issuer, missing addresses and invalid JSON are refused', async () => {
    const address = '/.well-known/oauth-authorization-server'
    pages[address] = document('https://somebody-else.example')
    await refusal(find(server.url), 'stop', 'discovery_failed')
    pages[address] = { issuer: server.url }
    await refusal(find(server.url), 'stop', 'discovery_failed')
    pages[address] = ['no object']
    clock.advance(3_600_000)
    await refusal(find(server.url), 'stop', 'discovery_failed')
  })

  test('is cached for some minutes; a failure is not cached', async () => {
    await refusal(find(server.url), 'skip', 'not_found')
    pages['/.well-known/oauth-authorization-server'] = document(server.url)
    server.requests.length = 0
    await Promise.all([find(server.url), find(server.url), find(server.url)])
    await find(server.url)
    assert.equal(server.requests.length, 1)
    clock.advance(11 * 60_000)
    await find(server.url)
    assert.equal(server.requests.length, 2)
  })
})

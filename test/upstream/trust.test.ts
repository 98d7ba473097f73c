import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import { type Home, typedFieldsOf } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { noAuth, typed } from '#kit/auth/typed.ts'
import { type Connector, defineConnector } from '#kit/connector/connector.ts'
import { isWebPort, TRUST } from '#platform/egress/trust.ts'
import { locateService } from '#upstream/addresses/addresses.ts'
import { callService } from '#upstream/call/call-service.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import { resolvePerson } from '#upstream/oauth2/resolve-handle.ts'
import { withOwnServer } from '#upstream/oauth2/resolve-own-server.ts'
import { forStrangers, type Upstream, type UpstreamRequest } from '#upstream/request/send.ts'
import { credentialOfTyped } from '#upstream/typed/credential.ts'
import { LOOPBACK_RANGES } from '../harness/loopback.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { refusal } from './fixture.ts'
import { json, type LoopbackServer, startLoopback } from './loopback-server.ts'

const NO_KEY = { key: '', secret: '', overrides: {} }
const described = { docs: 'https://service.test/docs', self: self('/me', (me: { id: string }) => me) }

/** Connectors of an operator's folder that let a value of the person into their addresses in a less obvious way. */
const unusual: Connector[] = [
  defineConnector({
    ...described,
    service: 'subdomain',
    title: 'Subdomain',
    auth: typed({ fields: { shop: { title: 'Shop' }, key: { title: 'Key', secret: true } }, placement: {} }),
    api: { baseUrl: 'https://{shop}.shops.test/api' },
  }),
  defineConnector({
    ...described,
    service: 'host-only',
    title: 'Host only',
    auth: noAuth({ fields: { where: { title: 'Where', format: 'host' } }, id: ({ where = '' }) => where }),
    api: { baseUrl: 'https://{where}:8443/feed' },
  }),
]

suite('who chose an address', () => {
  let server: LoopbackServer
  let open: OpenUpstream
  let sent: UpstreamRequest[]
  let upstream: Upstream
  before(async () => {
    server = await startLoopback((_, response) => json(response, { id: 'did:web:x' }))
    // As an operator sets it who has databases on this machine.
    open = openUpstream(undefined, { allowPrivate: LOOPBACK_RANGES, allowPrivateTyped: [] })
    sent = []
    const send: Upstream['send'] = (request) => {
      sent.push(request)
      return open.upstream.send(request)
    }
    upstream = { ...open.upstream, send }
  })
  after(async () => {
    await open.close()
    await server.close()
  })

  /** Its address with a value of a person; undefined where the service has one address for all. */
  const locate = (connector: Connector, value: string, overrides: Record<string, string> = {}) => {
    const names = [...Object.keys(connector.ask ?? {}), ...Object.keys(typedFieldsOf(connector.auth) ?? {})]
    const fields = typedFieldsOf(connector.auth) ?? {}
    const given = Object.fromEntries(
      names.map((name) => {
        const isAddress = fields[name]?.format === 'url' || fields[name]?.format === 'address'
        return [
          name,
          isAddress
            ? `https://${value}/x`
            : fields[name]?.format === undefined && name in fields
              ? value.split('.')[0]!
              : value,
        ]
      }),
    )
    const key = { ...NO_KEY, overrides }
    return locateService(upstream, { connector: fillConnector(connector, given), key, instance: given })
  }

  for (const connector of [...connectors, ...unusual])
    if (connector.auth.kind !== 'file' && !(connector.auth.kind === 'oauth2' && connector.auth.discover))
      test(`of ${connector.service}: a person, exactly where an answer can change its host`, async () => {
        const [one, two] = [await locate(connector, 'one.test'), await locate(connector, 'two.test')]
        const origins = ({ addresses }: typeof one) =>
          Object.values(addresses).flatMap((url) => URL.parse(String(url))?.origin ?? [])
        const varies = JSON.stringify(origins(one)) !== JSON.stringify(origins(two))
        assert.equal(one.trust, varies || connector.ask !== undefined ? 'person' : 'operator')
        const pinned = { base_url: server.url, api_url: `${server.url}/api` }
        const fixed = await locate(connector, 'one.test', pinned)
        assert.equal(fixed.trust, 'operator')
        assert.equal(new URL(fixed.addresses.apiUrl).origin, server.url)
      })

  test('an address that a sign-in found is a person’s, also where a key has another', async () => {
    const github = connectors.find(({ service }) => service === 'github')!
    for (const name of ['api_url', 'base_url', 'token_url']) {
      const key = { ...NO_KEY, overrides: { base_url: server.url } }
      const found = await locateService(upstream, { connector: github, key, instance: { [name]: 'https://pds.test' } })
      assert.equal(found.trust, 'person', name)
    }
  })

  test('every call on the way to a person’s own server is refused in the operator’s network', async () => {
    const home: Home = {
      document: () => `${server.url}/did`,
      read: () => server.url,
      apiPath: '/xrpc',
      handle: {
        record: () => '_x.test',
        fromRecord: () => 'did:web:x',
        document: () => `${server.url}/handle`,
        isNamed: () => true,
      },
    }
    const bySubject = { ...home, document: () => 'https://plc.test/x' }
    const known = { ...upstream, resolveTxt: async () => [] }
    await refusal(resolvePerson(known, home, 'ada.test'), 'stop', 'address_refused')
    const byDocument = { ...home, handle: { ...home.handle!, fromRecord: () => undefined } }
    await refusal(resolvePerson(known, byDocument, 'ada.test'), 'stop', 'address_refused')
    const credential = { token: 't', subject: 'did:web:x' }
    await refusal(withOwnServer(upstream, { home, credential, issuer: undefined }), 'stop', 'address_refused')
    const answering = { ...upstream, send: directory(upstream) }
    await refusal(
      withOwnServer(answering, { home: bySubject, credential, issuer: undefined }),
      'stop',
      'address_refused',
    )
    await refusal(
      resolvePerson({ ...known, send: directory(upstream) }, bySubject, 'ada.test'),
      'stop',
      'address_refused',
    )
    for (const { service } of connectors.filter(({ service }) => ['feed', 'caldav', 'carddav'].includes(service))) {
      const connector = connectors.find((each) => each.service === service)!
      const values = { feed: `${server.url}/rss`, server: server.url, name: 'a', password: 'b' }
      await refusal(credentialOfTyped(upstream, { connector, key: NO_KEY, values }), 'stop', 'address_refused')
    }
    assert.deepEqual(server.requests, [])
  })

  test('where a public source of the operator’s leads elsewhere, its server chose that', async () => {
    const source = defineConnector({
      ...described,
      service: 'source',
      title: 'Source',
      auth: noAuth({ fields: {}, id: () => 'source' }),
      api: { baseUrl: server.url },
    })
    const caller = { upstream, connector: source, key: NO_KEY, credential: { token: '' } }
    assert.equal((await callService(caller, { method: 'GET', path: '/own' })).status, 200)
    const elsewhere = server.url.replace('127.0.0.1', '127.0.0.9')
    await refusal(callService(caller, { method: 'GET', url: `${elsewhere}/next` }), 'stop', 'address_refused')
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ['/own'],
    )
  })

  test('before anybody signed in, a person’s server is a stranger’s, with smaller limits', async () => {
    sent.length = 0
    const lowered = forStrangers(upstream)
    for (const trust of ['operator', 'app', 'person', 'stranger'] as const)
      await lowered.send({ method: 'GET', url: 'https://10.0.0.1/', trust }).catch(() => undefined)
    assert.deepEqual(
      sent.map(({ trust }) => trust),
      ['operator', 'app', 'stranger', 'stranger'],
    )
    assert.ok(TRUST.stranger.maxCallMs < TRUST.person.maxCallMs)
    assert.ok(TRUST.stranger.maxResponseBytes < TRUST.person.maxResponseBytes)
    assert.deepEqual([443, 80, 8443, 3000].filter(isWebPort), [443, 80, 8443, 3000])
    assert.deepEqual([0, 22, 25, 5432, 6379, 9200, 65_536].filter(isWebPort), [])
  })
})

/** Answers for the directory of persons, which is public. */
const directory =
  (upstream: Upstream): Upstream['send'] =>
  (request) =>
    request.url.startsWith('https://plc.test/')
      ? Promise.resolve({ status: 200, headers: {}, text: '{}' })
      : upstream.send(request)

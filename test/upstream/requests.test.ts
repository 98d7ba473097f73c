import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { type OAuth2, oauth2 } from '#kit/auth/auth.ts'
import { self, selfFromToken } from '#kit/auth/self.ts'
import { type Connector, defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { fromCallback, fromToken } from '#kit/read/facts.ts'
import { kind } from '#kit/read/kind.ts'
import { callService } from '#upstream/call/call-service.ts'
import { readSelf } from '#upstream/call/read-self.ts'
import { refreshCredential } from '#upstream/renew-credential.ts'
import { beginSignIn, finishSignIn } from '#upstream/sign-in.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { backFrom, CALLBACK, refusal } from './fixture.ts'
import { json, type LoopbackServer, startLoopback } from './loopback-server.ts'

const auth = (options: Partial<OAuth2> = {}) =>
  oauth2({ authorizeUrl: 'https://kit.test/authorize', tokenUrl: 'https://kit.test/token', ...options })

const thing = kind<{ id: string }>({ name: 'thing', id: ({ id }) => id, map: {} })

const connectorOf = (input: Partial<Connector>): Connector =>
  defineConnector({
    service: 'kit',
    title: 'Kit',
    docs: 'none',
    auth: auth(),
    api: { baseUrl: 'https://kit.test/api' },
    self: self('/me', { id: 'id' }),
    ...input,
  })

let open: OpenUpstream
let service: LoopbackServer
let bodies: string[]
let token: Record<string, unknown>
before(async () => {
  open = openUpstream()
  service = await startLoopback((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      bodies.push(body)
      const { pathname } = new URL(request.url ?? '', 'http://x')
      if (pathname === '/token') json(response, { access_token: 't', ...token })
      else if (pathname === '/api/me') json(response, { id: 7, name: 'Ada', deep: { list: [{ handle: 'ada' }] } })
      else if (pathname === '/api/emails') json(response, [{ email: 'ada@people.test' }])
      else if (pathname === '/api/refused') json(response, { error: 'scope' }, 403)
      else json(response, { path: request.url })
    })
  })
})
after(async () => {
  await open.close()
  await service.close()
})
beforeEach(() => {
  service.requests.length = 0
  bodies = []
  token = {}
})

const callerOf = (connector: Connector, key = {}, credential = {}) => ({
  upstream: open.upstream,
  connector,
  key: { key: 'the-key', secret: 'the-secret', overrides: { base_url: service.url }, ...key },
  credential: { token: 'the-token', ...credential },
})

suite('who the person is', () => {
  test('by paths, also of numbers and inside lists', async () => {
    const connector = connectorOf({
      self: self('/me', { id: 'id', name: 'name', handle: 'deep.list.0.handle', url: 'none' }),
    })
    const { self: person } = await readSelf(callerOf(connector))
    assert.deepEqual(person, { id: '7', name: 'Ada', handle: 'ada' })
  })

  test('by a POST with a body', async () => {
    const connector = connectorOf({
      self: self({ method: 'POST', path: '/me', body: { json: null }, read: { id: 'id' } }),
    })
    await readSelf(callerOf(connector))
    const [request] = service.requests
    assert.deepEqual(
      [request?.method, bodies[0], request?.headers['content-type']],
      ['POST', 'null', 'application/json'],
    )
  })

  test('from several calls; one that is refused is left out', async () => {
    const connector = connectorOf({
      self: self<{ id: number; emails?: { email: string }[]; extra?: unknown }>({
        path: '/me',
        also: { emails: { path: '/emails' }, extra: { path: '/refused' } },
        read: ({ id, emails, extra }) => ({ id: `${id} ${extra === undefined}`, email: emails?.[0]?.email }),
      }),
    })
    const { self: person, raw } = await readSelf(callerOf(connector))
    assert.deepEqual(person, { id: '7 true', email: 'ada@people.test' })
    assert.deepEqual((JSON.parse(raw) as { emails: unknown }).emails, [{ email: 'ada@people.test' }])
  })

  test('from the token response, without a call', async () => {
    const facts = { region: fromToken('region') }
    const connector = connectorOf({
      auth: auth({ subject: 'userid', facts }),
      self: selfFromToken({ id: 'sub', location: 'region' }),
    })
    token = { userid: 12, region: 'eu' }
    const key = callerOf(connector).key
    const begun = await beginSignIn(open.upstream, { connector, key, callbackUrl: CALLBACK, state: 's' })
    const signedIn = await finishSignIn(
      open.upstream,
      backFrom({ connector, key }, begun, new URLSearchParams({ code: 'c' })),
    )
    assert.deepEqual(signedIn.self, { id: '12', location: 'eu' })
    assert.equal(service.requests.length, 1)
    assert.ok(!signedIn.raw.includes('"t"'), 'the record has no token')
    await refusal(readSelf(callerOf(connector)), 'stop', 'subject_missing')
  })
})

suite('the app’s key and settings', () => {
  const connector = connectorOf({
    settings: [{ name: 'token', title: 'Developer token' }],
    api: {
      baseUrl: 'https://kit.test/api',
      headers: { 'client-id': '{key}', 'developer-token': '{setting.token}' },
      query: { app: '{key}', extra: '{setting.token}' },
    },
    auth: auth({
      parameters: { authorize: { config: '{setting.token}' } },
      scope: { default: ['a'], separator: ' ', name: 'scope', atToken: false, unlessSetting: 'token' },
    }),
  })

  test('are in headers and parameters; without the setting, those with it are left out', async () => {
    await callService(callerOf(connector, { settings: { token: 'dev 1' } }), { method: 'GET', path: '/x' })
    await callService(callerOf(connector), { method: 'GET', path: '/x' })
    const [set, unset] = service.requests
    assert.deepEqual([set?.headers['client-id'], set?.headers['developer-token']], ['the-key', 'dev 1'])
    assert.equal(set?.url, '/api/x?app=the-key&extra=dev%201')
    assert.deepEqual([unset?.headers['client-id'], unset?.headers['developer-token']], ['the-key', undefined])
    assert.equal(unset?.url, '/api/x?app=the-key')
  })

  test('replace the scope where the vendor keeps it in a configuration', async () => {
    const urlOf = async (key: object) => {
      const { url } = await beginSignIn(open.upstream, {
        ...callerOf(connector, key),
        callbackUrl: CALLBACK,
        state: 's',
      })
      const { searchParams } = new URL(url)
      return [searchParams.get('config'), searchParams.get('scope')]
    }
    assert.deepEqual(await urlOf({ settings: { token: 'c-1' } }), ['c-1', null])
    assert.deepEqual(await urlOf({}), [null, 'a'])
  })

  test('are not sent to a server that the person chose', async () => {
    const home = { document: () => '', read: () => '', apiPath: '' }
    const own: Connector = { ...connector, auth: { ...(connector.auth as OAuth2), home } }
    const caller = callerOf(
      own,
      { overrides: {}, settings: { token: 'dev' } },
      { instance: { api_url: `${service.url}/api` } },
    )
    await callService(caller, { method: 'GET', path: '/x' })
    const [request] = service.requests
    assert.deepEqual(
      [request?.url, request?.headers['client-id'], request?.headers['developer-token']],
      ['/api/x', undefined, undefined],
    )
  })

  test('are not filled into what a service returned', async () => {
    const caller = callerOf(connector, { settings: { token: 'dev' } })
    await callService(caller, { method: 'GET', path: '/x', query: { cursor: '{setting.token}{key}' } })
    assert.match(service.requests[0]?.url ?? '', /cursor=%7Bsetting.token%7D%7Bkey%7D/)
  })

  test('a placeholder that nothing fills is an error of the definition', () => {
    const wrong = (input: Partial<Connector>) => () => connectorOf(input)
    assert.throws(
      wrong({ api: { baseUrl: 'https://kit.test', headers: { a: '{setting.other}' } } }),
      /api\.headers\.a.*\{setting\.other\}/,
    )
    assert.throws(
      wrong({ api: { baseUrl: 'https://kit.test', query: { a: '{clientid}' } } }),
      /api\.query\.a.*known here: \{key\}/,
    )
    assert.throws(
      wrong({ auth: auth({ parameters: { authorize: { a: '{token}' } } }) }),
      /auth\.parameters\.authorize\.a/,
    )
    const things = (more: object) => ({
      things: endpoint({
        path: '/things',
        items: () => [],
        kind: thing,
        types: [],
        every: '1d',
        class: 'core',
        ...more,
      }),
    })
    assert.throws(wrong({ endpoints: things({ path: '/{fact.realm}' }) }), /endpoints\.things\.path.*\{fact\.realm\}/)
    assert.throws(wrong({ endpoints: things({ host: 'https://else.test' }) }), /not one of api\.hosts/)
  })
})

suite('facts of the sign-in', () => {
  const facts = { apiUrl: fromToken('instance_url'), realm: fromCallback('realmId') }
  const connector = connectorOf({
    auth: auth({ facts }),
    self: selfFromToken(),
    api: { baseUrl: 'https://kit.test/api', headers: { realm: '{fact.realm}' } },
  })
  const finish = async (
    of: Connector,
    query: Record<string, string>,
    overrides: Record<string, string> = { base_url: service.url },
  ) => {
    const key = { key: 'k', secret: 's', overrides }
    const begun = await beginSignIn(open.upstream, { connector: of, key, callbackUrl: CALLBACK, state: 's' })
    return finishSignIn(
      open.upstream,
      backFrom({ connector: of, key }, begun, new URLSearchParams({ code: 'c', ...query })),
    )
  }

  test('of token response and callback are kept, and fill paths and headers', async () => {
    token = { sub: 'p', instance_url: 'https://eu1.kit.test' }
    const { credential } = await finish(connector, { realmId: '9/1' })
    assert.deepEqual(credential.facts, { apiUrl: 'https://eu1.kit.test', realm: '9/1' })
    await callService({ ...callerOf(connector), credential }, { method: 'GET', path: '/company/{fact.realm}/items' })
    const request = service.requests.at(-1)
    assert.deepEqual([request?.url, request?.headers['realm']], ['/api/company/9%2F1/items', '9/1'])
  })

  test('that could end a header or leave a path are refused', async () => {
    token = { sub: 'p' }
    for (const realmId of ['..', 'a\nb', 'x'.repeat(501)])
      await refusal(finish(connector, { realmId }), 'stop', 'unexpected_answer')
  })

  test('name the API only at declared hosts, by https', async () => {
    const located = connectorOf({
      auth: auth({ facts }),
      self: selfFromToken(),
      api: {
        baseUrl: 'https://kit.test/api',
        baseUrlFrom: { fact: 'apiUrl', path: '/v1', hosts: ['*.kit.test', 'api.other.test'] },
      },
    })
    const at = { token_url: `${service.url}/token`, authorize_url: `${service.url}/authorize` }
    const addressFor = async (instance_url?: string) => {
      token = { sub: 'p', instance_url }
      return (await finish(located, {}, at)).credential.instance?.['api_url']
    }
    assert.equal(await addressFor('https://eu1.kit.test/ignored'), 'https://eu1.kit.test/v1')
    assert.equal(await addressFor('api.other.test'), 'https://api.other.test/v1')
    for (const bad of [
      'http://eu1.kit.test',
      'https://kit.test.evil.test',
      'https://evilkit.test',
      'https://a@eu1.kit.test',
      'https://eu1.kit.test:8443',
      'https://169.254.169.254',
      'https://kit.test',
    ])
      await refusal(addressFor(bad), 'stop', 'address_refused')
    await refusal(addressFor(), 'stop', 'address_invalid')
  })

  test('that a refresh brings are taken; a bad address or value does not lose the new tokens', async () => {
    const located = connectorOf({
      auth: auth({ facts, revokeUrl: 'https://kit.test/revoke' }),
      self: selfFromToken(),
      api: { baseUrl: 'https://kit.test/api', baseUrlFrom: { fact: 'apiUrl', hosts: ['*.kit.test'] } },
    })
    const key = {
      key: 'k',
      secret: 's',
      overrides: { token_url: `${service.url}/token`, authorize_url: `${service.url}/a` },
    }
    const credential = {
      token: 'old',
      refreshToken: 'r1',
      facts: { apiUrl: 'https://eu1.kit.test' },
      instance: { api_url: 'https://eu1.kit.test' },
    }
    const refreshed = async (instance_url: string) => {
      token = { refresh_token: 'r2', instance_url }
      const fresh = await refreshCredential(open.upstream, { connector: located, key, credential })
      return [fresh.refreshToken, fresh.facts?.['apiUrl'], fresh.instance?.['api_url']]
    }
    assert.deepEqual(await refreshed('https://us2.kit.test'), ['r2', 'https://us2.kit.test', 'https://us2.kit.test'])
    for (const bad of ['https://evil.test', 'x'.repeat(501)])
      assert.deepEqual(await refreshed(bad), ['r2', 'https://eu1.kit.test', 'https://eu1.kit.test'])
    assert.deepEqual(await refreshed(''), ['r2', 'https://eu1.kit.test', 'https://eu1.kit.test'])
  })

  test('that are refused at the sign-in end the token again', async () => {
    const revoking = connectorOf({
      auth: auth({ facts, revokeUrl: 'https://kit.test/revoke', revokeEnds: 'token' }),
      self: selfFromToken(),
    })
    token = { sub: 'p', instance_url: 'a\nb' }
    await refusal(finish(revoking, {}), 'stop', 'unexpected_answer')
    assert.deepEqual(
      service.requests.map(({ url }) => url),
      ['/token', '/revoke'],
    )
  })
})

suite('a host for an endpoint', () => {
  const connector = connectorOf({ api: { baseUrl: 'https://kit.test/api', hosts: ['https://people.kit.test'] } })

  test('is called at the instance of the key', async () => {
    await callService(callerOf(connector), { method: 'GET', path: '/v1/people', host: 'https://people.kit.test' })
    assert.equal(service.requests[0]?.url, '/v1/people')
  })

  test('must be one of the service', async () => {
    const call = callService(callerOf(connector), { method: 'GET', path: '/', host: 'https://evil.test' })
    await refusal(call, 'stop', 'address_refused')
    const next = callService(callerOf(connector), {
      method: 'GET',
      url: 'https://evil.test/next',
      host: 'https://people.kit.test',
    })
    await refusal(next, 'stop', 'address_refused')
    assert.equal(service.requests.length, 0)
  })
})

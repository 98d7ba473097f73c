import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiKey, oauth2 } from '../auth/auth.ts'
import { self, selfFromIdToken, selfFromKey, selfFromToken } from '../auth/self.ts'
import { noAuth, typed } from '../auth/typed.ts'
import { defineConnector } from './connector.ts'
import { definitionFaults } from './connector-faults.ts'

const connector = (auth: Parameters<typeof oauth2>[0]) =>
  defineConnector({
    service: 'example',
    title: 'Example',
    docs: 'https://example.com/',
    auth: oauth2(auth),
    api: { baseUrl: 'https://{host}/api' },
    self: self<{ id: string }>('/me', ({ id }) => ({ id })),
    ask: { host: { title: 'Server', example: 'example.com', kind: 'host' } },
  })

test('an address with a user name or a password is refused, and its field named', () => {
  const withUser = 'https://ada:secret@service.example/x'
  const addresses = { authorizeUrl: withUser, tokenUrl: withUser, refreshUrl: withUser, revokeUrl: withUser }
  const definition = { ...connector(addresses), api: { baseUrl: 'https://:secret@{host}/api' } }
  assert.deepEqual(
    definitionFaults(definition).filter(({ expected }) => expected === 'must not contain a user name or a password'),
    ['auth.authorizeUrl', 'auth.tokenUrl', 'auth.refreshUrl', 'auth.revokeUrl', 'api.baseUrl'].map((field) => ({
      field,
      expected: 'must not contain a user name or a password',
    })),
  )
})

test('a server that a handle names never gets the secret of the app', () => {
  const home = {
    document: () => undefined,
    read: () => undefined,
    apiPath: '',
    handle: { document: () => 'https://example.com/', read: () => undefined },
  }
  const faultsOf = (tokenAuth: 'post' | 'none' | 'private_key_jwt') =>
    definitionFaults({
      ...connector({ authorizeUrl: 'https://{host}/authorize', tokenUrl: 'https://{host}/token', tokenAuth }),
      auth: { kind: 'oauth2', authorizeUrl: 'https://{host}/a', tokenUrl: 'https://{host}/t', tokenAuth, home },
    }).map(({ field }) => field)
  assert.deepEqual(faultsOf('post'), ['auth.tokenAuth'])
  assert.deepEqual([faultsOf('none'), faultsOf('private_key_jwt')], [[], []])
})

test('an id that is the same for everybody is refused, unless nobody vouches for it', () => {
  const base = connector({ authorizeUrl: 'https://{host}/a', tokenUrl: 'https://{host}/t' })
  const key = apiKey({ in: 'header', scheme: '', name: 'X-Key' })
  const faultsOf = (changes: object) => definitionFaults({ ...base, ...changes }).map(({ field }) => field)
  const api = { baseUrl: 'https://api.service.example' }
  const reading = (read: (body: never) => { id: string }) => ({ auth: key, ask: {}, api, self: self('/me', read) })
  const shared = reading(() => ({ id: 'me' }))
  assert.deepEqual(faultsOf(shared), ['self'])
  assert.deepEqual(faultsOf(reading((me: { id?: string }) => ({ id: me.id ?? 'unknown' }))), ['self'])
  assert.deepEqual(faultsOf(reading((me: { team: string; id: string }) => ({ id: `${me.team}.${me.id}` }))), [])
  assert.deepEqual(faultsOf(reading(({ id }: { id: string }) => ({ id: id.trim() }))), [])
  assert.deepEqual(faultsOf({ ...shared, vouchedBy: 'nobody' }), [])
  assert.deepEqual(faultsOf({ ...shared, vouchedBy: 'me' }), ['vouchedBy', 'self'])
  assert.deepEqual(faultsOf({ vouchedBy: 'nobody' }), ['vouchedBy'], 'a service vouches for who signs in there')
  const feed = { auth: noAuth({ fields: {}, id: () => 'x' }), ask: {}, api }
  assert.deepEqual(faultsOf(feed), [])
  const hook = { verify: () => false, people: () => [] }
  assert.deepEqual(faultsOf({ ...feed, hook }), ['hook'], 'it would find nobody')
})

test('a text that people give never decides which server is called', () => {
  const base = connector({ authorizeUrl: 'https://{host}/a', tokenUrl: 'https://{host}/t' })
  const faultsOf = (changes: object) => definitionFaults({ ...base, ...changes }).map(({ field }) => field)
  const shop = { title: 'Shop', example: 'my-shop', kind: 'text' }
  const at = (address: string) => ({
    ask: { shop },
    auth: oauth2({ authorizeUrl: `${address}/a`, tokenUrl: `${address}/t`, revokeUrl: `${address}:8443` }),
    api: { baseUrl: address },
  })
  const all = ['auth.authorizeUrl', 'auth.tokenUrl', 'auth.revokeUrl', 'api.baseUrl']
  assert.deepEqual(faultsOf(at('https://{shop}')), all)
  assert.deepEqual(faultsOf(at('https://api.{shop}')), all)
  assert.deepEqual(faultsOf(at('https://{shop}.service.example')), [], 'the service gives these names')
  assert.deepEqual(faultsOf(at('https://service.example/{shop}')), [])
  const keyed = (format: 'text' | 'host') => ({
    ask: undefined,
    auth: typed({ fields: { server: { title: 'Server', format } }, placement: {} }),
    api: { baseUrl: 'https://{server}/api' },
  })
  assert.deepEqual([faultsOf(keyed('text')), faultsOf(keyed('host'))], [['api.baseUrl'], []])
})

test('an address that nothing fills, or that would carry a secret, is refused by name', () => {
  const ask = { shop: { title: 'Shop', example: 'acme', kind: 'text' as const } }
  const define = (changes: object) =>
    definitionFaults({
      ...connector({
        authorizeUrl: 'https://{shop}.service.example/a',
        tokenUrl: 'https://service.example/t',
        facts: { realm: { from: 'callback', name: 'realmId' } },
      }),
      ask,
      api: { baseUrl: 'https://api.service.example/{fact.realm}' },
      ...changes,
    }).map(({ field }) => field)
  assert.deepEqual(define({}), [])
  assert.deepEqual(define({ api: { baseUrl: 'https://api.service.example/{fact.site}' } }), ['api.baseUrl'])
  assert.deepEqual(define({ api: { baseUrl: 'https://{fact.realm}.service.example' } }), ['api.baseUrl'], 'its host')
  assert.deepEqual(define({ self: self('/people/{me}', { id: 'id' }) }), ['self.path'])
  assert.deepEqual(define({ self: self('/me', { id: 'id' }, { in: '{fact.site}' }) }), ['self.query.in'])
  const auth = oauth2({ authorizeUrl: 'https://{host}.service.example/a', tokenUrl: 'https://service.example/{key}' })
  const api = { baseUrl: 'https://api.service.example' }
  assert.deepEqual(define({ auth, api }), ['auth.authorizeUrl', 'auth.tokenUrl'])
  const bot = typed({ fields: { token: { title: 'Token', secret: true } }, placement: {} })
  const botApi = { baseUrl: 'https://api.service.example/bot{token}' }
  assert.deepEqual(define({ ask: undefined, auth: bot, api: botApi }), ['api.baseUrl'])
  const exchange = { url: 'https://service.example/login?as={token}', token: 'token' }
  assert.deepEqual(define({ ask: undefined, auth: { ...bot, exchange }, api }), ['auth.exchange.url'])
})

test('who a key belongs to cannot be read from a token response, and a key that is only proven names nobody', () => {
  const key = { auth: apiKey({ in: 'header', scheme: '', name: 'X-Key' }), ask: undefined }
  const base = { ...connector({ authorizeUrl: 'https://{host}/a', tokenUrl: 'https://{host}/t' }), ...key }
  const faultsOf = (changes: object) =>
    definitionFaults({ ...base, api: { baseUrl: 'https://api.service.example' }, ...changes }).map(({ field }) => field)
  assert.deepEqual(faultsOf({ self: selfFromToken() }), ['self'])
  assert.deepEqual(faultsOf({ self: selfFromIdToken() }), ['self'])
  assert.ok(faultsOf({ self: selfFromKey('/status') }).includes('vouchedBy'))
  assert.deepEqual(faultsOf({ self: selfFromKey('/status'), vouchedBy: 'nobody' }), [])
})

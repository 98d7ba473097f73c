import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { entryFaults } from './entry-faults.ts'
import { type Entry, entryFileSchema } from './entry-schema.ts'
import { expandEntry } from './expand-entry.ts'

const ENTRY = {
  title: 'Acme',
  docs: 'https://acme.example/docs',
  checked: '2026-11-19',
  certainty: 'declared',
  sources: ['https://acme.example/docs'],
  category: 'work',
  auth: { oauth2: { authorize: 'https://acme.example/authorize', token: 'https://acme.example/token' } },
  api: { base: 'https://api.acme.example/v1' },
  self: { get: '/me', id: 'data.id', name: 'data.name' },
} as const
const KEY = {
  auth: { key: { place: { header: 'authorization', scheme: 'Bearer' } } },
  self: { from: 'key', proof: '/status' },
} as const
const TYPED = {
  auth: {
    typed: {
      fields: { site: { title: 'Site', format: 'host' }, key: { title: 'Key', secret: true } },
      headers: { 'x-key': '{typed.key}' },
    },
  },
  api: { base: 'https://{typed.site}/api' },
} as const
const OAUTH1 = {
  request: 'https://acme.example/request',
  authorize: 'https://acme.example/authorize',
  access: 'https://acme.example/access',
} as const
const SHOP = { shop: { title: 'Shop', example: 'acme', kind: 'text' } } as const
const SECRET = { title: 'Secret', secret: true } as const
const FIELDS = { id: { title: 'ID' }, secret: SECRET } as const
const signed = (changes: object, fields: object = FIELDS) => {
  const headers = { 'x-sign': '{signature}' }
  const hmac = { algorithm: 'sha256', key: '{typed.secret}', over: '{path}', encoding: 'hex', headers, ...changes }
  return { auth: { typed: { fields, sign: { hmac } } }, self: KEY.self }
}
const JWT = { algorithm: 'RS256', key: '{typed.secret}', claims: { iss: '{typed.id}' }, lifetime: 600 } as const
const token = (changes: object) => ({
  auth: { typed: { fields: FIELDS, jwt: JWT, headers: { authorization: 'Bearer {token}' }, ...changes } },
  self: KEY.self,
})
const SITES = { title: 'Site', get: 'https://acme.example/sites', facts: { site: 'id' }, id: 'site' } as const
const AT_SITE = { api: { base: 'https://api.acme.example/{fact.site}' } } as const
const oauth2 = (changes: object) => ({ auth: { oauth2: { ...ENTRY.auth.oauth2, ...changes } } })

const fieldsOf = (changes: object): string[] => entryFaults('acme', { ...ENTRY, ...changes }).map(({ field }) => field)

test('an entry is the definition that somebody would write by hand', () => {
  assert.deepEqual(fieldsOf({}), [])
  const made = expandEntry('acme', entryFileSchema.parse({ services: { acme: ENTRY } }).services['acme'] as Entry)
  assert.deepEqual(made.endpoints, {})
  assert.equal(made.self.read({ data: { id: 7, name: 'Ada' } }).id, '7')
  assert.deepEqual([fieldsOf(KEY), fieldsOf(TYPED), fieldsOf(signed({})), fieldsOf(token({}))], [[], [], [], []])
})

test('responses and limits are read as the entry says', () => {
  const api = {
    ...ENTRY.api,
    rate: { left: 'x-left', reset: 'x-reset', unit: 'in_s' },
    failed: [
      { at: 'error.code', is: ['190', 'expired'], means: 'reauthorize' },
      { status: 403, means: 'pause_app' },
    ],
  }
  const entry = { ...ENTRY, api }
  assert.deepEqual(entryFaults('acme', entry), [])
  const { recovery, rate } = expandEntry('acme', entry as unknown as Entry).api
  const meaning = (status: number, body: unknown) => recovery!({ status, body, headers: {} })
  assert.deepEqual(
    [meaning(200, { error: { code: 190 } }), meaning(403, {}), meaning(200, { error: {} }), meaning(500, undefined)],
    ['reauthorize', 'pause_app', undefined, undefined],
  )
  assert.deepEqual(rate!({ 'x-left': '7.0', 'x-reset': '30' }, 1000), {
    remaining: 7,
    resetAtMs: 31_000,
    of: undefined,
  })
})

/** What the check refuses: by the path that it names. */
const REFUSED: Record<string, [changes: object, field: string]> = {
  'a key that the format does not have': [{ colour: 'red' }, 'entry'],
  'a category of its own': [{ category: 'things' }, 'category'],
  'a day that there is not': [{ checked: '2026-02-30' }, 'checked'],
  'two ways to sign in': [{ auth: { ...ENTRY.auth, ...KEY.auth } }, 'auth'],
  'an address of OAuth 1 without TLS': [
    { auth: { oauth1: { ...OAUTH1, request: 'http://acme.example/request' } } },
    'auth.oauth1.request',
  ],
  'a scope of OAuth 1 with a placeholder': [
    { auth: { oauth1: { ...OAUTH1, scope: { name: 'scope', default: ['{setting.scope}'] } } } },
    'auth.oauth1.scope.default.0',
  ],
  'a person whom the token of OAuth 1 names': [
    { auth: { oauth1: OAUTH1 }, self: { from: 'token', id: 'user_id' } },
    'definition',
  ],
  'a key that names nobody, with OAuth 1': [{ auth: { oauth1: OAUTH1 }, self: KEY.self }, 'self.proof'],
  'a question of OAuth 1 that nothing needs': [{ auth: { oauth1: OAUTH1 }, ask: SHOP }, 'ask.shop'],
  'an address without TLS': [{ api: { base: 'http://api.acme.example' } }, 'api.base'],
  'an address with a password': [{ api: { base: 'https://a:b@api.acme.example' } }, 'definition'],
  'an answer to a question that nobody asks': [{ api: { base: 'https://{ask.shop}.acme.example' } }, 'api.base'],
  'a fact that no sign-in tells': [{ api: { base: 'https://api.acme.example/{fact.realm}' } }, 'api.base'],
  'a setting that no app has': [
    { api: { ...ENTRY.api, headers: { 'x-dev': '{setting.developer}' } } },
    'api.headers.x-dev',
  ],
  'a word that is not in the list': [{ api: { base: 'https://api.acme.example/{tenant}' } }, 'api.base'],
  'a brace that does not close': [{ api: { base: 'https://api.acme.example/{ask.shop' } }, 'api.base'],
  'the key of the app in an address': [{ api: { base: 'https://api.acme.example/{key}' } }, 'api.base'],
  'a placeholder in the address of a page': [{ docs: 'https://{ask.shop}.example' }, 'docs'],
  'a token in a header that the kit writes': [
    { api: { ...ENTRY.api, headers: { 'x-token': '{token}' } } },
    'api.headers.x-token',
  ],
  'a token that no exchange returns': [
    { ...TYPED, auth: { typed: { ...TYPED.auth.typed, headers: { 'x-key': '{token}' } } } },
    'auth.typed.headers.x-key',
  ],
  'a secret in an address': [{ ...TYPED, api: { base: 'https://api.acme.example/bot{typed.key}' } }, 'api.base'],
  'a secret in the address that names the person': [
    { ...TYPED, self: { get: '/users/{typed.key}', id: 'id' } },
    'self.get',
  ],
  'a person named by the token response, with a key': [{ ...KEY, self: { from: 'token', id: 'sub' } }, 'definition'],
  'a sign-in that names nobody': [{ self: KEY.self }, 'self.proof'],
  'a question before a key': [{ ...KEY, ask: SHOP, api: { ...ENTRY.api, headers: { 'x-shop': '{ask.shop}' } } }, 'ask'],
  'a question whose answer is not used': [{ ask: SHOP }, 'ask.shop'],
  'a setting that is not used': [{ settings: { dev: { title: 'Developer' } } }, 'settings.dev'],
  'a fact that is not used': [oauth2({ facts: { realm: { callback: 'realmId' } } }), 'auth.oauth2.facts.realm'],
  'an address that needs an answer which may be left out': [
    { ask: { shop: { ...SHOP.shop, optional: true } }, api: { base: 'https://api.acme.example/{ask.shop}' } },
    'definition',
  ],
  'a suffix with which the answer is not used': [
    { ask: { shop: { ...SHOP.shop, suffix: '.acme.example' } }, api: { base: 'https://{ask.shop}.api.example' } },
    'definition',
  ],
  'a default that nobody could type': [
    { ask: { shop: { ...SHOP.shop, default: 'a/b' } }, api: { base: 'https://api.acme.example/{ask.shop}' } },
    'definition',
  ],
  'a choice without choices': [
    { ask: { shop: { ...SHOP.shop, kind: 'choice' } }, api: { base: 'https://api.acme.example/{ask.shop}' } },
    'ask.shop.of',
  ],
  'an address from a fact that may be anywhere': [
    { ...oauth2({ facts: { at: { token: 'url' } } }), api: { base: '{fact.at}/v1' } },
    'api.hosts',
  ],
  'a text that names the whole server': [{ ask: SHOP, api: { base: 'https://{ask.shop}/api' } }, 'definition'],
  'a fact of the browser in the name of a host': [
    { ...oauth2({ facts: { at: { callback: 'at' } } }), api: { base: 'https://{fact.at}.acme.example' } },
    'definition',
  ],
  'a fact below which anybody can have a name': [
    { ...oauth2({ facts: { at: { token: 'url' } } }), api: { base: 'https://{fact.at}.herokuapp.com/v1' } },
    'definition',
  ],
  'a fact that is nearly all of a host': [
    { ...oauth2({ facts: { at: { token: 'url' } } }), api: { base: 'https://{fact.at}.example' } },
    'definition',
  ],
  'a fact in the middle of a host': [
    { ...oauth2({ facts: { at: { token: 'url' } } }), api: { base: 'https://x.{fact.at}.acme.example' } },
    'definition',
  ],
  'a host of facts below which anybody can have a name': [
    {
      ...oauth2({ facts: { at: { token: 'url' } } }),
      api: { base: '{fact.at}/v1', hosts: ['https://*.netlify.app'] },
    },
    'definition',
  ],
  'a tenant with a fact that no call needs': [
    { ...oauth2({ tenants: { ...SITES, facts: { site: 'id', plan: 'plan' } } }), ...AT_SITE },
    'auth.oauth2.tenants.facts.plan',
  ],
  'a tenant that no fact names': [{ ...oauth2({ tenants: { ...SITES, id: 'zone' } }), ...AT_SITE }, 'definition'],
  'a list of tenants at an address of one of them': [
    { ...oauth2({ tenants: { ...SITES, get: 'https://acme.example/{fact.site}' } }), ...AT_SITE },
    'auth.oauth2.tenants.get',
  ],
  'a person named at a host that is not declared': [
    { self: { get: 'https://id.acme.example/me', id: 'id' } },
    'definition',
  ],
  'a person named at an address without TLS': [{ self: { get: 'http://id.acme.example/me', id: 'id' } }, 'self.get'],
  'further hosts below which anybody has a name': [
    { api: { ...ENTRY.api, hosts: ['https://*.herokuapp.com'] } },
    'definition',
  ],
  'a token from another server than the one that is typed': [
    {
      auth: {
        typed: {
          fields: { site: { title: 'Site', format: 'address' }, key: { title: 'Key', secret: true } },
          headers: { authorization: 'Bearer {token}' },
          exchange: { url: '{typed.site}/login', form: { key: '{typed.key}' }, token: 'token' },
        },
      },
      api: { base: '{typed.site}/api' },
    },
    'auth.typed.exchange.url',
  ],
  'a key that signs and names a person': [{ ...signed({}), self: ENTRY.self }, 'definition'],
  'a signature whose key is not secret': [signed({ key: '{typed.id}' }), 'definition'],
  'a signature that is not sent': [signed({ headers: { 'x-at': '{time_s}' } }), 'definition'],
  'a part of a request that there is not': [signed({ over: '{day}' }), 'auth.typed.sign.hmac.over'],
  'a signature over itself': [signed({ over: '{signature}' }), 'auth.typed.sign.hmac.over'],
  'a field that is named like a part of a request': [
    signed({}, { id: { title: 'ID' }, secret: SECRET, body: { title: 'Body' } }),
    'definition',
  ],
  'a signed token that calls do not carry': [token({ headers: { 'x-id': '{typed.id}' } }), 'definition'],
  'a signed token that the exchange does not send': [
    token({ exchange: { url: 'https://acme.example/token', form: { id: '{typed.id}' }, token: 'token' } }),
    'definition',
  ],
  'a signed token where nothing is signed': [
    token({ jwt: undefined, exchange: { url: 'https://acme.example/t', form: { a: '{jwt}' }, token: 'token' } }),
    'auth.typed.exchange.form.a',
  ],
  'a claim that nothing fills': [
    token({ jwt: { ...JWT, claims: { iss: '{typed.issuer}' } } }),
    'auth.typed.jwt.claims.iss',
  ],
  'a key of a token that is not one secret field': [token({ jwt: { ...JWT, key: 'x{typed.secret}' } }), 'definition'],
  'a failure that fits every response': [{ api: { ...ENTRY.api, failed: [{ means: 'retry' }] } }, 'api.failed.0'],
  'a failure with a path and no text there': [
    { api: { ...ENTRY.api, failed: [{ at: 'code', means: 'retry' }] } },
    'api.failed.0',
  ],
  'a pattern that may not be linear': [
    { ask: { shop: { ...SHOP.shop, pattern: '(a+)+' } }, api: { base: 'https://api.acme.example/{ask.shop}' } },
    'ask.shop.pattern',
  ],
}

suite('an entry is refused, with the path of its fault, for', () => {
  for (const [what, [changes, field]] of Object.entries(REFUSED))
    test(what, () => assert.deepEqual(fieldsOf(changes), [field]))
})

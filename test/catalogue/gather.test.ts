import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KeyFacts } from '../../scripts/catalogue/keys/key-facts.ts'
import { bestProofs, usableBase } from '../../scripts/catalogue/keys/key-facts.ts'
import { isPublishedByVendor, type OpenApi, placeOf, proofsIn } from '../../scripts/catalogue/keys/open-api.ts'
import { nameOfHost, proposeKey } from '../../scripts/catalogue/keys/propose-key.ts'
import { type Choices, propose, withLists } from '../../scripts/catalogue/propose.ts'
import { vendorPagesOf } from '../../scripts/catalogue/vendor-pages.ts'
import { ENTRIES } from './entries.ts'

const BEARER = { header: 'authorization', scheme: 'Bearer' }
const NO_CHOICES: Choices = {
  categories: { work: ['acme'] } as unknown as Choices['categories'],
  titles: {},
  docs: {},
  people: {},
  prefer: {},
  renamed: {},
  dead: {},
  leftOut: {},
}

const facts = (changes: Partial<KeyFacts>): KeyFacts => ({
  source: 'one',
  name: 'acme',
  base: 'https://api.acme.example/v1',
  place: BEARER,
  proofs: ['/me'],
  isVendors: false,
  ...changes,
})
const certaintyOf = (...all: KeyFacts[]) => {
  const proposal = proposeKey('acme', all, NO_CHOICES, '2026-11-19')
  return typeof proposal === 'string' ? proposal : proposal.entry.certainty
}

suite('what counts as agreed for a key', () => {
  test('two lists with one address and one place for the key', () => {
    assert.equal(certaintyOf(facts({})), 'declared')
    assert.equal(certaintyOf(facts({}), facts({})), 'declared')
    assert.equal(certaintyOf(facts({}), facts({ source: 'two' })), 'agreed')
    assert.equal(certaintyOf(facts({}), facts({ source: 'two', place: { header: 'x-api-key' } })), 'declared')
    assert.equal(certaintyOf(facts({}), facts({ source: 'two', base: 'https://api.acme.example/v2' })), 'declared')
  })

  test('one address below the other is the same one, for the calls are', () => {
    const whole = facts({ source: 'two', base: 'https://api.acme.example', proofs: ['/v1/me'] })
    assert.equal(certaintyOf(facts({ proofs: [] }), whole), 'agreed')
    assert.equal(certaintyOf(facts({ base: 'https://api.acme.example/v10' }), facts({ source: 'two' })), 'declared')
  })

  test('a list that does not say the scheme confirms the address, and is not enough alone', () => {
    assert.equal(certaintyOf(facts({}), facts({ source: 'two', place: 'unclear' })), 'agreed')
    assert.equal(certaintyOf(facts({ place: 'unclear' })), 'no source says how the key is written')
  })

  test('what the vendor publishes', () => {
    assert.equal(certaintyOf(facts({ isVendors: true })), 'agreed')
    const api = 'https://api.acme.com'
    assert.ok(isPublishedByVendor(api, ['https://docs.acme.com/openapi.json'], []))
    assert.ok(isPublishedByVendor(api, ['https://raw.githubusercontent.com/acme-api/specs/main/a.yaml'], []))
    assert.ok(isPublishedByVendor(api, [], ['Acme, Inc.']))
    assert.ok(!isPublishedByVendor(api, ['https://raw.githubusercontent.com/somebody/acme/main/a.yaml'], []))
    assert.ok(!isPublishedByVendor(api, ['https://acme.com.evil.example/openapi.json'], []))
    assert.ok(!isPublishedByVendor(api, [], ['Acme Friends', 'Somebody']))
  })

  test('a key that nothing proves, and one that only a list of checks names, make no entry', () => {
    assert.equal(certaintyOf(facts({ proofs: [] })), 'no source has a call that proves a key')
    assert.equal(certaintyOf(facts({ source: 'nuclei' })), 'only one list of key checks names it')
    assert.equal(certaintyOf(facts({ source: 'nuclei' }), facts({ source: 'kingfisher' })), 'agreed')
  })
})

suite('what is read of an OpenAPI document', () => {
  const document = (changes: Partial<OpenApi>): OpenApi => ({
    servers: [{ url: 'https://api.acme.com' }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    ...changes,
  })

  test('where the key is; a scheme in `Authorization` only if it is described', () => {
    const placed = (scheme: object) => placeOf(document({ components: { securitySchemes: { key: scheme } } }))?.place
    assert.deepEqual(placeOf(document({}))?.place, { header: 'x-key' })
    assert.deepEqual(placed({ type: 'http', scheme: 'bearer' }), BEARER)
    const header = { type: 'apiKey', in: 'header', name: 'Authorization' }
    assert.equal(placed(header), 'unclear')
    assert.deepEqual(placed({ ...header, description: 'Send `Token YOUR_TOKEN`.' }), {
      header: 'authorization',
      scheme: 'Token',
    })
    assert.equal(placeOf(document({ security: [{ key: [], secret: [] }] })), undefined)
    assert.equal(placed({ type: 'oauth2' }), undefined)
  })

  test('calls that need the key and nothing that is unknown', () => {
    const needed = { name: 'q', in: 'query', required: true }
    const paths = {
      '/users/{id}': { get: {} },
      '/things': { get: {} },
      '/me': { get: {} },
      '/open/list': { get: { security: [] } },
      '/needs': { get: { parameters: [needed] } },
      '/sample-rates': { get: { parameters: [{ ...needed, example: 'a b' }] } },
      '/rates': { get: { parameters: [{ ...needed, example: 'EUR' }] } },
      '/login': { get: {} },
      '/status': { get: { responses: { '401': {} } } },
    }
    const proofs = proofsIn(document({ paths }), 'key', { header: 'x-key' })
    assert.deepEqual(proofs, ['/me', '/things', '/rates?q=EUR', '/status'])
    assert.deepEqual(bestProofs(['/health', '/items', '/account']), ['/account', '/items'])
  })

  test('no address of a sandbox, of somebody’s cloud or with a placeholder', () => {
    assert.equal(usableBase('https://api.acme.com/v1/'), 'https://api.acme.com/v1')
    for (const base of [
      'http://api.acme.com',
      'https://sandbox.acme.com',
      'https://{site}.acme.com',
      'https://acme.azurewebsites.net',
    ])
      assert.equal(usableBase(base), undefined, base)
  })

  test('the name of a service', () => {
    const at = (host: string) => [facts({ base: `https://${host}` })]
    assert.equal(nameOfHost(at('api.acme.co.uk'), false), 'acme')
    assert.equal(nameOfHost(at('files.acme.com'), false), 'acme-files')
    assert.equal(nameOfHost(at('files.acme.com'), true), 'acme')
    assert.equal(nameOfHost(at('1api.com'), true), 's1api')
  })
})

suite('what counts as agreed for a sign-in', () => {
  const said = (source: string, host: string) => ({
    source,
    name: 'acme',
    authorize: `https://${host}/authorize`,
    token: `https://${host}/token`,
    profile: 'https://api.acme.example/v1/me',
    person: { id: 'id' },
  })
  const proposed = (...all: ReturnType<typeof said>[]) => {
    const proposal = propose('acme', all, NO_CHOICES, '2026-11-19')
    assert.ok(typeof proposal === 'object')
    return proposal
  }

  test('old lists that agree on an old address do not win against one that is kept up to date', () => {
    const { entry, differences } = proposed(said('grant', 'old'), said('oauthd', 'old'), said('socialite', 'new'))
    assert.ok('oauth2' in entry.auth && entry.auth.oauth2.authorize === 'https://new/authorize')
    assert.equal(entry.certainty, 'declared')
    assert.equal(differences.length, 4)
  })

  test('two lists with both addresses', () => {
    assert.equal(proposed(said('grant', 'new'), said('socialite', 'new')).entry.certainty, 'agreed')
    assert.equal(proposed(said('socialite', 'new'), said('socialite', 'new')).entry.certainty, 'declared')
  })

  test('an entry by hand is agreed where two lists have its addresses, whatever they call it', () => {
    const byHand = { ...proposed(said('grant', 'new')).entry, sources: ['by-hand'] }
    const other = { ...said('grant', 'new'), name: 'acme-two' }
    assert.deepEqual(withLists(byHand, [other, said('socialite', 'old')]).sources, ['by-hand', 'grant'])
    assert.equal(withLists(byHand, [other]).certainty, 'declared')
    assert.equal(withLists(byHand, [other, said('socialite', 'new')]).certainty, 'agreed')
    const { authorize, token } = said('grant', 'new')
    const request = 'https://new/request'
    const byHand1 = { ...byHand, auth: { oauth1: { request, authorize, access: token } } }
    assert.equal(withLists(byHand1, [other, said('socialite', 'new')]).certainty, 'declared', 'they say OAuth 2')
    const both = [other, said('socialite', 'new')].map((each) => ({ ...each, request }))
    assert.deepEqual(withLists(byHand1, both).sources, ['by-hand', 'grant', 'socialite'])
  })
})

test('each page of a vendor that was read is a source of its entry, which is agreed', () => {
  for (const [service, pages] of vendorPagesOf()) {
    const entry = ENTRIES.get(service)
    assert.equal(entry?.certainty, 'agreed', service)
    assert.ok(pages.length > 0 && pages.every(({ has }) => has.length > 0), service)
    for (const { page } of pages) assert.ok(entry.sources.includes(page), page)
  }
})

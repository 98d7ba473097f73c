import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../errors.ts'
import type { Query } from '../items/query.ts'
import { readItemQuery } from './read.ts'

const NOW = 1_800_000_000_000
const read = (search: string) => readItemQuery(new URLSearchParams(search), NOW)
const PLAIN: Query = {
  limit: 20,
  since: 0,
  until: NOW,
  updatedSince: undefined,
  before: undefined,
  sort: 'desc',
  terms: undefined,
  participants: [],
  near: undefined,
  dedup: false,
  copyOf: false,
  link: undefined,
}
const HASH = '0123456789abcdef0123456789abcdef'

suite('the parameters of an item query', () => {
  const GOOD: [search: string, query: Partial<Query>][] = [
    ['', {}],
    ['limit=0', { limit: 0 }],
    [`limit=${'9'.repeat(30)}`, { limit: 1e15 }],
    ['since=-5&until=7', { since: -5, until: 7 }],
    ['updated_since=-5', { updatedSince: -5 }],
    ['sort=asc&dedup=yes', { sort: 'asc', dedup: true }],
    ['copy_of=1', { copyOf: true }],
    ['link=http://www.a.test/p/?utm_source=x', { link: ['page:a.test/p', 'link:a.test/p'] }],
    [`before=-7_${HASH}`, { before: { at: -7, id: HASH } }],
    [`before=7_${HASH}_012345678`, { before: { at: 7, id: HASH } }],
    ['q=cat', { terms: [{ words: ['cat'], isBeginning: false, isUnwanted: false }] }],
    ['q=%20!', { terms: [] }],
    ['near=52.5,13.4', { near: { lat: 52.5, lng: 13.4, km: 10 } }],
    ['near=%20-90,%20%2B180&within=99999', { near: { lat: -90, lng: 180, km: 20_100 } }],
    [
      'participants=ada,self,^ben,^self,>16',
      {
        participants: [
          { rule: 'takes_part', id: 'ada' },
          { rule: 'takes_part', id: undefined },
          { rule: 'author', id: 'ben' },
          { rule: 'author', id: undefined },
          { rule: 'at_least', count: 16 },
        ],
      },
    ],
    ['unknown=1&unknown=2', {}],
    ['map=true&fields=data.a,map.name&select=at', {}],
  ]
  for (const [search, expected] of GOOD)
    test(`good: ${search.slice(0, 60)}`, () => {
      assert.deepEqual(read(search), { query: { ...PLAIN, ...expected }, services: undefined })
    })

  test('services are a list', () => {
    assert.deepEqual(read('services=github,%2042@x').services, ['github', '42@x'])
  })

  const BAD: [search: string, sentence: RegExp][] = [
    ['limit=-1', /^limit: must be a whole number/],
    ['limit=1.5', /^limit: /],
    ['limit=1&limit=2', /^limit: was given more than once\.$/],
    ['updated_since=x', /^updated_since: must be a whole number: epoch milliseconds\.$/],
    ['since=x', /^since: must be a whole number: epoch milliseconds\.$/],
    ['until=99999999999999999', /^until: /],
    ['until=9999999999999999', /^until: /],
    ['before=1_2', /^before: must be <at>_<id> of an item\.$/],
    ['sort=up', /^sort: /],
    ['dedup=perhaps', /^dedup: /],
    ['link=https://a.test', /^link: must be the address of a web page/],
    ['link=a.test/p', /^link: /],
    ['link=', /^link: /],
    ['q=', /^q: must not be empty\.$/],
    ['q=%00', /^q: must not contain NUL\.$/],
    [`q=${'x'.repeat(1001)}`, /^q: /],
    ['near=here', /^near: must be <latitude>,<longitude>\.$/],
    ['near=91,0', /^near: /],
    ['near=0,180.1', /^near: /],
    ['within=-1', /^within: /],
    ['participants=>17', /^participants: “>17” must be an id/],
    ['participants=>0', /^participants: /],
    ['participants=a,,b', /^participants: “” must be an id/],
    [`participants=${'a,'.repeat(16)}a`, /^participants: must be at most 16 rules\.$/],
    [`participants=${'a'.repeat(501)}`, /^participants: /],
    [`services=${'a'.repeat(2001)}`, /^services: /],
    ['fields=a..b', /^fields: each path must be names joined by dots\.$/],
    [`fields=${'a,'.repeat(64)}a`, /^fields: must be at most 64 paths\.$/],
    [`select=${'a.'.repeat(16)}a`, /^select: each path must be at most 16 deep\.$/],
    [`select=${'a'.repeat(513)}`, /^select: each path must have at most 512 characters\.$/],
  ]
  for (const [search, sentence] of BAD)
    test(`bad: ${search.slice(0, 60)}`, () => {
      assert.throws(() => read(search), { name: 'ApiError', reason: 'bad_parameter', message: sentence })
    })

  test('whatever comes is a query or a refusal that names a parameter', () => {
    const name = fc.constantFrom(
      'limit',
      'since',
      'updated_since',
      'before',
      'q',
      'participants',
      'near',
      'within',
      'services',
      '__proto__',
    )
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[-+>^,._0-9a-f]{0,12}$/))
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), (pairs) => {
        try {
          const { query } = readItemQuery(new URLSearchParams(pairs), NOW)
          assert.ok(Number.isInteger(query.limit) && query.limit >= 0)
          assert.ok(Number.isSafeInteger(query.since) && Number.isSafeInteger(query.until))
        } catch (error) {
          assert.ok(error instanceof ApiError, String(error))
          assert.match(error.message, /^[a-z_]+: .+\.$/s)
        }
      }),
    )
  })
})

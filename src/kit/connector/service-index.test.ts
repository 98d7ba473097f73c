import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { indexServices, rankOf, type ServiceSummary } from './service-index.ts'

const summary = (service: string, title: string, more: Partial<ServiceSummary> = {}): ServiceSummary => ({
  service,
  title,
  docs: 'https://docs.example',
  aliases: [],
  auth: 'oauth2',
  needsKeys: true,
  isSynced: false,
  category: undefined,
  conditions: [],
  ...more,
})
const INDEX = indexServices([
  summary('zotero', 'Zotero', { category: 'education' }),
  summary('github', 'GitHub', { category: 'development' }),
  summary('hubspot', 'HubSpot', { category: 'business' }),
  summary('google', 'Google', { aliases: ['gmail', 'youtube'] }),
  summary('google-ads', 'Google Ads', { category: 'business' }),
  summary('cafe', 'Café Études'),
  summary('cafe-two', 'Cafe Etudes'),
])
const found = (typed: string) =>
  INDEX.map((each) => ({ service: each.service, rank: rankOf(each, typed) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ service, rank }) => `${rank} ${service}`)

suite('the index of services', () => {
  test('is in the order of titles, without case and accents, then of names', () => {
    assert.deepEqual(
      INDEX.map(({ service }) => service),
      ['cafe', 'cafe-two', 'github', 'google', 'google-ads', 'hubspot', 'zotero'],
    )
  })

  test('finds a name first, then what begins with it, then words in any order, then parts of names', () => {
    assert.deepEqual(found('google'), ['0 google', '1 google-ads'])
    assert.deepEqual(found('hub'), ['1 hubspot', '3 github'])
    assert.deepEqual(found('ub'), [])
    assert.deepEqual(found('ads goo'), ['2 google-ads'])
    assert.deepEqual(found('GoogleAds'), ['0 google-ads'])
    assert.deepEqual(found('youtube'), ['0 google'])
    assert.deepEqual(found('busi'), ['2 google-ads', '2 hubspot'])
  })

  test('ignores case, accents and width', () => {
    for (const typed of ['café', 'CAFE', 'ｃａｆｅ', 'cafe\u0301', ' études  Café '])
      assert.equal(found(typed).length, 2, typed)
  })

  test('everything without words; nothing for what is not a word', () => {
    assert.equal(found('').length, INDEX.length)
    assert.equal(found('  ').length, INDEX.length)
    assert.deepEqual(found('...'), [])
    assert.deepEqual(found('google nothing'), [])
  })
})

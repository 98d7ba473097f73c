import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Service } from '@tributary-hub/client/generated/api.ts'
import { matchingServices } from './matching-services.ts'

const service = (more: Partial<Service>) =>
  ({ title: '', aliases: [], types: [], endpoints: {}, needs_keys: true, ...more }) as Service

const ALL: [string, Service][] = [
  [
    'github',
    service({
      title: 'GitHub',
      types: ['statuses'],
      has_keys: true,
      endpoints: { starred: { types: [], class: '', every_seconds: 60, scope: [] } },
    }),
  ],
  ['flickr', service({ title: 'Flickr', types: ['photos'] })],
  ['rss', service({ title: 'Feeds', aliases: ['Atom'], types: ['news'], needs_keys: false })],
]
const names = (search: Parameters<typeof matchingServices>[1]) => matchingServices(ALL, search).map(([name]) => name)

suite('services that match', () => {
  test('all words, anywhere in name, title, other names, types and endpoints', () => {
    assert.deepEqual(names({}), ['github', 'flickr', 'rss'])
    assert.deepEqual(names({ q: 'STARRED hub' }), ['github'])
    assert.deepEqual(names({ q: 'atom' }), ['rss'])
    assert.deepEqual(names({ q: 'atom photos' }), [])
    assert.deepEqual(names({ q: 'flickr ' }), ['flickr'])
  })

  test('a service without keys can be connected if it requires none', () => {
    assert.deepEqual(names({ keys: 'yes' }), ['github', 'rss'])
    assert.deepEqual(names({ keys: 'no' }), ['flickr'])
    assert.deepEqual(names({ keys: 'no', type: 'news' }), [])
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { matchingServices } from './matching-services.ts'
import { linesOfPairs, pairsIn } from './override-lines.ts'
import type { ServiceEntry } from './shown-app.ts'

suite('overrides in a text field', () => {
  test('an address may have “=” itself', () => {
    const pairs = { base_url: 'https://social.example/?a=b', token_url: 'https://social.example/token' }
    assert.deepEqual(pairsIn(linesOfPairs(pairs)), pairs)
  })

  test('blanks do not count, and a name without an address is sent, so that it is refused', () => {
    assert.deepEqual(pairsIn('\n base_url = https://a.example \nbase\n'), { base_url: 'https://a.example', base: '' })
    assert.deepEqual(pairsIn('  '), {})
  })
})

suite('the services of the keys', () => {
  const service = (title: string) => ({ title }) as ServiceEntry
  const all = { zulip: service('Zulip'), github: service('GitHub'), flickr: service('Flickr') }
  const names = (q: string, keys: string[] = []) =>
    matchingServices(
      all,
      keys.map((each) => ({ service: each })),
      q,
    ).map(([name]) => name)

  test('those with keys come first, then by title', () => {
    assert.deepEqual(names('', ['zulip']), ['zulip', 'flickr', 'github'])
  })

  test('are found by a part of the name or title, in any case', () => {
    assert.deepEqual(names(' HUB '), ['github'])
    assert.deepEqual(names('nothing'), [])
  })
})

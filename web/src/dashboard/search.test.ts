import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { appSearch, frameSearch, itemsSearch, overviewSearch, parseSearch, stringifySearch } from './search.ts'

suite('the query of an address', () => {
  test('is plain text in both directions', () => {
    const search = { q: 'ä & b=c', cursor: '12', failing: 'true' }
    assert.equal(stringifySearch(search), '?q=%C3%A4+%26+b%3Dc&cursor=12&failing=true')
    assert.deepEqual(parseSearch(stringifySearch(search)), search)
  })

  test('has no empty or missing values, and no question mark without values', () => {
    assert.equal(stringifySearch({ q: '', tab: undefined, n: 1 }), '')
    assert.equal(stringifySearch({ q: '', app: 'a' }), '?app=a')
  })
})

suite('what a page reads from its address', () => {
  test('are its own parameters only', () => {
    assert.deepEqual(frameSearch(parseSearch('?app=a&q=b')), { app: 'a' })
  })

  test('a choice is one of those that exist, or not given', () => {
    assert.deepEqual(appSearch(parseSearch('?tab=secrets')), { tab: 'secrets' })
    assert.deepEqual(appSearch(parseSearch('?tab=nonsense&service=')), {})
    assert.deepEqual(overviewSearch(parseSearch('?period=7d&scope=all')), { period: '7d' })
  })

  test('the items page takes every parameter that the API may name', () => {
    assert.deepEqual(itemsSearch(parseSearch('?type=photos&new_parameter=1&since=')), {
      type: 'photos',
      new_parameter: '1',
    })
  })

  test('a name of every object is not a parameter', () => {
    assert.deepEqual(frameSearch(parseSearch('?constructor=1&__proto__=2')), {})
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nearestName } from './nearest-name.ts'

const KNOWN = [
  'limit',
  'since',
  'until',
  'q',
  'participants',
  'near',
  'within',
  'map',
  'fields',
  'access_token',
  'redirect_uri',
]

suite('the nearest known name', () => {
  const CASES: [given: string, nearest: string | undefined][] = [
    ['limt', 'limit'],
    ['limits', 'limit'],
    ['ilmit', 'limit'],
    ['LIMIT', 'limit'],
    ['sicne', 'since'],
    ['field', 'fields'],
    ['accessToken', 'access_token'],
    ['access-token', 'access_token'],
    ['redirect_url', 'redirect_uri'],
    ['particpiants', 'participants'],
    ['mpa', 'map'],
    ['Q', 'q'],
    ['p', undefined],
    ['page', undefined],
    ['offset', undefined],
    ['', undefined],
    ['__proto__', undefined],
    ['🎉', undefined],
    [`limit${'t'.repeat(100_000)}`, undefined],
  ]
  for (const [given, nearest] of CASES)
    test(`of “${given.slice(0, 20)}” is ${nearest}`, () => assert.equal(nearestName(given, KNOWN), nearest))

  test('of nothing known is none', () => assert.equal(nearestName('limit', []), undefined))
})

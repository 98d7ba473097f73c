import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { logSearch, parseSearch, stringifySearch } from '../../search.ts'
import { curlOf } from './curl-of.ts'
import { filtersIn, submitted, withoutFilters } from './log-filters.ts'
import { barOf, rangeOf, WIDTH } from './step-bars.ts'
import { duration, readable } from './step-words.ts'

suite('filters of the log', () => {
  test('the API gets them without what only the page knows', () => {
    assert.deepEqual(filtersIn(logSearch(parseSearch('?kind=sync&live=1&q=a'))), { kind: 'sync', q: 'a' })
  })

  test('submitting takes the texts, and removes those that are empty', () => {
    const after = { ...parseSearch('?outcome=failed&reason=old&live=1'), ...submitted({ q: ' a b ', reason: ' ' }) }
    assert.equal(stringifySearch(after), '?outcome=failed&live=1&q=a+b')
  })

  test('showing everything removes all filters, and leaves what is none', () => {
    const after = { ...parseSearch('?app=a&kind=sync&account=b&live=1'), ...withoutFilters }
    assert.equal(stringifySearch(after), '?app=a&live=1')
  })
})

suite('steps of an operation', () => {
  const steps = [
    { at: 1000, ms: 100, steps: [{ at: 1050, ms: 450 }] },
    { at: 1200, ms: 0, steps: [] },
  ]

  test('an inner step may outlast all others', () => {
    assert.deepEqual(rangeOf(steps), { from: 1000, to: 1500 })
  })

  test('bars are where the steps ran, and never leave the whole', () => {
    const range = rangeOf(steps)
    assert.deepEqual(barOf({ at: 1100, ms: 100 }, range), { x: 200, width: 200 })
    const last = barOf({ at: 1500, ms: 0 }, range)
    assert.ok(last.width > 0)
    assert.equal(last.x + last.width, WIDTH)
    assert.ok(Number.isFinite(barOf({ at: 5, ms: 0 }, { from: 5, to: 5 }).x))
  })

  test('are named and timed in words', () => {
    assert.equal(readable('token_exchange'), 'Token exchange')
    assert.equal(duration(12.4), '12 ms')
    assert.equal(duration(1500), '1.5 s')
    assert.equal(duration(90_000), '1.5 min')
  })
})

suite('a proxied call as a command', () => {
  type Call = Parameters<typeof curlOf>[0]['steps'][number]
  const call = (detail: Record<string, string>): Call => ({
    name: 'call',
    at: 0,
    ms: 0,
    outcome: 'ok',
    detail,
    steps: [],
  })

  test('nothing in a path ends the quotes', () => {
    const text = curlOf(
      { steps: [call({ service: 'github', path: "/a'; rm -rf ~; '", method: 'DELETE' })] },
      'https://t.example',
    )
    assert.equal(
      text,
      `curl -X 'DELETE' 'https://t.example/proxy/github/a'\\''; rm -rf ~; '\\''' \\\n  -H "Authorization: Bearer $TOKEN"`,
    )
  })

  test('GET is not said', () => {
    assert.match(curlOf({ steps: [call({ service: 'x', path: '/y' })] }, 'https://t.example'), /^curl 'https/)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { oura } from './connector.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const { heartrate, workouts } = oura.endpoints
const request = { method: 'GET' as const, path: '/x', query: {} }
const begin = (endpoint: typeof heartrate, watermark?: string | number) =>
  endpoint!.prepare!(request, { nowMs: NOW, watermark, granted: undefined })

suite('oura', () => {
  test('documents: everything at first, then from a week before the newest day', () => {
    assert.deepEqual(begin(workouts).query, { start_date: '2015-01-01', end_date: '2026-06-02' })
    assert.equal(begin(workouts, '2026-05-20').query['start_date'], '2026-05-13')
  })

  test('heart rates: windows of 30 days back to the first rings that record it', () => {
    let windows = 0
    let next: ReturnType<typeof begin> | undefined = begin(heartrate)
    for (; next !== undefined; windows += 1) {
      const { start_datetime: start, end_datetime: end }: Record<string, string> = next.query
      assert.equal(Date.parse(end!) - Date.parse(start!), 30 * 86_400_000)
      next = heartrate!.pages.next({ request: next, body: { data: [], next_token: null }, headers: {}, count: 0 })
    }
    assert.ok(windows > 50 && windows < 70, String(windows))
  })

  test('heart rates after that: only from three days before the newest', () => {
    const first = begin(heartrate, NOW - 86_400_000)
    assert.equal(first.query['start_datetime'], '2026-05-28T12:00:00Z')
    const page = (next_token: string | null) =>
      heartrate!.pages.next({ request: first, body: { next_token }, headers: {}, count: 1 })
    assert.equal(page('t')?.query['next_token'], 't')
    assert.equal(page(null), undefined)
  })

  test('a missing scope and an ended membership are not a dead token', () => {
    const recover = (status: number, detail: string) => oura.api.recovery?.({ status, headers: {}, body: { detail } })
    assert.equal(recover(401, 'Token is not authorized to access daily scope.'), 'not_granted')
    assert.equal(recover(403, 'The user’s membership has expired'), 'skip')
    assert.equal(recover(401, 'Invalid or expired access token'), undefined)
  })
})

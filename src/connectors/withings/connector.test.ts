import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { withings } from './connector.ts'

suite('withings', () => {
  test('the status in the body decides, because every response is 200', () => {
    const recover = (status: number) =>
      withings.api.recovery?.({ status: 200, headers: {}, body: { status, body: {} } })
    assert.deepEqual([0, 401, 214, 601, 2554].map(recover), [undefined, 'reauthorize', 'not_granted', 'retry', 'stop'])
    assert.equal(withings.api.recovery?.({ status: 500, headers: {}, body: undefined }), undefined)
  })

  test('values keep their decimals, and a group is named by its first known measure', () => {
    const { map } = withings.endpoints['measures']!.kind
    const group = {
      grpid: 1,
      measures: [
        { value: 1, type: 9999, unit: 0 },
        { value: 7125, type: 1, unit: -2 },
      ],
    }
    assert.deepEqual([map.metric?.(group), map.value?.(group), map.unit?.(group)], ['weight', 71.25, 'kg'])
    assert.equal(map.metric?.({ grpid: 2 }), undefined)
  })

  test('the next page is asked for in the body, with number or flag', () => {
    const { pages } = withings.endpoints['measures']!
    const request = {
      method: 'POST' as const,
      path: '/measure',
      query: {},
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'action=getmeas&lastupdate=1',
    }
    const next = (more: unknown) =>
      pages.next({ request, headers: {}, count: 1, body: { status: 0, body: { more, offset: 100 } } })?.body
    assert.equal(next(1), 'action=getmeas&lastupdate=1&offset=100')
    assert.equal(next(true), 'action=getmeas&lastupdate=1&offset=100')
    assert.equal(next(false), undefined)
  })
})

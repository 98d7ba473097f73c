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

  test('each value of a group is an item with its own id and decimals, in place of the group', () => {
    const { kind, items } = withings.endpoints['measures']!
    const { map } = kind
    const group = {
      grpid: 1,
      date: 1_700_000_000,
      measures: [
        { value: 1, type: 9999, unit: 0 },
        { value: 7125, type: 1, unit: -2 },
        { value: 81, type: 9, unit: 0, position: 1 },
        { value: 124, type: 10, unit: 0, position: 1 },
        { value: 3120, type: 173, unit: -2, position: 12 },
        { value: 3110, type: 173, unit: -2, position: 10 },
      ],
    }
    const records = items({ body: { measuregrps: [group, null] } })!
    const read = records.map((one) => [kind.id(one), map.metric?.(one), map.value?.(one), map.unit?.(one)])
    assert.deepEqual(read, [
      [1, undefined, undefined, undefined],
      ['1/9999/', undefined, undefined, undefined],
      ['1/1/', 'weight', 71.25, 'kg'],
      ['1/9/1', 'diastolic_blood_pressure', 81, 'mmHg'],
      ['1/10/1', 'systolic_blood_pressure', 124, 'mmHg'],
      ['1/173/12', 'fat_free_mass_torso', 31.2, 'kg'],
      ['1/173/10', 'fat_free_mass_left_leg', 31.1, 'kg'],
    ])
    assert.deepEqual(
      records.map((one) => kind.deleted?.(one)),
      [true, false, false, false, false, false, false],
    )
    assert.deepEqual(kind.at?.(records[2]), 1_700_000_000_000)
    assert.deepEqual(items({ body: { measuregrps: [{ grpid: 2, measures: 'none' }] } })?.length, 1)
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

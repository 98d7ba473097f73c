import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { PageRequest } from '#kit/endpoints/pages.ts'
import { demoHealth } from './connector.ts'

const OWNER = 'ada@H01'
type Name = 'activities' | 'measures' | 'devices'
const endpoints = demoHealth.endpoints as Record<Name, Endpoint>

const run = {
  id: 4100231,
  sport: 'run',
  name: 'Morning loop',
  note: 'Plan: https://example.test/plan',
  start_time: '2026-05-01T07:30:00+01:00',
  timezone: 'Europe/Lisbon',
  elapsed_seconds: 3720,
  moving_seconds: 3600,
  distance_m: 10400,
  elevation_gain_m: 120,
  calories: 660,
  heart_rate: { average: 142, max: 160 },
  start_point: { lat: 38.7, lng: -9.1 },
  end_point: { lat: 38.8, lng: -9.2 },
  companions: [{ id: 'ben@H02', username: 'ben', name: 'Ben' }],
  cheers: [{ id: 'cleo@H03', username: 'cleo', name: 'Cleo' }],
  updated_at: 1777617000,
}
const weight = {
  id: 55,
  taken_at: 1777617000,
  metric: 'weight',
  value: 71250,
  exponent: -3,
  unit: 'kg',
  device: 'scale-2',
}

const read = (name: Name, raw: unknown) => itemReader(demoHealth, name, endpoints[name], OWNER)(raw)

suite('demo-health', () => {
  test('an activity has a local start time, its owner as author, and the other participants', () => {
    const draft = read('activities', run)
    assert.equal(draft.idr, 'activity:ada%40H01@demo-health/activities#4100231')
    assert.equal(draft.at, Date.UTC(2026, 4, 1, 6, 30))
    assert.deepEqual(draft.types, ['activities'])
    assert.deepEqual(draft.participants, [OWNER, 'ben@H02', 'cleo@H03'])
    assert.deepEqual(draft.place, { lat: 38.7, lng: -9.1 })
    assert.deepEqual(draft.texts, ['Morning loop', run.note])
    const map = mapOf(endpoints.activities, run, OWNER)
    assert.deepEqual(
      [map['sport'], map['seconds'], map['meters'], map['calories'], map['heart_rate']],
      ['run', 3600, 10400, 660, 142],
    )
    assert.deepEqual([map['starts'], map['ends']], [draft.at, draft.at + 3_720_000])
    assert.deepEqual(map['urls'], ['https://example.test/plan'])
  })

  test('an activity indoors has no place', () => {
    const draft = read('activities', { ...run, note: null, heart_rate: null, start_point: null, end_point: null })
    assert.deepEqual([draft.place, draft.faults], [undefined, []])
  })

  test('a measure is an integer and a power of ten', () => {
    assert.equal(read('measures', weight).at, 1_777_617_000_000)
    const map = mapOf(endpoints.measures, weight)
    assert.deepEqual([map['metric'], map['value'], map['unit']], ['weight', 71.25, 'kg'])
    assert.equal(mapOf(endpoints.measures, { ...weight, value: 371, exponent: -1 })['value'], 37.1)
    assert.equal(mapOf(endpoints.measures, { ...weight, value: 0, exponent: 0 })['value'], 0)
    assert.equal(read('measures', weight).card.description, '71.25 kg')
  })

  test('devices have no type', () => {
    const draft = read('devices', { id: 'scale-2', model: 'Balance 2', kind: 'scale' })
    assert.deepEqual([draft.types, draft.category, draft.card.title], [[], undefined, 'Balance 2'])
  })

  test('measures are walked in windows of 31 days, through empty ones, back to the earliest day', () => {
    const { pages, prepare } = endpoints.measures
    const plain: PageRequest = { method: 'GET', path: '/measures', query: {} }
    const nowMs = Date.UTC(2026, 2, 15, 23, 59)
    let request: PageRequest | undefined = pages.first(
      prepare!(plain, { nowMs, watermark: undefined, granted: undefined }),
    )
    assert.deepEqual({ ...request.query }, { start: '2026-02-13', end: '2026-03-15' })
    // Preparing each page again must not return to today's window.
    assert.deepEqual(prepare!(request, { nowMs, watermark: undefined, granted: undefined }), request)
    const windows: { start: number; end: number }[] = []
    while (request !== undefined) {
      const { start = '', end = '' } = request.query
      windows.push({ start: Date.parse(start), end: Date.parse(end) })
      request = pages.next({ request, body: { measures: [] }, headers: {}, count: 0 })
    }
    const [dayMs, earliestMs] = [86_400_000, Date.UTC(2015)]
    for (const [at, { start, end }] of windows.entries()) {
      assert.equal((end - start) / dayMs, 30)
      if (at > 0) assert.equal(windows[at - 1]!.start - end, dayMs)
      assert.equal(start <= earliestMs, at === windows.length - 1, 'only the last one reaches the beginning')
    }
  })

  test('activities continue from the last change, measures from a week before', () => {
    const { checkpoint, pages } = endpoints.activities
    assert.equal(checkpoint?.advance({ items: [run, { ...run, updated_at: 5 }], body: undefined }, 7), 1777617000)
    assert.deepEqual(checkpoint?.query(1777617000), { updated_after: '1777616940' })
    const request = pages.first({ method: 'GET', path: '/activities', query: {} })
    assert.deepEqual(request.query, { limit: '100', offset: '0' })
    assert.equal(pages.next({ request, body: {}, headers: {}, count: 3 })?.query['offset'], '100')
    assert.equal(pages.next({ request, body: {}, headers: {}, count: 0 }), undefined)
    const isKnown = (taken_at: number) =>
      endpoints.measures.checkpoint?.isKnown?.({ ...weight, taken_at }, 1_777_617_000)
    assert.deepEqual([isKnown(1_777_617_000 - 604_801), isKnown(1_777_617_000 - 604_800)], [true, false])
  })
})

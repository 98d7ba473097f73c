import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { strava } from './connector.ts'

const OWNER = '134815'
type Name = 'activities' | 'routes' | 'clubs' | 'segments'
const endpoints = strava.endpoints as Record<Name, Endpoint>
const read = (name: Name, raw: unknown) => itemReader(strava, name, endpoints[name], OWNER)(raw)

const ride = {
  resource_state: 2,
  athlete: { id: 134_815, resource_state: 1 },
  name: 'Happy Friday',
  distance: 24_931.4,
  moving_time: 4500,
  elapsed_time: 4600,
  type: 'Ride',
  sport_type: 'MountainBikeRide',
  id: 154_504_250_376_823n,
  start_date: '2026-05-01T12:15:09Z',
  start_latlng: [38.7, -9.1],
  end_latlng: [],
  kudos_count: 3,
  comment_count: 1,
  average_heartrate: 140.3,
}

suite('strava', () => {
  test('an activity', () => {
    const draft = read('activities', ride)
    assert.equal(draft.idr, 'activity:134815@strava/activities#154504250376823')
    assert.equal(draft.at, Date.UTC(2026, 4, 1, 12, 15, 9))
    assert.deepEqual([draft.types, draft.participants], [['activities'], [OWNER]])
    assert.deepEqual(draft.place, { lat: 38.7, lng: -9.1 })
    const map = mapOf(endpoints.activities, ride, OWNER)
    assert.deepEqual(
      [map['sport'], map['seconds'], map['meters'], map['heart_rate'], map['counts'], map['ends']],
      ['MountainBikeRide', 4500, 24_931.4, 140.3, { likes: 3, comments: 1 }, draft.at + 4_600_000],
    )
    assert.equal(map['url'], 'https://www.strava.com/activities/154504250376823')
    assert.equal(read('activities', { ...ride, start_latlng: [], end_latlng: null }).place, undefined)
  })

  test('a route has an id beyond the precision of doubles', () => {
    const route = {
      id: 3_100_000_000_000_000_017n,
      id_str: '3100000000000000017',
      name: 'Doors',
      athlete: { id: 134_815 },
    }
    assert.equal(read('routes', route).idr, 'route:134815@strava/routes#3100000000000000017')
    assert.equal(
      mapOf(endpoints.routes, { ...route, id_str: undefined })['url'],
      'https://www.strava.com/routes/3100000000000000017',
    )
  })

  test('clubs and starred segments', () => {
    const club = { id: 7, name: 'Early Birds', url: 'early birds', city: 'Lisbon', country: null }
    assert.equal(mapOf(endpoints.clubs, club)['url'], 'https://www.strava.com/clubs/early%20birds')
    assert.equal(mapOf(endpoints.clubs, { ...club, url: '' })['url'], 'https://www.strava.com/clubs/7')
    assert.equal(mapOf(endpoints.clubs, club)['place'], 'Lisbon')
    assert.equal(read('segments', { id: 9, name: 'Hill', start_latlng: [1, 2] }).place?.lat, 1)
  })

  test('the person, with the fields that there are', () => {
    const { photo, ...rest } = strava.self.read({
      id: 41n,
      firstname: 'Ada',
      lastname: '',
      city: 'Lisbon',
      profile: 'avatar/athlete/large.png',
    })
    assert.equal(photo, undefined)
    assert.deepEqual([rest.id, rest.name, rest.location], ['41', 'Ada', 'Lisbon'])
  })

  test('of four windows, the one that is used up counts, and of several the last to end', () => {
    const now = Date.UTC(2026, 4, 1, 10, 7)
    const rate = (all: string, reads: string) =>
      strava.api.rate?.(
        {
          'x-ratelimit-limit': '200,2000',
          'x-ratelimit-usage': all,
          'x-readratelimit-limit': '100, 1000',
          'x-readratelimit-usage': reads,
        },
        now,
      )
    assert.deepEqual(rate('10,300', '8,290'), { remaining: 92, resetAtMs: Date.UTC(2026, 4, 1, 10, 15) })
    assert.deepEqual(rate('110,300', '100,290'), { remaining: 0, resetAtMs: Date.UTC(2026, 4, 1, 10, 15) })
    assert.deepEqual(rate('110,1010', '100,1000'), { remaining: 0, resetAtMs: Date.UTC(2026, 4, 2) })
    assert.equal(strava.api.rate?.({ 'x-ratelimit-limit': 'many', 'x-ratelimit-usage': '1,2' }, now), undefined)
  })

  test('a missing permission is not a refused token', () => {
    const answer = (errors: object[]) => strava.api.recovery?.({ status: 401, body: { errors }, headers: {} })
    assert.equal(
      answer([{ resource: 'AccessToken', field: 'activity:read_permission', code: 'missing' }]),
      'not_granted',
    )
    assert.equal(answer([{ resource: 'Athlete', field: 'access_token', code: 'invalid' }]), undefined)
    assert.equal(strava.api.recovery?.({ status: 401, body: null, headers: {} }), undefined)
  })

  test('activities continue a month before the newest', () => {
    const { checkpoint, pages } = endpoints.activities
    assert.deepEqual(checkpoint?.query(1_777_637_709), { after: String(1_777_637_709 - 30 * 86_400) })
    const request = pages.first({ method: 'GET', path: '/athlete/activities', query: {} })
    assert.deepEqual(request.query, { per_page: '200', page: '1' })
    assert.equal(
      pages.next({ request, body: [], headers: {}, count: 3 })?.query['page'],
      '2',
      'a short page is not the last',
    )
  })
})

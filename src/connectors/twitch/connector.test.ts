import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { itemReader } from '#kit/connector/read-item.ts'
import { twitch } from './connector.ts'

suite('twitch', () => {
  test('the person', () => {
    const user = {
      id: '1',
      login: 'ada',
      display_name: 'Ada',
      email: 'a@b.test',
      profile_image_url: 'https://p.test/',
      description: '',
    }
    assert.deepEqual(twitch.self.read({ data: [user] }), {
      id: '1',
      name: 'Ada',
      handle: 'ada',
      email: 'a@b.test',
      photo: 'https://p.test/',
    })
    assert.equal(twitch.self.read({ data: [] }).id, '')
  })

  test('clips are read month by month, because a list ends after a thousand', () => {
    const { pages, prepare } = twitch.endpoints['clips']!
    const nowMs = Date.UTC(2026, 5, 30, 12)
    const request = { method: 'GET' as const, path: '/clips', query: { broadcaster_id: '1' } }
    const begin = (watermark: number | undefined) =>
      pages.first(prepare!(request, { nowMs, watermark, granted: undefined }))
    const next = (at: typeof request, cursor?: string) =>
      pages.next({ request: at, headers: {}, count: 1, body: { data: [], pagination: cursor ? { cursor } : {} } })
    const first = begin(undefined)
    assert.deepEqual(
      [first.query['started_at'], first.query['ended_at']],
      ['2026-05-31T12:00:00Z', '2026-06-30T12:00:00Z'],
    )
    assert.equal(next(first as typeof request, 'c')?.query['after'], 'c')
    const second = next(next(first as typeof request, 'c') as typeof request)
    assert.deepEqual([second?.query['after'], second?.query['ended_at']], [undefined, '2026-05-31T12:00:00Z'])
    const known = begin(nowMs - 86_400_000)
    assert.equal(known.query['started_at'], '2026-06-22T12:00:00Z')
    assert.equal(next(known as typeof request), undefined)
    let count = 0
    for (let at: typeof request | undefined = first as typeof request; at !== undefined; count += 1)
      at = next(at) as typeof request | undefined
    assert.equal(count, 124)
  })

  test('a 401 is read by its message', () => {
    const recover = (message: string) => twitch.api.recovery?.({ status: 401, headers: {}, body: { message } })
    assert.equal(recover('Missing scope: user:read:follows'), 'not_granted')
    assert.equal(recover('Client ID and OAuth token do not match'), 'stop')
    assert.equal(recover('Invalid OAuth token'), undefined)
  })

  test('a video: its length and picture', () => {
    const { videos } = twitch.endpoints
    const { map } = videos!.kind
    const raw = {
      id: '9',
      title: 'T',
      duration: '3h8m33s',
      thumbnail_url: 'https://t.test/%{width}x%{height}.jpg',
      created_at: '2026-01-01T00:00:00Z',
    }
    assert.equal(map.seconds?.(raw), 11_313)
    assert.equal(map.image?.(raw), 'https://t.test/640x360.jpg')
    assert.equal(map.seconds?.({ id: '9', duration: 'soon' }), undefined)
    assert.equal(itemReader(twitch, 'videos', videos!, '1')(raw).at, Date.UTC(2026, 0, 1))
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { itemReader } from '#kit/read-item.ts'
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

  test('a 401 is read by its message', () => {
    const recover = (message: string) => twitch.api.recovery?.({ status: 401, headers: {}, body: { message } })
    assert.equal(recover('Missing scope: user:read:follows'), 'skip')
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { flickr } from './connector.ts'

const ME = '12037949754@N01'
const read = (name: string, raw: unknown) => itemReader(flickr, name, flickr.endpoints[name]!, ME)(raw)

const photo = {
  id: '2636',
  owner: ME,
  ownername: 'Bees',
  pathalias: 'bees',
  iconserver: '4',
  iconfarm: 5,
  title: 'test_04',
  description: { _content: 'A <b>hive</b> &amp; more' },
  media: 'photo',
  dateupload: '1100897479',
  datetaken: '2004-11-19 12:51:19',
  lastupdate: '1093022469',
  latitude: '-17.685895',
  longitude: '-63.36914',
  accuracy: '6',
  url_m: 'https://live.staticflickr.com/2/2636_a_m.jpg',
  url_l: 'https://live.staticflickr.com/2/2636_a_b.jpg',
  width_l: '1024',
  height_l: 768,
}

test('a photo has its place, page, picture and author; without accuracy it has no place', () => {
  const item = read('photos', photo)
  assert.deepEqual([item.at, item.place], [1_100_897_479_000, { lat: -17.685895, lng: -63.36914 }])
  const map = mapOf(flickr.endpoints['photos']!, photo)
  assert.equal(map.url, 'https://www.flickr.com/photos/bees/2636/')
  assert.equal(map.text, 'A hive & more')
  assert.equal(map.media, photo.url_l)
  assert.equal((map.author as { photo?: string }).photo, `https://farm5.staticflickr.com/4/buddyicons/${ME}.jpg`)
  assert.equal(read('photos', { ...photo, latitude: 0, longitude: 0, accuracy: 0 }).place, undefined)
})

test('a favourite has the time of the like; videos are videos', () => {
  const favorite = { ...photo, owner: '1@N1', media: 'video', date_faved: '1200000000' }
  assert.equal(read('favorites', favorite).at, 1_200_000_000_000)
  assert.deepEqual(flickr.endpoints['favorites']!.kind.types?.(favorite), ['videos'])
  const { checkpoint } = flickr.endpoints['favorites']!
  const watermark = checkpoint?.advance({ items: [favorite], body: {} }, undefined)
  assert.deepEqual(checkpoint?.query(watermark!), { min_fave_date: String(1_200_000_000 - 3600) })
})

test('only comments are read from the activity', () => {
  const body = {
    items: {
      item: [
        {
          type: 'photo',
          id: '2636',
          owner: ME,
          title: { _content: 'test' },
          activity: {
            event: [
              {
                type: 'comment',
                commentid: 'c1',
                user: '2@N2',
                username: 'jill',
                dateadded: '1144086424',
                _content: 'hi',
              },
              { type: 'fave', user: '2@N2', username: 'jill', dateadded: '1144086425' },
            ],
          },
        },
      ],
    },
  }
  const list = flickr.endpoints['comments']!.items(body) ?? []
  assert.equal(list.length, 1)
  assert.deepEqual(mapOf(flickr.endpoints['comments']!, list[0]).url, `https://www.flickr.com/photos/${ME}/2636/`)
})

test('a failure with status 200 says how to go on, and pages end where the service says', () => {
  const fail = (code: number) =>
    flickr.api.recovery?.({ status: 200, headers: {}, body: { stat: 'fail', code, message: '' } })
  assert.deepEqual([98, 99, 105, 1, 100, 116].map(fail), [
    'reauthorize',
    'reauthorize',
    'retry',
    'skip',
    'stop',
    'stop',
  ])
  assert.equal(flickr.api.recovery?.({ status: 200, headers: {}, body: { stat: 'ok' } }), undefined)
  const { pages } = flickr.endpoints['photos']!
  const first = pages.first({ method: 'GET', path: '/', query: {} })
  assert.deepEqual(first.query, { per_page: '500', page: '1' })
  const next = (at: typeof first, of: unknown) =>
    pages.next({ request: at, body: { photos: { page: 1, pages: of } }, headers: {}, count: 5 })
  assert.equal(next(first, 2)?.query['page'], '2')
  assert.equal(next(next(first, '2')!, '2'), undefined)
})

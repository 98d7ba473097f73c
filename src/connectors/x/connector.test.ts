import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { x } from './connector.ts'

const ME = '1500000000000000001'
const YOU = '1500000000000000002'
const read = (name: string, raw: unknown) => itemReader(x, name, x.endpoints[name]!, ME)(raw)
const map = (name: string, raw: unknown) => mapOf(x.endpoints[name]!, raw)

const page = {
  data: [
    {
      id: '1900000000000000010',
      text: 'Soup &amp; bread with @noor https://t.co/aaa https://t.co/pic',
      author_id: ME,
      created_at: '2026-05-06T07:08:09.000Z',
      lang: 'en',
      in_reply_to_user_id: YOU,
      attachments: { media_keys: ['3_77', '3_78'] },
      geo: { place_id: 'p1' },
      public_metrics: { like_count: 5, reply_count: 2, retweet_count: 3, quote_count: 1, impression_count: 99 },
      referenced_tweets: [{ type: 'replied_to', id: '1900000000000000009' }],
      entities: {
        mentions: [{ username: 'noor', id: '1500000000000000003' }],
        urls: [
          {
            url: 'https://t.co/aaa',
            expanded_url: 'https://soup.example/recipe',
            title: 'Soup',
            description: 'Hot',
            images: [{ url: 'https://soup.example/pot.jpg' }],
          },
          { url: 'https://t.co/pic', expanded_url: 'https://x.com/mira/status/19/photo/1', media_key: '3_77' },
        ],
      },
    },
    {
      id: '1900000000000000011',
      text: 'RT @joost: A very long text that is cut of…',
      author_id: ME,
      created_at: '2026-05-07T00:00:00.000Z',
      referenced_tweets: [{ type: 'retweeted', id: '1900000000000000001' }],
    },
    { id: '1900000000000000012', text: 'Plain', author_id: ME, created_at: '2026-05-08T00:00:00.000Z', lang: 'und' },
  ],
  includes: {
    users: [
      { id: ME, name: 'Mira', username: 'mira', profile_image_url: 'https://pbs.test/me_normal.jpg' },
      { id: YOU, name: 'Joost', username: 'joost' },
    ],
    media: [
      {
        media_key: '3_77',
        type: 'photo',
        url: 'https://pbs.test/soup.jpg',
        width: 1200,
        height: 800,
        alt_text: 'A pot',
      },
      {
        media_key: '7_1',
        type: 'video',
        preview_image_url: 'https://pbs.test/v.jpg',
        variants: [
          { bit_rate: 10, content_type: 'video/mp4', url: 'https://video.test/low.mp4' },
          { bit_rate: 99, content_type: 'video/mp4', url: 'https://video.test/high.mp4' },
          { content_type: 'application/x-mpegURL', url: 'https://video.test/list.m3u8' },
        ],
      },
    ],
    places: [{ id: 'p1', full_name: 'Utrecht, Netherlands', geo: { bbox: [5, 52, 5.2, 52.2] } }],
    tweets: [
      {
        id: '1900000000000000001',
        text: 'A very long text that is cut off nowhere https://t.co/gram',
        author_id: YOU,
        created_at: '2026-05-01T00:00:00.000Z',
        attachments: { media_keys: ['7_1'] },
        public_metrics: { like_count: 1000 },
        entities: { urls: [{ url: 'https://t.co/gram', expanded_url: 'https://www.instagram.com/p/Cabc-1_2/' }] },
      },
    ],
  },
  meta: { next_token: 'n1', result_count: 3 },
}
const items = (body: unknown, name = 'tweets') => x.endpoints[name]!.items(body) ?? []
const [soup, repost, plain] = items(page) as [object, object, object]

test('X omits an empty list, and a response without a count has no list', () => {
  for (const name of ['tweets', 'followers', 'direct_messages']) {
    assert.deepEqual(x.endpoints[name]!.items({ meta: { result_count: 0 } }), [])
    assert.equal(x.endpoints[name]!.items({ title: 'Over capacity' }), undefined)
  }
})

test('a post has the expansions it refers to, and no others', () => {
  const included = (soup as { includes: Record<string, unknown[]> }).includes
  assert.deepEqual(Object.keys(included), ['users', 'media', 'places'])
  assert.deepEqual([included['users']!.length, included['media']!.length], [2, 1])
  const { tweets } = (repost as { includes: { tweets: object[] } }).includes
  assert.equal('public_metrics' in tweets[0]!, false)
  assert.deepEqual(items({ meta: { result_count: 0 } }), [])
})

test('what a referenced post refers to is left out, because it depends on the other posts of the page', () => {
  const original = { id: '1', author_id: '7', in_reply_to_user_id: '8', geo: { place_id: 'p' } }
  const reply = { id: '2', author_id: '9', referenced_tweets: [{ type: 'replied_to', id: '1' }] }
  const other = { id: '3', author_id: '8', geo: { place_id: 'p' } }
  const users = ['7', '8', '9'].map((id) => ({ id, username: `user${id}` }))
  const page = (data: object[]) => ({ data, includes: { users, places: [{ id: 'p' }], tweets: [original] } })
  const [joined] = items(page([reply, other])) as { includes: Record<string, { id: string }[]> }[]
  assert.deepEqual(
    joined!.includes['users']!.map(({ id }) => id),
    ['9', '7'],
  )
  assert.deepEqual(Object.keys(joined!.includes), ['users', 'tweets'])
})

test('a post with a photo and a link has all types, people, place and counts', () => {
  const draft = read('tweets', soup)
  assert.equal(draft.idr, `tweet:${ME}@x/tweets#1900000000000000010`)
  assert.equal(draft.at, Date.UTC(2026, 4, 6, 7, 8, 9))
  assert.deepEqual(draft.types, ['statuses', 'photos', 'news'])
  assert.deepEqual(draft.participants, [ME, YOU, '1500000000000000003'])
  assert.deepEqual([draft.place!.lat.toFixed(2), draft.place!.lng.toFixed(2)], ['52.10', '5.10'])
  assert.equal(map('tweets', soup)['text'], 'Soup & bread with @noor https://soup.example/recipe')
  assert.deepEqual(map('tweets', soup)['counts'], { likes: 5, comments: 2, shares: 4 })
  assert.equal(map('tweets', soup)['url'], 'https://x.com/mira/status/1900000000000000010')
  assert.equal(draft.card.url, 'https://pbs.test/soup.jpg')
  assert.deepEqual([draft.card.type, draft.card.description, draft.card.width], ['photo', 'A pot', 1200])
  const { news, statuses } = draft.cards
  assert.deepEqual([news?.type, news?.title, news?.url], ['link', 'Soup', 'https://soup.example/recipe'])
  assert.deepEqual([statuses?.type, statuses?.url], ['text', 'https://x.com/mira/status/1900000000000000010'])
  assert.deepEqual((map('tweets', soup)['author'] as { photo: string }).photo, 'https://pbs.test/me.jpg')
  const [ofText, ...links] = draft.guid
  assert.match(ofText!, /^text:[0-9a-f]{20}$/)
  const page = 'mira/status/1900000000000000010'
  assert.deepEqual(links, [`page:x.com/${page}`, `page:twitter.com/${page}`, 'link:soup.example/recipe'])
})

test('a repost has the whole text, the video and the dedupe keys of the original', () => {
  assert.deepEqual(read('timeline', repost).types, [], 'the person’s own')
  const draft = read('tweets', repost)
  assert.deepEqual(draft.types, ['statuses', 'videos', 'news'])
  assert.deepEqual([draft.card.type, draft.card.thumbnail_url], ['video', 'https://pbs.test/v.jpg'])
  assert.equal(draft.cards.news?.url, 'https://www.instagram.com/p/Cabc-1_2/')
  const { types } = read('timeline', { ...repost, author_id: YOU })
  assert.deepEqual(types, ['statuses_feed', 'videos_feed', 'news_feed'])
  assert.deepEqual(draft.participants, [ME, YOU])
  assert.match(draft.texts[0]!, /^RT @joost: A very long text that is cut off nowhere https:\/\/www\.instagram\.com/)
  assert.equal(map('timeline', repost)['media'], 'https://video.test/high.mp4')
  assert.ok(draft.guid.includes('page:x.com/joost/status/1900000000000000001'))
  assert.ok(!draft.guid.some((dedupeKey) => dedupeKey.includes('1900000000000000011')), 'it adds nothing')
  assert.ok(draft.guid.includes('of:guid:instagram/#Cabc-1_2'))
  assert.equal(map('timeline', repost)['earliest'], Date.UTC(2026, 4, 1))
})

test('a posted check-in links to the check-in; a point is preferred to a box', () => {
  const raw = {
    ...plain,
    geo: { coordinates: { type: 'Point', coordinates: [-0.5, 51.5] } },
    entities: {
      urls: [{ url: 'https://t.co/c', expanded_url: 'https://www.swarmapp.com/checkin/5f0c0ffee0c0ffee0c0ffee0' }],
    },
  }
  const draft = read('tweets', raw)
  assert.ok(draft.guid.includes('of:guid:foursquare/#5f0c0ffee0c0ffee0c0ffee0'))
  assert.deepEqual(draft.place, { lat: 51.5, lng: -0.5 })
  assert.equal('lang' in map('tweets', plain), false)
})

test('the newer name of the references is read too', () => {
  const { referenced_tweets, ...rest } = page.data[1]!
  const { tweets, ...others } = page.includes
  const body = { data: [{ ...rest, referenced_posts: referenced_tweets }], includes: { ...others, posts: tweets } }
  const [raw] = items(body)
  assert.equal(map('tweets', raw)['text'], map('tweets', repost)['text'])
})

test('messages have sender and receiver; contacts have the person', () => {
  const [raw] = items(
    {
      data: [
        {
          id: '1900000000000000099',
          event_type: 'MessageCreate',
          text: 'Tea?',
          sender_id: YOU,
          dm_conversation_id: `${ME}-${YOU}`,
          created_at: '2026-05-06T07:08:09.000Z',
        },
      ],
      includes: page.includes,
    },
    'direct_messages',
  )
  const draft = read('direct_messages', raw)
  assert.deepEqual([draft.types, draft.participants, draft.texts], [['messages'], [YOU, ME], ['Tea?']])
  assert.deepEqual([map('direct_messages', raw)['from'], map('direct_messages', raw)['to']], ['joost', [ME]])
  const card = read('following', {
    id: YOU,
    name: 'Joost',
    username: 'joost',
    location: 'Gent',
    url: 'https://t.co/z',
  }).card
  assert.deepEqual(
    [card.title, card.handle, card.url, card.location],
    ['Joost', 'joost', 'https://x.com/joost', 'Gent'],
  )
})

test('pages continue while there is a token, also after an empty one', () => {
  const { pages } = x.endpoints['mentions']!
  const first = pages.first({ method: 'GET', path: '/users/1/mentions', query: { since_id: '5' } })
  assert.deepEqual(first.query, { max_results: '100', since_id: '5' })
  const second = pages.next({
    request: first,
    body: { meta: { next_token: 'n1', result_count: 0 } },
    headers: {},
    count: 0,
  })
  assert.deepEqual(second?.query, { max_results: '100', since_id: '5', pagination_token: 'n1' })
  assert.equal(pages.next({ request: second, body: { meta: { result_count: 3 } }, headers: {}, count: 3 }), undefined)
})

test('the timeline is read from the greatest id', () => {
  const { checkpoint } = x.endpoints['timeline']!
  const watermark = checkpoint?.advance({ items: [{ id: '999' }, { id: '1900000000000000010' }], body: {} }, '1000')
  assert.deepEqual(checkpoint?.query(watermark!), { since_id: '1900000000000000010' })
})

test('own posts are read from a day before the newest', () => {
  const { checkpoint } = x.endpoints['tweets']!
  assert.deepEqual(checkpoint?.query(Date.parse('2026-05-08T00:00:00.000Z')), { start_time: '2026-05-07T00:00:00Z' })
  assert.deepEqual(checkpoint?.query(0), { start_time: '2010-11-06T00:00:01Z' })
})

test('likes are read until a small page has only known ids', () => {
  const { checkpoint, prepare, path } = x.endpoints['likes']!
  const list = (...ids: string[]) => ids.map((id) => ({ id }))
  const first = checkpoint?.advance({ items: list('9', '8'), body: { meta: { next_token: 'n' } } }, undefined)
  const whole = checkpoint?.advance({ items: list('7'), body: { meta: { previous_token: 'p' } } }, first)
  assert.equal(whole, '9 8 7')
  const later = checkpoint?.advance({ items: list('10', '9'), body: { meta: {} } }, whole)
  assert.equal(later, '10 9 8 7')
  assert.deepEqual(
    ['10', '9', '6'].map((id) => checkpoint?.isKnown?.({ id }, later ?? '')),
    [true, true, false],
  )
  const request = { method: 'GET' as const, path, query: {} }
  const context = { nowMs: 0, granted: undefined }
  assert.deepEqual(prepare?.(request, { ...context, watermark: undefined }).query, {})
  assert.deepEqual(prepare?.(request, { ...context, watermark: later }).query, { max_results: '5' })
})

test('every endpoint has the price of the vendor', () => {
  const prices = Object.entries(x.endpoints).map(([name, { price }]) => [name, price?.perRecord, price?.currency])
  assert.deepEqual(prices, [
    ['following', 10_000, 'USD'],
    ['followers', 10_000, 'USD'],
    ['tweets', 5000, 'USD'],
    ['likes', 5000, 'USD'],
    ['bookmarks', 5000, 'USD'],
    ['timeline', 5000, 'USD'],
    ['mentions', 5000, 'USD'],
    ['direct_messages', 10_000, 'USD'],
  ])
})

test('direct messages need their scope, which the flag adds', () => {
  assert.ok(x.endpoints['direct_messages']!.scope.includes('dm.read'))
  assert.ok(x.auth.kind === 'oauth2' && !x.auth.scope.default.includes('dm.read'))
  assert.deepEqual(x.auth.kind === 'oauth2' && x.auth.flags['dm'], { scope: ['dm.read'] }, 'reading needs no more')
})

test('errors that only the operator can fix stop, and limits are per endpoint', () => {
  const problem = (status: number, name: string) =>
    x.api.recovery?.({ status, headers: {}, body: { type: `https://api.x.com/2/problems/${name}` } })
  assert.equal(problem(429, 'usage-capped'), 'stop')
  assert.equal(problem(403, 'client-forbidden'), 'stop')
  assert.equal(problem(402, 'credits'), undefined)
  assert.equal(problem(404, 'resource-not-found'), 'skip')
  assert.equal(problem(429, 'rate-limit-exceeded'), undefined)
  assert.equal(x.api.recovery?.({ status: 200, headers: {}, body: null }), undefined)
  assert.deepEqual(x.api.rate?.({ 'x-rate-limit-remaining': '14', 'x-rate-limit-reset': '1790000000' }, 0), {
    remaining: 14,
    resetAtMs: 1_790_000_000_000,
    of: 'endpoint',
  })
})

test('a webhook responds to the challenge and is accepted by its signature', () => {
  const sign = (algorithm: string, text: string, encoding: 'hex' | 'base64' = 'hex') =>
    createHmac(algorithm, 'consumer').update(text).digest(encoding)
  const request = { method: 'GET', query: {}, headers: {}, body: '' }
  const response = x.hook?.handshake?.({ crc_token: 'ch' }, 'consumer', sign, request)
  assert.deepEqual(response, { json: { response_token: `sha256=${sign('sha256', 'ch', 'base64')}` } })
  assert.equal(x.hook?.handshake?.({}, 'consumer', sign, request), undefined)
  const body = JSON.stringify({ data: { filter: { user_id: ME }, event_type: 'post.create' } })
  const headers = { 'x-twitter-webhooks-signature': `sha256=${sign('sha256', body, 'base64')}` }
  assert.equal(x.hook?.verify({ headers, body, secret: 'consumer', sign }), true)
  assert.equal(x.hook?.verify({ headers: {}, body, secret: 'consumer', sign }), false)
  assert.deepEqual(x.hook?.people(JSON.parse(body)), [ME])
  assert.deepEqual(x.hook?.people({ for_user_id: YOU }), [YOU])
})

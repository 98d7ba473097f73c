import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { tumblr } from './connector.ts'

const read = (name: string, raw: unknown) => itemReader(tumblr, name, tumblr.endpoints[name]!, 't:moss')(raw)
const map = (name: string, raw: unknown) => mapOf(tumblr.endpoints[name]!, raw)

const photo = {
  id: 790123456789012345n,
  id_string: '790123456789012345',
  blog_name: 'mosslog',
  blog: { name: 'mosslog', title: 'Moss Log', url: 'https://mosslog.tumblr.com/', uuid: 't:moss' },
  post_url: 'https://mosslog.tumblr.com/post/790123456789012345/moss',
  timestamp: 1_780_000_000,
  type: 'blocks',
  note_count: 3,
  notes: [
    { type: 'like', blog_name: 'fernfan', timestamp: 1_780_000_100 },
    { type: 'reblog', blog_name: 'lichenlab', timestamp: 1_780_000_050 },
    { type: 'posted', blog_name: 'mosslog', timestamp: 1_780_000_000 },
  ],
  content: [
    { type: 'text', subtype: 'heading1', text: 'Moss on stone' },
    {
      type: 'image',
      alt_text: 'Green moss',
      media: [
        { url: 'https://64.media.test/moss_1280.jpg', type: 'image/jpeg', width: 1280, height: 960 },
        { url: 'https://64.media.test/moss_540.jpg', type: 'image/jpeg', width: 540, height: 405 },
      ],
      attribution: { type: 'link', url: 'https://www.instagram.com/p/Moss_1/' },
    },
    {
      type: 'text',
      text: 'Seen with @fernfan at the wall',
      formatting: [
        { start: 10, end: 18, type: 'mention', blog: { name: 'fernfan', uuid: 't:fern' } },
        { start: 22, end: 30, type: 'link', url: 'https://wall.example/' },
      ],
    },
  ],
  layout: [{ type: 'rows', display: [] }],
  trail: [],
}
const reblog = {
  id_string: '790123456789012400',
  blog_name: 'lichenlab',
  post_url: 'https://lichenlab.tumblr.com/post/790123456789012400',
  timestamp: 1_780_001_000,
  reblogged_from_name: 'mosslog',
  content: [],
  trail: [
    {
      blog: { name: 'songbird' },
      post: { id: '7', timestamp: 1_700_000_000 },
      content: [
        {
          type: 'audio',
          title: 'Dawn',
          artist: 'The Larks',
          album: 'Fields',
          media: { url: 'https://a.media.test/dawn.mp3' },
        },
      ],
    },
    { broken_blog_name: 'gone-blog', content: [{ type: 'text', text: 'lovely' }] },
  ],
}
const link = {
  ...reblog,
  id_string: '790123456789012500',
  trail: [],
  content: [
    {
      type: 'link',
      url: 'https://news.example/fungi',
      title: 'Fungi',
      description: 'They spread',
      poster: [{ url: 'https://news.example/f.jpg' }],
    },
  ],
}
const notice = {
  id: '17',
  type: 'reply',
  timestamp: 1_780_000_200,
  from_tumblelog_name: 'fernfan',
  target_tumblelog_name: 'mosslog',
  target_post_id: '790123456789012345',
  target_post_summary: 'Moss on stone',
  reply_text: 'So green!',
}

test('a photo post is read by blocks, and its notes are its participants', () => {
  const draft = read('posts', photo)
  assert.equal(draft.idr, 'post:t%3Amoss@tumblr/posts#790123456789012345')
  assert.equal(draft.at, 1_780_000_000_000)
  assert.deepEqual(draft.types, ['statuses', 'photos'])
  assert.deepEqual([draft.participants, draft.hasAuthor], [['t:moss', 't:fern', 'lichenlab'], true])
  assert.deepEqual(draft.guid.slice(1), [
    'guid:tumblr/#790123456789012345',
    'page:mosslog.tumblr.com/post/790123456789012345/moss',
    'of:guid:instagram/#Moss_1',
    'link:instagram.com/p/Moss_1',
  ])
  assert.deepEqual([draft.card.title, draft.card.width], ['Moss on stone', 1280])
  assert.deepEqual(
    [draft.card.url, draft.card.thumbnail_url].map((url) => url?.slice(-8)),
    ['1280.jpg', '_540.jpg'],
  )
  assert.equal(map('posts', photo)['text'], 'Moss on stone\n\nSeen with @fernfan at the wall')
  assert.deepEqual(map('posts', photo)['urls'], ['https://wall.example/'])
  assert.deepEqual(map('posts', photo)['author'], {
    id: 't:moss',
    name: 'Moss Log',
    handle: 'mosslog',
    url: 'https://mosslog.tumblr.com/',
    photo: 'https://api.tumblr.com/v2/blog/mosslog/avatar/512',
  })
})

test('a reblog without a text has the types of the original', () => {
  const draft = read('posts', reblog)
  assert.deepEqual(draft.types, ['statuses', 'tracks'])
  assert.deepEqual(draft.participants, ['lichenlab', 'mosslog', 'songbird', 'gone-blog'])
  const { tracks } = draft.cards
  assert.deepEqual(
    [draft.card.type, draft.card.title, tracks?.type, tracks?.title, tracks?.description, tracks?.url],
    ['text', 'lovely', 'track', 'Dawn', 'The Larks, Fields', 'https://a.media.test/dawn.mp3'],
  )
  const { title, artist, album, media, earliest, text } = map('posts', reblog)
  assert.deepEqual([title, artist, album], ['Dawn', 'The Larks', 'Fields'])
  assert.deepEqual([media, earliest, text], ['https://a.media.test/dawn.mp3', 1_700_000_000_000, 'lovely'])
})

test('a link is news; every post of a feed has a type', () => {
  const draft = read('dashboard', link)
  assert.deepEqual(draft.types, ['news_feed'])
  assert.deepEqual(draft.texts, ['Fungi', 'https://news.example/fungi'])
  assert.equal(draft.card.thumbnail_url, 'https://news.example/f.jpg')
  assert.deepEqual(read('dashboard', { ...reblog, trail: reblog.trail.slice(0, 1) }).types, ['statuses_feed'])
})

test('a reblog that adds nothing has the dedupe key of what it passes on', () => {
  const ids = (post: unknown) => read('dashboard', post).guid.filter((dedupeKey) => dedupeKey.startsWith('guid:'))
  const [original, comment] = reblog.trail
  const commented = { ...comment, post: { id: '8' } }
  assert.deepEqual(ids({ ...reblog, trail: [original] }), ['guid:tumblr/#7'])
  assert.deepEqual(ids({ ...reblog, trail: [original, commented] }), ['guid:tumblr/#8'])
  assert.deepEqual(ids({ ...reblog, trail: [original, { post: { id: '9' }, content: [] }] }), ['guid:tumblr/#7'])
  assert.deepEqual(ids(reblog), ['guid:tumblr/#790123456789012400'], 'of a post without an id')
  const said = { ...reblog, content: [{ type: 'text', text: 'So green' }] }
  assert.deepEqual(ids(said), ['guid:tumblr/#790123456789012400'])
  assert.deepEqual(read('likes', { id_string: '1' }).types, ['statuses_feed'])
  for (const name of ['likes', 'dashboard']) assert.deepEqual(read(name, photo).types, [], 'the person’s own')
})

test('a post with a number beyond 2^53 keeps all digits', () => {
  const { id_string: _, ...numbered } = photo
  assert.equal(read('posts', numbered).nativeId, '790123456789012345')
})

test('blogs and notifications are read', () => {
  const blog = read('following', {
    name: 'fernfan',
    title: '',
    url: 'https://fern.example/',
    updated: 1_780_000_000,
    description: '<p>Ferns</p>',
  })
  assert.deepEqual([blog.nativeId, blog.at, blog.types], ['fernfan', 1_780_000_000_000, ['contacts']])
  assert.deepEqual([blog.card.title, blog.card.handle, blog.card.description], ['fernfan', 'fernfan', 'Ferns'])
  const draft = read('notifications', notice)
  assert.deepEqual(draft.participants, ['fernfan', 'mosslog'])
  assert.deepEqual(draft.texts, ['reply: Moss on stone', 'So green!'])
  assert.equal(map('notifications', notice)['url'], 'https://www.tumblr.com/mosslog/790123456789012345')
})

test('the person is the primary blog', () => {
  const blogs = [
    { name: 'side' },
    { name: 'mosslog', uuid: 't:moss', title: 'Moss Log', url: 'https://mosslog.tumblr.com/', primary: true },
  ]
  const self = tumblr.self.read({ response: { user: { name: 'mosslog', blogs } } })
  assert.deepEqual([self.id, self.handle, self.name], ['t:moss', 'mosslog', 'Moss Log'])
  const renamed = blogs.map((one) => (one.name === 'mosslog' ? { ...one, name: 'lichenlog' } : one))
  assert.equal(tumblr.self.read({ response: { user: { name: 'lichenlog', blogs: renamed } } }).id, 't:moss')
})

test('posts are walked by time, and posts of the same second are not lost between pages', () => {
  const { pages } = tumblr.endpoints['posts']!
  const response = (...times: number[]) => ({ response: { posts: times.map((timestamp) => ({ timestamp })) } })
  const first = pages.first({ method: 'GET', path: '/blog/mosslog/posts', query: { npf: 'true' } })
  assert.deepEqual(first.query, { limit: '20', npf: 'true' })
  const second = pages.next({ request: first, body: response(30, 20, 10), headers: {}, count: 3 })
  assert.equal(second?.query['before'], '11')
  const third = pages.next({ request: second, body: response(10), headers: {}, count: 1 })
  assert.equal(third?.query['before'], '10')
  assert.equal(pages.next({ request: third, body: response(), headers: {}, count: 0 }), undefined)
})

test('likes follow links if there are any, else offsets up to 1000', () => {
  const { pages } = tumblr.endpoints['likes']!
  const request = pages.first({ method: 'GET', path: '/user/likes', query: {} })
  const step = (body: unknown, count = 20, from = request) => pages.next({ request: from, body, headers: {}, count })
  const counted = step({ response: { liked_posts: [] } })
  assert.deepEqual(counted?.query, { limit: '20', offset: '20' })
  const next = {
    type: 'action',
    method: 'GET',
    href: '/v2/user/likes',
    query_params: { before: 1_780_000_000, limit: 20 },
  }
  assert.deepEqual(step({ response: { _links: { next } } }, 0, counted)?.query, { limit: '20', before: '1780000000' })
  assert.equal(step({ response: { _links: {} } }), undefined)
  assert.equal(step({ response: {} }, 20, { ...request, query: { before: '5' } }), undefined)
  assert.equal(step({ response: {} }, 0), undefined)
  assert.equal(step({ response: {} }, 20, { ...request, query: { offset: '1000' } }), undefined)
  const notices = tumblr.endpoints['notifications']!.pages
  assert.equal(notices.first(request), request)
  assert.equal(notices.next({ request, body: { response: { notifications: [] } }, headers: {}, count: 0 }), undefined)
})

test('a run ends a week before the newest post', () => {
  const { advance, isKnown } = tumblr.endpoints['posts']!.checkpoint!
  const watermark = advance(
    { items: [{ timestamp: 1_780_000_000 }, { timestamp: 1_770_000_000 }], body: {} },
    undefined,
  )
  assert.equal(watermark, 1_780_000_000_000)
  assert.equal(isKnown?.({ timestamp: 1_780_000_000 - 6 * 86_400 }, watermark), false)
  assert.equal(isKnown?.({ timestamp: 1_780_000_000 - 8 * 86_400 }, watermark), true)
})

test('the scarcer of the two limits counts, and of two used-up ones the later reset', () => {
  const headers = (hour: string, day: string) => ({
    'x-ratelimit-perhour-remaining': hour,
    'x-ratelimit-perhour-reset': '600',
    'x-ratelimit-perday-remaining': day,
    'x-ratelimit-perday-reset': '50000',
  })
  assert.deepEqual(tumblr.api.rate?.(headers('5', '4000'), 1000), { remaining: 5, resetAtMs: 601_000 })
  assert.deepEqual(tumblr.api.rate?.(headers('0', '0'), 1000), { remaining: 0, resetAtMs: 50_001_000 })
  assert.equal(tumblr.api.rate?.({}, 0), undefined)
})

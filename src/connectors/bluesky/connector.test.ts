import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import { bluesky } from './connector.ts'

const OWNER = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const BEN = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
const CLEO = 'did:web:cleo.test'
type Name = keyof typeof import('./endpoints.ts').endpoints
const endpoints = bluesky.endpoints as Record<Name, Endpoint>

const blob = (cid: string) => ({ $type: 'blob', ref: { $link: cid }, mimeType: 'image/jpeg', size: 10 })
const ref = (did: string, key: string) => ({ uri: `at://${did}/app.bsky.feed.post/${key}`, cid: 'bafyref' })
const images = {
  $type: 'app.bsky.embed.images',
  images: [
    { alt: 'A door', image: blob('bafkreione'), aspectRatio: { width: 4, height: 3 } },
    { alt: '', image: blob('bafkreitwo') },
  ],
}
const stored = {
  ...ref(OWNER, '3lpost1'),
  value: {
    $type: 'app.bsky.feed.post',
    text: '@ben look https://www.instagram.com/p/AbC_1-x/',
    createdAt: '2026-05-01T10:00:00.123Z',
    langs: ['en', 'de'],
    facets: [
      { index: { byteStart: 0, byteEnd: 4 }, features: [{ $type: 'app.bsky.richtext.facet#mention', did: BEN }] },
      {
        index: { byteStart: 5, byteEnd: 9 },
        features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.test/a' }],
      },
    ],
    reply: { root: ref(CLEO, '3lroot'), parent: ref(BEN, '3lparent') },
    embed: { $type: 'app.bsky.embed.recordWithMedia', record: { record: ref(CLEO, '3lquoted') }, media: images },
  },
}
const person = {
  did: BEN,
  handle: 'ben.test',
  displayName: 'Ben',
  avatar: 'https://cdn.bsky.app/img/avatar/plain/x/y@jpeg',
}
const view = {
  ...ref(BEN, '3lview'),
  author: person,
  record: { $type: 'app.bsky.feed.post', text: 'Hello', createdAt: '2099-01-01T00:00:00Z' },
  embed: {
    $type: 'app.bsky.embed.external#view',
    external: {
      uri: 'https://example.test/b',
      title: 'Bridges',
      description: 'How they stand',
      thumb: 'https://cdn.bsky.app/t',
    },
  },
  likeCount: 2,
  replyCount: 1,
  repostCount: 0,
  indexedAt: '2026-05-02T10:00:00Z',
}
const repost = {
  post: view,
  reason: {
    $type: 'app.bsky.feed.defs#reasonRepost',
    by: { did: CLEO, handle: 'cleo.test' },
    uri: `at://${CLEO}/app.bsky.feed.repost/3lrepost`,
    indexedAt: '2026-05-03T10:00:00Z',
  },
}

const read = (name: Name, raw: unknown) => itemReader(bluesky, name, endpoints[name], OWNER)(raw)

suite('bluesky', () => {
  test('an own post with pictures, a link, a reply and a quote', () => {
    const draft = read('posts', stored)
    assert.equal(draft.nativeId, stored.uri)
    assert.equal(draft.at, Date.parse('2026-05-01T10:00:00.123Z'))
    assert.deepEqual(draft.types, ['statuses', 'photos', 'news'])
    assert.deepEqual(draft.participants, [OWNER, BEN, CLEO])
    assert.deepEqual(draft.guid.slice(1), [
      `guid:bluesky/#${stored.uri}`,
      `page:bsky.app/profile/${OWNER}/post/3lpost1`,
      'of:guid:instagram/#AbC_1-x',
      'link:example.test/a',
      'link:instagram.com/p/AbC_1-x',
    ])
    assert.deepEqual([draft.card.type, draft.card.title, draft.card.width], ['photo', 'A door', 4])
    assert.equal(draft.card.thumbnail_url, `https://cdn.bsky.app/img/feed_thumbnail/plain/${OWNER}/bafkreione@jpeg`)
    assert.equal(draft.card.provider_url, `https://bsky.app/profile/${OWNER}/post/3lpost1`)
    const { news, statuses } = draft.cards
    assert.deepEqual([news?.type, news?.url], ['link', 'https://example.test/a'])
    assert.deepEqual([statuses?.type, statuses?.url], ['text', draft.card.provider_url])
    const map = mapOf(endpoints.posts, stored, OWNER)
    const media = new URL(String(map['media']))
    assert.equal(media.pathname, '/xrpc/com.atproto.sync.getBlob')
    assert.deepEqual(Object.fromEntries(media.searchParams), { did: OWNER, cid: 'bafkreione' })
    assert.deepEqual(map['urls'], ['https://example.test/a', 'https://www.instagram.com/p/AbC_1-x/'])
    assert.equal(map['lang'], 'en')
  })

  test('galleries, videos, cards and blobs of old records', () => {
    const withEmbed = (embed: object) =>
      read('posts', { ...stored, value: { text: '', createdAt: stored.value.createdAt, embed } })
    const gallery = withEmbed({
      $type: 'app.bsky.embed.gallery',
      items: [{ alt: 'One', image: { cid: 'bafyold', mimeType: 'image/png' } }],
    })
    assert.deepEqual(gallery.types, ['statuses', 'photos'])
    assert.match(String(gallery.card.url), /bafyold/)
    const video = withEmbed({ $type: 'app.bsky.embed.video', video: blob('bafyvideo'), alt: 'A train' })
    assert.deepEqual([video.types, video.card.title], [['statuses', 'videos'], 'A train'])
    const external = { uri: 'https://example.test/c', title: 'C', description: 'D', thumb: blob('bafythumb') }
    const card = withEmbed({ $type: 'app.bsky.embed.external', external })
    assert.deepEqual([card.types, card.card.url, card.card.description], [['statuses', 'news'], external.uri, 'D'])
  })

  test('the time of a post is not later than its indexedAt', () => {
    assert.equal(read('timeline', { post: view }).at, Date.parse(view.indexedAt))
  })

  test('a repost is another item than the post, with the same dedupe key', () => {
    const [plain, shared] = [read('timeline', { post: view }), read('timeline', repost)]
    assert.deepEqual([plain.nativeId, shared.nativeId], [view.uri, repost.reason.uri])
    assert.deepEqual(shared.guid, plain.guid)
    assert.equal(shared.at, Date.parse(repost.reason.indexedAt))
    assert.deepEqual(shared.participants, [BEN, CLEO])
    assert.deepEqual(shared.types, ['statuses_feed', 'news_feed'])
    const own = { ...view, uri: stored.uri, author: { did: OWNER } }
    assert.deepEqual(read('timeline', { ...repost, post: own }).types, [], 'the person’s own')
    assert.deepEqual(read('bookmarks', { subject: { uri: stored.uri }, item: own }).types, [], 'the person’s own')
    assert.deepEqual([shared.card.title, shared.card.author_name], ['Bridges', 'Ben'])
    assert.deepEqual(mapOf(endpoints.timeline, repost)['counts'], { likes: 2, comments: 1, shares: 0 })
    const { uri: _, ...unnamed } = repost.reason
    assert.equal(read('timeline', { post: view, reason: unnamed }).nativeId, `${view.uri}#${CLEO}`)
    assert.deepEqual(read('author_feed', repost).types, [])
  })

  test('likes and follows refer to their subject', () => {
    const createdAt = '2026-05-01T00:00:00Z'
    const like = {
      uri: `at://${OWNER}/app.bsky.feed.like/3l1`,
      cid: 'c',
      value: { subject: ref(BEN, '3lp'), createdAt },
    }
    assert.deepEqual([read('likes', like).participants, read('likes', like).types], [[OWNER, BEN], []])
    assert.equal(mapOf(endpoints.likes, like)['url'], `https://bsky.app/profile/${BEN}/post/3lp`)
    const follow = { uri: `at://${OWNER}/app.bsky.graph.follow/3l2`, cid: 'c', value: { subject: CLEO, createdAt } }
    assert.deepEqual(read('follows', follow).participants, [OWNER, CLEO])
    assert.equal(mapOf(endpoints.follows, follow)['url'], `https://bsky.app/profile/${CLEO}`)
  })

  test('notifications about posts belong to the feed, others have no type', () => {
    const told = { uri: view.uri, author: person, reason: 'mention', record: view.record, indexedAt: view.indexedAt }
    const mention = read('notifications', told)
    assert.deepEqual([mention.types, mention.texts], [['statuses_feed'], ['Hello']])
    const liked = read('notifications', {
      ...told,
      reason: 'like',
      reasonSubject: stored.uri,
      record: { createdAt: view.indexedAt },
    })
    assert.deepEqual([liked.types, liked.participants], [[], [BEN, OWNER]])
    assert.notEqual(liked.id, mention.id)
  })

  test('bookmarks of deleted posts, and people', () => {
    const gone = {
      subject: ref(BEN, '3lgone'),
      createdAt: '2026-05-01T00:00:00Z',
      item: { uri: ref(BEN, '3lgone').uri, notFound: true },
    }
    assert.deepEqual([read('bookmarks', gone).types, read('bookmarks', gone).faults], [['statuses_feed'], []])
    assert.deepEqual(read('bookmarks', { ...gone, subject: ref(BEN, '3lview'), item: view }).texts, [
      'Hello',
      'Bridges',
      'https://example.test/b',
    ])
    const contact = read('following', { ...person, description: 'Doors' })
    assert.deepEqual([contact.texts, contact.card.description], [['Ben', '@ben.test'], 'Doors'])
  })

  test('every collection is read from the person’s own repository', () => {
    assert.deepEqual(endpoints.likes.query, { repo: '{id}', collection: 'app.bsky.feed.like' })
    const request = endpoints.posts.pages.first({
      method: 'GET',
      path: endpoints.posts.path,
      query: endpoints.posts.query,
    })
    const next = (body: object) => endpoints.posts.pages.next({ request, body, headers: {}, count: 0 })?.query['cursor']
    assert.equal(request.query['limit'], '100')
    assert.equal(next({ records: [], cursor: '3lpost1' }), '3lpost1')
    assert.equal(next({ records: [] }), undefined)
  })

  test('the chat log is read from its start, then from the last cursor', () => {
    const { pages, checkpoint, items, query } = endpoints.messages
    const sent = { id: 'm1', rev: 'r', text: 'Tea?', sender: { did: BEN }, sentAt: '2026-05-01T10:00:00Z' }
    const created = { $type: 'chat.bsky.convo.defs#logCreateMessage', rev: 'r', convoId: 'c1', message: sent }
    const removed = {
      $type: 'chat.bsky.convo.defs#logDeleteMessage',
      rev: 's',
      convoId: 'c1',
      message: { id: 'm1', sender: { did: BEN } },
    }
    const begun = { $type: 'chat.bsky.convo.defs#logBeginConvo', rev: 'q', convoId: 'c1' }
    const body = { logs: [begun, created, removed], cursor: 's' }
    assert.deepEqual(items(body), [created, removed])
    assert.deepEqual([read('messages', created).deleted, read('messages', removed).deleted], [false, true])
    assert.deepEqual([read('messages', created).texts, read('messages', created).participants], [['Tea?'], [BEN]])
    const request = pages.first({ method: 'GET', path: '/chat.bsky.convo.getLog', query })
    assert.equal(pages.next({ request, body: { ...body, logs: [begun] }, headers: {}, count: 0 })?.query['cursor'], 's')
    assert.equal(pages.next({ request, body: { logs: [], cursor: 's' }, headers: {}, count: 0 }), undefined)
    assert.deepEqual(checkpoint?.query(checkpoint.advance({ items: [], body }, undefined)!), { cursor: 's' })
    const convo = read('conversations', { id: 'c1', members: [{ did: OWNER }, person], lastMessage: sent })
    assert.deepEqual(convo.participants, [BEN, OWNER])
  })

  test('errors about the account stop, others are classified by status', () => {
    const recover = (status: number, body: unknown) => bluesky.api.recovery?.({ status, body, headers: {} })
    assert.equal(recover(400, { error: 'RepoDeactivated', message: 'x' }), 'stop')
    assert.equal(recover(502, { error: 'UpstreamFailure' }), undefined)
    assert.equal(recover(200, null), undefined)
    const rate = bluesky.api.rate?.({ 'ratelimit-remaining': '2999', 'ratelimit-reset': '1777617000' }, 0)
    assert.deepEqual([rate?.remaining, rate?.resetAtMs], [2999, 1_777_617_000_000])
  })
})

test('the own feed is read until what is known, and whole once a week', () => {
  const { checkpoint, wholeEveryMs, deletes } = bluesky.endpoints['author_feed']!
  const entry = (indexedAt: string, reason?: object) => ({ post: { indexedAt }, reason })
  const watermark = checkpoint!.advance({ items: [entry('2026-05-01T10:00:00Z')], body: {} }, undefined)!
  const repost = entry('2020-01-01T00:00:00Z', { indexedAt: '2026-05-01T11:00:00Z' })
  assert.deepEqual(
    [entry('2026-05-01T08:00:00Z'), repost].map((each) => checkpoint!.isKnown!(each, watermark)),
    [true, false],
  )
  assert.deepEqual([wholeEveryMs, deletes], [7 * 86_400_000, 'all'])
})

test('the limit of one method pauses only that method', () => {
  const headers = (policy: string) => ({
    'ratelimit-policy': policy,
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1800000000',
  })
  const scope = (policy: string) => bluesky.api.rate!(headers(policy), 0)
  assert.deepEqual(scope('3000;w=300'), { remaining: 0, resetAtMs: 1_800_000_000_000, of: 'service' })
  for (const policy of ['15;w=3600', '5000;w=3600', '30;w=300', '']) assert.equal(scope(policy)?.of, 'endpoint', policy)
  assert.equal(bluesky.api.rate!({}, 0), undefined)
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import { OWN_SERVICE, ownEndpoint } from '#kit/connector/own-items.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { type ComparedItem, isCopyOf } from '#model/items/copies.ts'
import { typeBits } from '#model/items/types.ts'

/** The person at each network. */
const ME = {
  x: '1',
  facebook: '2',
  instagram: '3',
  tumblr: 't:me',
  mastodon: '5@m.test',
  bluesky: 'did:plc:me',
  wordpress: '7@blog.test',
  foursquare: '8',
  flickr: '9@N0',
  self: 'acc',
} as const
type Network = keyof typeof ME

/** A record as it is compared, read by its connector. */
function seen(service: Network, endpoint: string, record: unknown): ComparedItem {
  const owner = ME[service]
  const connector = connectors.find((each) => each.service === service)
  const found = connector === undefined ? ownEndpoint : connector.endpoints[endpoint]!
  const draft = itemReader(connector ?? OWN_SERVICE, endpoint, found, owner)(record)
  assert.deepEqual(draft.faults, [])
  const author = draft.hasAuthor ? draft.participants[0]! : null
  return {
    at: draft.at!,
    id: draft.id.slice(0, 32),
    guid: draft.guid,
    types: typeBits(draft.types),
    author,
    service,
    owner,
  }
}

const START = Date.UTC(2026, 4, 6, 8)
const timeOf = (hours: number) => new Date(START + hours * 3_600_000).toISOString()
const secondsOf = (hours: number) => START / 1000 + hours * 3600
const WORDS = 'The garden is awake'
const ARTICLE = 'https://news.test/article'
const BLOG = 'https://blog.test/2026/garden'

const link = (url: string) => ({ url: 'https://t.co/x', expanded_url: url })
const tweet = (id: string, hours: number, text: string, { by = '1', urls = [] as string[], ...more } = {}) =>
  seen('x', by === '1' ? 'tweets' : 'timeline', {
    id,
    text,
    author_id: by,
    created_at: timeOf(hours),
    entities: { urls: urls.map(link) },
    ...more,
  })
const fbPost = (id: string, hours: number, message: string, by = '2') =>
  seen('facebook', by === '2' ? 'posts' : 'feed', {
    id,
    message,
    from: { id: by, name: by },
    created_time: timeOf(hours),
    permalink_url: `https://www.facebook.com/${by}/posts/${id}`,
  })
const photo = (code: string, hours: number, caption?: string, file = code) =>
  seen('instagram', 'media', {
    id: code,
    caption,
    media_type: 'IMAGE',
    media_url: `https://cdn.test/${file}.jpg`,
    permalink: `https://www.instagram.com/p/${code}/`,
    timestamp: timeOf(hours),
    owner: { id: '3' },
  })
const toot = (id: string, hours: number, text: string, { by = '5', of = undefined as string | undefined } = {}) => {
  const status = (one: string, who: string, more = {}) => ({
    id: one,
    created_at: timeOf(hours),
    url: `https://m.test/@${who}/${one}`,
    content: `<p>${text}</p>`,
    account: { id: who, username: who },
    ...more,
  })
  const post = of === undefined ? status(id, by) : status(id, by, { content: '', reblog: status(of, '6') })
  return seen('mastodon', by === '5' ? 'statuses' : 'timeline', post)
}
const skeet = (key: string, hours: number, text: string) =>
  seen('bluesky', 'posts', {
    uri: `at://did:plc:me/app.bsky.feed.post/${key}`,
    cid: 'c',
    value: { text, createdAt: timeOf(hours) },
  })
const blogPost = (id: number, hours: number, title: string, content: string) =>
  seen('wordpress', 'posts', {
    id,
    date_gmt: timeOf(hours).slice(0, 19),
    link: BLOG,
    title: { rendered: title },
    content: { rendered: content },
    author: 7,
  })
const tumble = (id: string, hours: number, content: object[], { by = 't:me', trail = [] as object[] } = {}) =>
  seen('tumblr', by === 't:me' ? 'posts' : 'dashboard', {
    id_string: id,
    blog_name: by,
    blog: { name: by, uuid: by },
    timestamp: secondsOf(hours),
    post_url: `https://${by.replace('t:', '')}.tumblr.com/post/${id}`,
    content,
    trail,
  })
const words = (text: string) => [{ type: 'text', text }]
const linkBlock = (url: string) => [{ type: 'link', url, title: 'An article' }]
const checkin = (hours: number) =>
  seen('foursquare', 'checkins', {
    id: '5f0c0ffee0c0ffee0c0ffee0',
    createdAt: secondsOf(hours),
    type: 'checkin',
    user: { id: '8' },
    venue: { id: 'v', name: 'Cafe' },
  })

const COPIES: Record<string, [copy: ComparedItem, original: ComparedItem]> = {
  'one text at X and Facebook': [fbPost('f1', 2, WORDS), tweet('x1', 0, WORDS)],
  'one text at Mastodon and Bluesky, nearly a day apart': [skeet('b1', 23, WORDS), toot('m1', 0, WORDS)],
  'one text at Tumblr and X': [tweet('x1', 1, WORDS), tumble('t1', 0, words(WORDS))],
  'an Instagram photo posted to X by a link': [
    tweet('x1', 1, 'The gar… https://t.co/x', { urls: ['https://www.instagram.com/p/Abc/'] }),
    photo('Abc', 0, WORDS),
  ],
  'an Instagram photo posted to Facebook with its caption': [fbPost('f1', 1, WORDS), photo('Abc', 0, WORDS)],
  'an Instagram photo posted to Tumblr': [
    tumble('t1', 1, linkBlock('https://instagram.com/p/Abc?igsh=1')),
    photo('Abc', 0, WORDS),
  ],
  'a check-in posted to X': [
    tweet('x1', 1, 'I’m at Cafe', { urls: ['https://www.swarmapp.com/user/8/checkin/5f0c0ffee0c0ffee0c0ffee0?s=1'] }),
    checkin(0),
  ],
  'a blog post announced at X': [
    tweet('x1', 1, 'New post', { urls: [`${BLOG}/?utm_source=x`] }),
    blogPost(1, 0, 'Garden', 'Long text'),
  ],
  'a blog post announced at Bluesky by an app’s own item': [
    seen('self', 'notes', { id: 1, at: START + 1, type: 'status', text: `Read ${BLOG}` }),
    blogPost(1, 0, 'Garden', 'Long'),
  ],
  'a retweet and the tweet': [
    tweet('x2', 900, 'RT', {
      by: '77',
      referenced_tweets: [{ type: 'retweeted', id: 'x1' }],
      includes: { users: [{ id: '78', username: 'eve' }], tweets: [{ id: 'x1', text: WORDS, author_id: '78' }] },
    } as object),
    tweet('x1', 0, WORDS, { by: '78', includes: { users: [{ id: '78', username: 'eve' }] } } as object),
  ],
  'boosts of one toot by two people': [
    toot('m3', 50, WORDS, { by: '9', of: 'm1' }),
    toot('m2', 10, WORDS, { by: '8', of: 'm1' }),
  ],
  'a naked reblog and the post': [
    tumble('t9', 400, [], {
      by: 't:eve',
      trail: [{ blog: { name: 'cy' }, post: { id: 't1' }, content: words(WORDS) }],
    }),
    tumble('t1', 0, words(WORDS), { by: 't:cy' }),
  ],
}
const DIFFERENT: Record<string, [item: ComparedItem, other: ComparedItem]> = {
  'friends who share an article at X': [
    tweet('x2', 1, 'Read this', { by: '77', urls: [ARTICLE] }),
    tweet('x1', 0, 'Wow', { by: '78', urls: [ARTICLE] }),
  ],
  'a person and a friend who share an article': [
    tumble('t2', 1, linkBlock(ARTICLE), { by: 't:eve' }),
    tweet('x1', 0, 'Wow', { urls: [ARTICLE] }),
  ],
  'one person who shares an article twice with other words': [
    toot('m1', 1, `Again ${ARTICLE}`),
    tweet('x1', 0, 'Wow', { urls: [ARTICLE] }),
  ],
  '“Happy birthday” of two friends at one network': [
    tweet('x2', 1, 'Happy birthday', { by: '77' }),
    tweet('x1', 0, 'Happy birthday', { by: '78' }),
  ],
  '“Happy birthday” of two friends at two networks': [
    fbPost('f1', 1, 'Happy birthday', '77'),
    tweet('x1', 0, 'Happy birthday', { by: '77' }),
  ],
  'one text months apart': [tweet('x2', 24 * 90, WORDS), fbPost('f1', 0, WORDS)],
  'a friend’s tweet about the person’s photo': [
    tweet('x1', 1, 'Look at this', { by: '77', urls: ['https://www.instagram.com/p/Abc/'] }),
    photo('Abc', 0, WORDS),
  ],
  'a friend’s tweet about the person’s blog': [
    tweet('x1', 1, 'Worth reading', { by: '77', urls: [BLOG] }),
    blogPost(1, 0, 'Garden', 'Long text'),
  ],
  'a reblog with words': [
    tumble('t9', 4, words('So true'), {
      by: 't:eve',
      trail: [{ blog: { name: 'cy' }, post: { id: 't1' }, content: words(WORDS) }],
    }),
    tumble('t1', 0, words(WORDS), { by: 't:cy' }),
  ],
  'two photos of an album with one caption': [photo('Abd', 0.1, WORDS), photo('Abc', 0, WORDS)],
  'two photos with one placeholder': [photo('Abd', 1, 'Tulips', 'none'), photo('Abc', 0, WORDS, 'none')],
  'a list of the person’s own pages': [
    tweet('x1', 1, 'My week', { urls: [BLOG, `${BLOG}-2`] }),
    blogPost(1, 0, 'Garden', 'Long text'),
  ],
}

suite('copies of all networks', () => {
  for (const [what, [copy, original]] of Object.entries(COPIES))
    test(what, () => {
      assert.ok(isCopyOf(copy, original), JSON.stringify([copy, original]))
      assert.ok(!isCopyOf(original, copy))
    })
})

suite('not copies', () => {
  for (const [what, [item, other]] of Object.entries(DIFFERENT))
    test(what, () => assert.ok(!isCopyOf(item, other) && !isCopyOf(other, item), JSON.stringify([item, other])))
})

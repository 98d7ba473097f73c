import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { get, type Post, startTumblr, type TumblrApp, tokensFor, walkAll } from './testing.ts'

interface Page {
  posts: Post[]
  liked_posts: (Post & { liked_timestamp: number })[]
  blogs: { name: string; uuid: string }[]
  total_posts: number
  total_blogs: number
  liked_count: number
  _links?: { next: { href: string } }
}

let app: TumblrApp
let token: string
let newcomer: string
before(async () => {
  app = await startTumblr()
  token = (await tokensFor(app)).access_token
  newcomer = (await tokensFor(app, undefined, 'finn')).access_token
})
after(() => app.lab.close())

const read = async (path: string, by = token) =>
  ((await (await get(app, path, by)).json()) as { response: Page }).response
const idsOf = (posts: readonly Post[]) => posts.map(({ id_string }) => id_string)
const allPosts = async (path: string) => (await walkAll<Page>(app, path, token)).flatMap(({ posts }) => posts)

test('ids are numbers beyond the precision of a double, and also text', async () => {
  const body = await (await get(app, '/v2/blog/ada/posts?limit=1', token)).text()
  const [, number, text] = /"id":(\d{17,}),"id_string":"(\d+)"/.exec(body) ?? []
  assert.equal(number, text)
  assert.ok(BigInt(number ?? 0) > BigInt(Number.MAX_SAFE_INTEGER))
})

test('posts of a blog: paging by link, offset and time returns every post once', async () => {
  const linked = await allPosts('/v2/blog/ada/posts')
  assert.ok(linked.length > 300)
  assert.equal(new Set(idsOf(linked)).size, linked.length)
  assert.equal((await read('/v2/blog/ada/posts')).total_posts, linked.length)
  const counted: Post[] = []
  for (let offset = 0; ; offset += 20) {
    const { posts } = await read(`/v2/blog/ada/posts?offset=${offset}`)
    if (posts.length === 0) break
    counted.push(...posts)
  }
  assert.deepEqual(idsOf(counted), idsOf(linked))
  const timed: Post[] = []
  for (let before = ''; ; before = `&before=${timed.at(-1)?.timestamp}`) {
    const { posts } = await read(`/v2/blog/ada/posts?limit=13${before}`)
    if (posts.length === 0) break
    timed.push(...posts)
  }
  assert.deepEqual(idsOf(timed), idsOf(linked))
  const rising = await allPosts('/v2/blog/ada/posts?sort=asc')
  assert.deepEqual(idsOf(rising), idsOf(linked).reverse())
})

test('finds a blog by name, host name and unique identifier', async () => {
  const [blog] = (await read('/v2/user/following')).blogs
  const named = await read(`/v2/blog/${blog?.name}/posts`)
  assert.deepEqual(idsOf((await read(`/v2/blog/${blog?.name}.tumblr.com/posts`)).posts), idsOf(named.posts))
  assert.deepEqual(idsOf((await read(`/v2/blog/${blog?.uuid}/posts`)).posts), idsOf(named.posts))
  assert.equal((await get(app, '/v2/blog/nobody-here/posts', token)).status, 404)
})

test('all eight post types have their own fields', async () => {
  const fields: Record<string, string[]> = {
    text: ['title', 'body'],
    photo: ['caption', 'photos'],
    quote: ['text', 'source', 'source_url'],
    link: ['title', 'url', 'description', 'publisher'],
    chat: ['dialogue', 'body'],
    audio: ['player', 'plays', 'artist'],
    video: ['player', 'permalink_url', 'thumbnail_url'],
    answer: ['asking_name', 'question', 'answer'],
  }
  for (const [type, names] of Object.entries(fields)) {
    const { posts } = await read(`/v2/blog/ada/posts/${type}`)
    assert.ok(posts.length > 5, type)
    for (const post of posts) {
      assert.equal(post.type, type)
      for (const name of names) assert.ok(name in post, `${type} ${name}`)
    }
  }
  assert.equal((await get(app, '/v2/blog/ada/posts/poem', token)).status, 400)
})

test('NPF: blocks, layouts and trails, including broken trails', async () => {
  const posts = await allPosts('/v2/blog/ada/posts?npf=true')
  for (const post of posts) assert.deepEqual([post.type, Array.isArray(post['content'])], ['blocks', true])
  const types = new Set(posts.flatMap((post) => post['content'] as { type: string }[]).map(({ type }) => type))
  assert.deepEqual([...types].sort(), ['audio', 'image', 'link', 'text', 'video'])
  const trails = posts.flatMap((post) => post['trail'] as { broken_blog_name?: string; post?: { id: string } }[])
  assert.ok(trails.length > 40 && trails.some(({ post }) => post))
  const askBlocks = posts.flatMap((post) => post['layout'] as { type: string }[]).filter(({ type }) => type === 'ask')
  assert.ok(askBlocks.length > 5)
  const root = trails.find(({ post }) => post)?.post?.id ?? ''
  const data = app.service.data
  const { blog_name } = posts.find((post) => JSON.stringify(post['trail']).includes(root)) as Post
  assert.equal(blog_name, 'ada')
  const rootBlog = JSON.stringify(posts.find((post) => JSON.stringify(post['trail']).includes(root))?.['trail'])
  data.remove(/"blog":\{"name":"([^"]+)"/.exec(rootBlog)?.[1] ?? '', 'posts', root)
  const broken = (await allPosts('/v2/blog/ada/posts?npf=true')).flatMap(
    (post) => post['trail'] as { broken_blog_name?: string }[],
  )
  assert.ok(broken.some(({ broken_blog_name }) => broken_blog_name !== undefined))
})

test('includes notes and reblogs on request', async () => {
  const plain = (await read('/v2/blog/ada/posts')).posts
  assert.ok(plain.every((post) => !('notes' in post) && !('reblogged_from_name' in post)))
  const posts = await allPosts('/v2/blog/ada/posts?notes_info=true&reblog_info=true')
  for (const post of posts) assert.equal((post['notes'] as object[]).length, post.note_count)
  const kinds = new Set(posts.flatMap((post) => post['notes'] as { type: string }[]).map(({ type }) => type))
  assert.deepEqual([...kinds].sort(), ['like', 'reblog', 'reply'])
  const reblogs = posts.filter((post) => 'reblogged_from_name' in post)
  assert.ok(reblogs.length > 40 && reblogs.every((post) => 'reblogged_root_id' in post && 'parent_post_url' in post))
  const noted = posts.find(({ note_count }) => note_count > 3)
  const notes = (await read(`/v2/blog/ada/notes?id=${noted?.id_string}`)) as unknown as { total_notes: number }
  assert.equal(notes.total_notes, noted?.note_count)
})

test('dashboard: own and followed posts, short pages, since_id', async () => {
  const pages = await walkAll<Page>(app, '/v2/user/dashboard', token)
  const posts = pages.flatMap((page) => page.posts)
  assert.ok(posts.length > 700)
  assert.equal(new Set(idsOf(posts)).size, posts.length)
  assert.ok(pages.slice(0, -1).some((page) => page.posts.length < 20))
  assert.ok(new Set(posts.map(({ blog_name }) => blog_name)).size > 30)
  const since = await allPosts(`/v2/user/dashboard?since_id=${posts[30]?.id_string}`)
  assert.deepEqual(idsOf(since), idsOf(posts).slice(0, 30))
  const quotes = await read('/v2/user/dashboard?type=quote')
  assert.ok(quotes.posts.every(({ type }) => type === 'quote'))
})

test('likes: paging by link and offset, with timestamps; following and info are consistent', async () => {
  const pages = await walkAll<Page>(app, '/v2/user/likes', token)
  const liked = pages.flatMap((page) => page.liked_posts)
  assert.ok(liked.length > 250)
  assert.equal(new Set(idsOf(liked)).size, liked.length)
  assert.equal(pages[0]?.liked_count, liked.length)
  const second = await read('/v2/user/likes?offset=20')
  assert.deepEqual(idsOf(second.liked_posts), idsOf(liked).slice(20, 40))
  assert.equal((await get(app, '/v2/user/likes?offset=20&before=99999999999', token)).status, 400)
  assert.equal((await get(app, '/v2/user/likes?offset=1001', token)).status, 400)
  const followed = (await walkAll<Page>(app, '/v2/user/following', token)).flatMap(({ blogs }) => blogs)
  const info = (await read('/v2/user/info')) as unknown as {
    user: { likes: number; following: number; blogs: { primary: boolean }[] }
  }
  assert.deepEqual([info.user.likes, info.user.following], [liked.length, followed.length])
  assert.deepEqual(
    info.user.blogs.map(({ primary }) => primary),
    [true, false],
  )
  const users = (await read('/v2/blog/ada/followers')) as unknown as { total_users: number }
  assert.ok(users.total_users > 0)
  assert.equal((await get(app, '/v2/blog/ben/followers', token)).status, 403)
})

test('an edited post keeps id and time, a deleted one is 404, private posts are visible to the owner only', async () => {
  const { posts } = await read('/v2/blog/ada/posts')
  const [one, two] = posts
  app.service.data.edit('ada', 'posts', one?.id_string ?? '', {
    words: 'Changed <b>words</b>',
    type: 'text',
    reblog: undefined,
  })
  const [again] = (await read('/v2/blog/ada/posts')).posts
  assert.deepEqual([again?.id_string, again?.timestamp], [one?.id_string, one?.timestamp])
  assert.equal(again?.['body'], '<p>Changed &lt;b&gt;words&lt;/b&gt;</p>')
  assert.equal((await read('/v2/blog/ada/posts?filter=text')).posts[0]?.['body'], 'Changed <b>words</b>')
  app.service.data.remove('ada', 'posts', two?.id_string ?? '')
  assert.equal((await get(app, `/v2/blog/ada/posts?id=${two?.id_string}`, token)).status, 404)
  app.service.data.add('ada', 'posts', { state: 'private', words: 'secret' })
  assert.equal((await read('/v2/blog/ada/posts')).posts[0]?.['state'], 'private')
  assert.equal((await read('/v2/blog/ada/posts', newcomer)).posts[0]?.['state'], 'published')
})

test('tags: matches one tag or all of several; cross-posted pictures name their source', async () => {
  const both = await allPosts('/v2/blog/ada/posts?tag[0]=bread&tag[1]=Doors')
  assert.ok(both.length > 3 && both.every(({ tags }) => tags.includes('bread') && tags.includes('doors')))
  const posts = await allPosts('/v2/blog/ada/posts/photo')
  assert.ok(posts.some((post) => String(post['source_url']).startsWith('https://www.instagram.com/p/')))
})

test('posting, liking and deleting require the write scope', async () => {
  const send = (path: string, body: object, by = token) =>
    fetch(`${app.service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const content = [{ type: 'text', text: 'hi 👋' }]
  const made = await send('/v2/blog/ada/posts', { content, tags: 'a,b' })
  assert.equal(made.status, 201)
  const { id } = ((await made.json()) as { response: { id: string } }).response
  const post = (await read(`/v2/blog/ada/posts?id=${id}`)).posts[0]
  assert.deepEqual(post?.tags, ['a', 'b'])
  assert.equal((await send('/v2/user/like', { id, reblog_key: post?.['reblog_key'] })).status, 200)
  assert.equal((await read('/v2/user/likes')).liked_posts[0]?.id_string, id)
  assert.equal((await send('/v2/user/like', { id, reblog_key: 'wrong' })).status, 404)
  assert.equal((await send('/v2/blog/ben/posts', { content })).status, 403)
  assert.equal(
    (await send('/v2/blog/ada/posts', { content }, (await tokensFor(app, 'basic')).access_token)).status,
    403,
  )
  assert.equal((await send('/v2/blog/ada/post/delete', { id })).status, 200)
  assert.equal((await get(app, `/v2/blog/ada/posts?id=${id}`, token)).status, 404)
})

interface Activity {
  id: string
  type: string
  timestamp: number
  target_post_id?: string
  from_tumblelog_name: string
  reply_text?: string
}

const activity = async (query: string) =>
  (await walkAll<Page & { notifications: Activity[] }>(app, `/v2/blog/ada/notifications?${query}`, token)).flatMap(
    ({ notifications }) => notifications,
  )

test('activity: newest first, every item once; filters by type and post; rollups', async () => {
  const all = await activity('rollups=false')
  assert.ok(all.length > 200)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  const times = all.map(({ timestamp }) => timestamp)
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  )
  const types = new Set(all.map(({ type }) => type))
  assert.deepEqual([...types].sort(), ['follow', 'like', 'reblog_naked', 'reblog_with_content', 'reply'])
  assert.ok(all.every(({ type, reply_text }) => (type === 'reply') === (reply_text !== undefined)))
  const two = await activity('rollups=false&types[]=reply&types[]=follow')
  assert.deepEqual(
    two,
    all.filter(({ type }) => type === 'reply' || type === 'follow'),
  )
  assert.ok((await activity('')).length < all.length)
  const left = all.find(({ target_post_id }) => target_post_id !== undefined)?.target_post_id
  assert.ok(
    (await activity(`rollups=false&omit_post_ids[0]=${left}`)).every(({ target_post_id }) => target_post_id !== left),
  )
  const refusals = ['/v2/blog/ben/notifications', '/v2/blog/ada/notifications?types[]=wave']
  assert.deepEqual(await Promise.all(refusals.map(async (path) => (await get(app, path, token)).status)), [403, 400])
  assert.equal((await get(app, '/v2/blog/finn/notifications', newcomer)).status, 200)
})

test('a new person has no items', async () => {
  assert.deepEqual((await read('/v2/user/dashboard', newcomer)).posts, [])
  assert.deepEqual((await read('/v2/user/likes', newcomer)).liked_posts, [])
  assert.deepEqual((await read('/v2/user/following', newcomer)).blogs, [])
  assert.deepEqual((await read('/v2/blog/finn/posts', newcomer)).posts, [])
})

test('limits apply per app, hour and day; the reset headers count down', async () => {
  const own = { ...app, ...app.service.register({ redirectUris: ['http://127.0.0.1:9/callback'] }) }
  const by = (await tokensFor(own)).access_token
  const first = await get(app, '/v2/user/info', by)
  assert.deepEqual(
    [first.headers.get('x-ratelimit-perhour-remaining'), first.headers.get('x-ratelimit-perday-limit')],
    ['999', '5000'],
  )
  app.service.configure({ rateLimit: { perHour: 1 } })
  const refused = await get(app, '/v2/user/info', by)
  assert.equal(refused.status, 429)
  const waitSeconds = Number(refused.headers.get('x-ratelimit-perhour-reset'))
  assert.ok(waitSeconds > 0 && waitSeconds <= 3600)
  assert.equal(((await refused.json()) as { meta: { msg: string } }).meta.msg, 'Limit Exceeded')
  app.service.configure({ rateLimit: { perHour: 1000 } })
})

test('rejects invalid parameters', async () => {
  for (const query of ['limit=0', 'limit=x', 'before=1&offset=2', 'page_number=zzz', 'sort=up', 'filter=pdf', 'id=x'])
    assert.equal((await get(app, `/v2/blog/ada/posts?${query}`, token)).status, 400, query)
  assert.equal((await read('/v2/blog/ada/posts?limit=500')).posts.length, 20)
  assert.equal((await get(app, '/v2/nothing', token)).status, 404)
})

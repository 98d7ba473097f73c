import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { github } from './connector.ts'

const read = (name: string, raw: unknown) => itemReader(github, name, github.endpoints[name]!, '101')(raw)
const map = (name: string, raw: unknown) => mapOf(github.endpoints[name]!, raw)

const mira = { id: 101, login: 'mira', html_url: 'https://github.com/mira', avatar_url: 'https://avatars.test/101' }
const joost = { id: 202, login: 'joost', html_url: 'https://github.com/joost', avatar_url: 'https://avatars.test/202' }
const kettle = {
  id: 5005,
  full_name: 'mira/kettle',
  html_url: 'https://github.com/mira/kettle',
  description: 'Boils water 🫖',
  homepage: '',
  owner: mira,
  created_at: '2026-01-02T03:04:05Z',
  stargazers_count: 7,
  forks_count: 2,
}
const issue = {
  id: 900,
  number: 12,
  title: 'The lid is loose',
  body: 'It rattles when the water boils.',
  html_url: 'https://github.com/mira/kettle/issues/12',
  user: mira,
  assignees: [joost],
  closed_by: null,
  comments: 3,
  reactions: { '+1': 4 },
  repository: kettle,
  created_at: '2026-03-01T08:00:00Z',
  updated_at: '2026-03-02T09:30:00Z',
}
const push = {
  id: '44001',
  type: 'PushEvent',
  actor: { id: 101, login: 'mira', avatar_url: 'https://avatars.test/101' },
  repo: { id: 5005, name: 'mira/kettle' },
  payload: { repository_id: 5005, push_id: 9, ref: 'refs/heads/main', head: 'b2b2', before: 'a1a1' },
  public: true,
  created_at: '2026-04-05T06:07:08Z',
}
const comment = {
  ...push,
  id: '44002',
  type: 'IssueCommentEvent',
  actor: { id: 202, login: 'joost', avatar_url: 'https://avatars.test/202' },
  payload: {
    action: 'created',
    issue,
    comment: {
      body: 'Try a **spring**.',
      html_url: 'https://github.com/mira/kettle/issues/12#issuecomment-1',
      user: joost,
    },
  },
}
const watch = { ...push, id: '44003', type: 'WatchEvent', payload: { action: 'started' } }
const gist = {
  id: 'c0ffee',
  description: 'Brewing times',
  html_url: 'https://gist.github.com/mira/c0ffee',
  files: {
    'times.csv': { filename: 'times.csv', type: 'text/csv', size: 120, raw_url: 'https://gist.test/times.csv' },
    'notes.md': { filename: 'notes.md', type: 'text/markdown', size: 30, raw_url: 'https://gist.test/notes.md' },
  },
  owner: mira,
  comments: 1,
  created_at: '2026-02-03T04:05:06Z',
}
const commit = {
  sha: 'b2b2',
  html_url: 'https://github.com/mira/kettle/commit/b2b2',
  commit: {
    message: 'Tighten the lid\n\nIt rattled.',
    author: { name: 'Mira', date: '2026-04-05T06:00:00Z' },
    comment_count: 0,
  },
  author: mira,
  repository: kettle,
}
const thread = {
  id: '7007',
  reason: 'review_requested',
  updated_at: '2026-05-01T00:00:00Z',
  subject: { title: 'Add a whistle', url: 'https://api.github.com/repos/mira/kettle/pulls/13', type: 'PullRequest' },
  repository: kettle,
}

test('a push has a time, a title and its actor as author', () => {
  const draft = read('events', push)
  assert.equal(draft.idr, 'event:101@github/events#44001')
  assert.equal(draft.at, Date.UTC(2026, 3, 5, 6, 7, 8))
  assert.deepEqual(draft.types, ['statuses'])
  assert.deepEqual([draft.participants, draft.hasAuthor], [['101'], true])
  assert.deepEqual(draft.texts, ['Pushed to main of mira/kettle'])
  assert.equal(map('events', push)['url'], 'https://github.com/mira/kettle/compare/a1a1...b2b2')
})

test('a comment has its text and all people of the thread', () => {
  const draft = read('received', comment)
  assert.deepEqual(draft.types, ['statuses_feed'])
  assert.deepEqual(draft.participants, ['202', '101'])
  assert.match(draft.texts[0]!, /^Commented on #12 The lid is loose of mira\/kettle\n\nTry a \*\*spring\*\*\.$/)
  assert.equal(map('received', comment)['url'], comment.payload.comment.html_url)
})

test('a star is news; a pull request without a URL gets one; an unknown event has a title', () => {
  assert.deepEqual(read('events', watch).types, ['news'])
  assert.equal(read('events', watch).card.title, 'Starred mira/kettle')
  const pull = {
    ...push,
    type: 'PullRequestEvent',
    payload: { action: 'opened', number: 13, pull_request: { number: 13 } },
  }
  assert.equal(map('events', pull)['url'], 'https://github.com/mira/kettle/pull/13')
  assert.equal(map('events', { ...push, type: 'SponsorshipGrantEvent' })['text'], 'Sponsorship grant in mira/kettle')
})

test('issues, commits, gists and notifications have their types', () => {
  const draft = read('issues', issue)
  assert.deepEqual(draft.participants, ['101', '202'])
  assert.equal(draft.card.title, 'The lid is loose')
  assert.deepEqual(map('issues', issue)['counts'], { comments: 3, likes: 4 })
  assert.equal(read('commits', commit).card.title, 'Tighten the lid')
  assert.deepEqual(read('gists', gist).types, ['files'])
  assert.deepEqual([map('gists', gist)['path'], map('gists', gist)['bytes']], ['times.csv', 150])
  assert.equal(map('notifications', thread)['url'], 'https://github.com/mira/kettle/pull/13')
  assert.equal(map('notifications', thread)['subject'], 'Add a whistle')
  assert.deepEqual(read('notifications', { ...thread, repository: { ...kettle, owner: joost } }).participants, ['202'])
})

test('a starred repository has the time of the star and its owner as author', () => {
  const star = { starred_at: '2026-06-01T00:00:00Z', repo: { ...kettle, owner: joost } }
  assert.deepEqual(read('starred', { ...star, repo: kettle }).types, [], 'the person’s own')
  const draft = read('starred', star)
  assert.equal(draft.nativeId, '5005')
  assert.equal(draft.at, Date.UTC(2026, 5, 1))
  assert.deepEqual(draft.types, ['news_feed'])
  assert.deepEqual([draft.card.title, draft.card.url], ['mira/kettle', kettle.html_url])
  assert.deepEqual(read('repos', kettle).types, ['news'])
  assert.deepEqual(read('followers', joost).card, {
    ...read('followers', joost).card,
    type: 'contact',
    id: '202',
    handle: 'joost',
    title: 'joost',
  })
})

test('lists follow the Link header and keep their headers', () => {
  const { pages, headers } = github.endpoints['starred']!
  const first = pages.first({ method: 'GET', path: '/user/starred', query: {}, headers })
  assert.equal(first.query['per_page'], '100')
  const next = 'https://api.github.com/user/starred?per_page=100&page=2'
  const link = `<${next}>; rel="next", <https://api.github.com/user/starred?page=9>; rel="last"`
  const second = pages.next({ request: first, body: [], headers: { link }, count: 0 })
  assert.deepEqual([second?.path, second?.headers], [next, { accept: 'application/vnd.github.star+json' }])
  assert.equal(pages.next({ request: second!, body: [], headers: { link: '<x>; rel="prev"' }, count: 100 }), undefined)
})

test('issues are read from a minute before the newest change', () => {
  const { checkpoint } = github.endpoints['issues']!
  const watermark = checkpoint?.advance(
    { items: [issue, { ...issue, updated_at: '2026-01-01T00:00:00Z' }], body: [] },
    undefined,
  )
  assert.deepEqual(checkpoint?.query(watermark!), { since: '2026-03-02T09:29:00Z' })
})

test('a run over events ends where everything is more than six hours older than the newest', () => {
  const { isKnown } = github.endpoints['events']!.checkpoint!
  const watermark = Date.UTC(2026, 3, 5, 12)
  assert.equal(isKnown?.({ created_at: '2026-04-05T07:00:00Z' }, watermark), false)
  assert.equal(isKnown?.({ created_at: '2026-04-05T05:59:59Z' }, watermark), true)
})

test('rate limits differ from refusals, and the limits are read', () => {
  const { recovery, rate } = github.api
  const ask = (status: number, headers: Record<string, string>, message = '') =>
    recovery?.({ status, headers, body: { message } })
  assert.equal(ask(403, { 'x-ratelimit-remaining': '0' }), 'retry')
  assert.equal(ask(403, { 'retry-after': '60' }), 'retry')
  assert.equal(ask(429, {}, 'You have exceeded a secondary rate limit.'), 'retry')
  assert.equal(ask(403, { 'x-ratelimit-remaining': '4000' }, 'Resource not accessible'), undefined)
  assert.equal(recovery?.({ status: 403, headers: {}, body: undefined }), undefined)
  assert.deepEqual(rate?.({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1790000000' }, 0), {
    remaining: 0,
    resetAtMs: 1_790_000_000_000,
    of: 'person',
  })
  const search = { 'x-ratelimit-remaining': '29', 'x-ratelimit-reset': '1790000000', 'x-ratelimit-resource': 'search' }
  assert.equal(rate?.(search, 0)?.of, 'endpoint')
})

test('a webhook is accepted by its signature', () => {
  const body = JSON.stringify({ sender: { id: 202 }, repository: { owner: { id: 101 } } })
  const sign = (algorithm: string, text: string) => createHmac(algorithm, 'secret').update(text).digest('hex')
  const headers = { 'x-hub-signature-256': `sha256=${sign('sha256', body)}` }
  assert.equal(github.hook?.verify({ headers, body, secret: 'secret', sign }), true)
  assert.equal(github.hook?.verify({ headers, body: `${body} `, secret: 'secret', sign }), false)
  assert.deepEqual(github.hook?.people(JSON.parse(body)), ['202', '101'])
})

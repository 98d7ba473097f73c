import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, type GithubApp, nextLink, startGithub, tokenFor, walkAll } from './testing.ts'

interface Listed {
  id: number | string
  updated_at?: string
  created_at?: string
  type?: string
  title?: string
  full_name?: string
  number?: number
  repository_url?: string
  sha?: string
  unread?: boolean
  payload?: Record<string, unknown>
}

const scope = 'repo user gist notifications'
let app: GithubApp
let token: string
let narrow: string
let newcomer: string
before(async () => {
  app = await startGithub()
  token = await tokenFor(app, scope)
  narrow = await tokenFor(app, '')
  newcomer = await tokenFor(app, scope, 'finn')
})
after(() => app.lab.close())

const read = async <T>(path: string, by = token) => (await (await call(app, path, by)).json()) as T
const idsOf = (list: Listed[]) => list.map(({ id, sha }) => sha ?? id)

const lists: Record<string, number> = {
  '/user/repos': 40,
  '/user/starred': 200,
  '/gists': 100,
  '/issues?filter=all&state=all': 280,
  '/notifications?all=true': 130,
  '/users/ada/events': 300,
  '/users/ada/received_events': 300,
  '/user/followers': 15,
  '/user/following': 36,
}

for (const [path, least] of Object.entries(lists)) {
  test(`${path}: returns every item once for every page size`, async () => {
    const big = await walkAll<Listed>(app, `${path}${path.includes('?') ? '&' : '?'}per_page=100`, token)
    const small = await walkAll<Listed>(app, path, token)
    assert.ok(big.length >= least, `${big.length} items`)
    assert.equal(new Set(idsOf(big)).size, big.length)
    assert.deepEqual(idsOf(small), idsOf(big))
  })
}

test('a new person has no items', async () => {
  for (const path of ['/user/repos', '/user/starred', '/gists', '/issues', '/notifications', '/user/following'])
    assert.deepEqual(await read(path, newcomer), [], path)
  for (const path of ['/users/finn/events', '/users/finn/received_events'])
    assert.deepEqual(await read(path, newcomer), [], path)
})

test('scopes give access to private data', async () => {
  assert.equal((await call(app, '/user/emails', narrow)).status, 404)
  assert.equal((await call(app, '/notifications', narrow)).status, 403)
  const full = await call(app, '/user', token)
  assert.equal(full.headers.get('x-oauth-scopes'), 'repo, user, gist, notifications')
  assert.equal(((await full.json()) as { plan?: object }).plan !== undefined, true)
  assert.equal('plan' in (await read<object>('/user', narrow)), false)
  const [all, visible] = [
    await walkAll(app, '/user/repos?per_page=100', token),
    await walkAll(app, '/user/repos?per_page=100', narrow),
  ]
  assert.ok(all.length > visible.length)
})

test('commits of a repository: newest first, since and until, some without an account', async () => {
  const [repo] = await read<Listed[]>('/user/repos?sort=created&direction=asc')
  const path = `/repos/${repo?.full_name}/commits`
  const commits = await walkAll<Listed & { commit: { author: { date: string } }; author: object | null }>(
    app,
    `${path}?per_page=100`,
    token,
  )
  assert.ok(commits.length > 250)
  const dates = commits.map(({ commit }) => commit.author.date)
  assert.deepEqual(dates, dates.toSorted().reverse())
  assert.ok(commits.some(({ author }) => author === null))
  const middle = dates[100] ?? ''
  const newer = await walkAll<Listed>(app, `${path}?per_page=100&since=${middle}`, token)
  assert.deepEqual(idsOf(newer), idsOf(commits).slice(0, newer.length))
  assert.equal((await call(app, `${path}/${commits[0]?.sha}`, token)).status, 200)
})

interface Found {
  total_count: number
  items: { sha: string; author: { login: string } | null; commit: { message: string; author: { date: string } } }[]
}

test('commit search: by author, words and dates across repositories, newest first', async () => {
  const search = (q: string, more = '') =>
    read<Found>(`/search/commits?q=${encodeURIComponent(q)}&sort=author-date&per_page=100${more}`)
  const first = await search('author:ada')
  assert.ok(first.total_count > 300)
  assert.ok(first.items.every(({ author }) => author?.login === 'ada'))
  const dates = first.items.map(({ commit }) => commit.author.date)
  assert.deepEqual(dates, dates.toSorted().reverse())
  const later = await search(`author:ada author-date:>=${dates[20]}`)
  assert.deepEqual(
    later.items.map(({ sha }) => sha),
    first.items.slice(0, later.total_count).map(({ sha }) => sha),
  )
  const byWord = await search('author:ada parser repo:ada/bread-timer')
  assert.ok(byWord.total_count > 0 && byWord.items.every(({ commit }) => commit.message.includes('parser')))
  const hidden = await read<Found>('/search/commits?q=author:ada', narrow)
  assert.ok(hidden.total_count < first.total_count)
  assert.equal((await search('author:ada no-such-word')).total_count, 0)
  for (const q of ['', 'q=author:nobody-at-all', 'q=ada&sort=size', 'q=bread&per_page=100&page=11'])
    assert.equal((await call(app, `/search/commits?${q}`, token)).status, 422, q)
})

test('events: push payloads have no commits, at most 300 events, with a poll interval', async () => {
  const response = await call(app, '/users/ada/events?per_page=100', token)
  assert.equal(response.headers.get('x-poll-interval'), '60')
  const events = (await response.json()) as Listed[]
  const ids = events.map(({ id }) => Number(id))
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => b - a),
  )
  const push = events.find(({ type }) => type === 'PushEvent')
  assert.deepEqual(Object.keys(push?.payload ?? {}).sort(), ['before', 'head', 'push_id', 'ref', 'repository_id'])
  const beyond = await call(app, '/users/ada/events?per_page=100&page=4', token)
  assert.equal(beyond.status, 422)
  app.lab.clock.advance(31 * 86_400_000)
  assert.deepEqual(await read('/users/ada/events'), [])
  app.lab.clock.advance(-31 * 86_400_000)
})

test('issues: filters, states, since; deleted issues are 410, unknown ones 404', async () => {
  const assigned = await walkAll<Listed & { assignees: { login: string }[]; state: string }>(app, '/issues', token)
  assert.ok(assigned.length > 10)
  for (const { assignees, state } of assigned)
    assert.ok(state === 'open' && assignees.some(({ login }) => login === 'ada'))
  const [one] = assigned
  const address = new URL(one?.repository_url ?? '').pathname
  const since = new Date(app.lab.clock.now() - 1000).toISOString()
  app.service.data.edit('ada', 'issues', String(one?.id), { title: 'Edited ✏️' })
  const changed = await read<Listed[]>(`/issues?filter=all&state=all&since=${since}`)
  assert.deepEqual(
    changed.map(({ title }) => title),
    ['Edited ✏️'],
  )
  app.service.data.remove('ada', 'issues', String(one?.id))
  assert.equal((await call(app, `${address}/issues/${one?.number}`, token)).status, 410)
  assert.equal((await call(app, `${address}/issues/999999`, token)).status, 404)
  assert.ok(!idsOf(await walkAll<Listed>(app, '/issues', token)).includes(one?.id ?? 0))
  const bad = await call(app, '/issues?filter=everything', token)
  assert.equal(bad.status, 422)
})

test('comments of an issue', async () => {
  const talked = await walkAll<Listed & { comments: number; comments_url: string }>(
    app,
    '/issues?filter=all&state=all',
    token,
  )
  const issue = talked.find(({ comments }) => comments > 1)
  const comments = await read<Listed[]>(new URL(issue?.comments_url ?? '').pathname)
  assert.equal(comments.length, issue?.comments)
})

test('stars: times by media type; adding and removing a star', async () => {
  const accept = { accept: 'application/vnd.github.star+json' }
  const timed = (await (await call(app, '/user/starred', token, { headers: accept })).json()) as {
    starred_at: string
    repo: Listed
  }[]
  assert.match(timed[0]?.starred_at ?? '', /^\d{4}-.*Z$/)
  const name = timed[0]?.repo.full_name
  assert.equal((await call(app, `/user/starred/${name}`, token, { method: 'DELETE' })).status, 204)
  assert.ok(!(await read<Listed[]>('/user/starred')).some(({ full_name }) => full_name === name))
  assert.equal((await call(app, `/user/starred/${name}`, token, { method: 'PUT' })).status, 204)
  assert.equal((await read<Listed[]>('/user/starred'))[0]?.full_name, name)
})

test('creates a gist and an issue; rejects invalid bodies', async () => {
  const post = (path: string, body: object) =>
    call(app, path, token, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const made = await post('/gists', { files: { 'a.txt': { content: 'hi' } }, public: true })
  assert.equal(made.status, 201)
  const { id } = (await made.json()) as Listed
  assert.equal((await call(app, `/gists/${id}`, token, { method: 'DELETE' })).status, 204)
  assert.equal((await call(app, `/gists/${id}`, token)).status, 404)
  assert.equal((await post('/gists', {})).status, 422)
  const [repo] = await read<Listed[]>('/user/repos')
  const issue = await post(`/repos/${repo?.full_name}/issues`, { title: 'From a test' })
  assert.equal(issue.status, 201)
  assert.equal((await post(`/repos/${repo?.full_name}/issues`, {})).status, 422)
})

test('an unchanged list is 304 and does not count against the limit; a change yields a new ETag', async () => {
  const first = await call(app, '/gists', token)
  const etag = first.headers.get('etag') ?? ''
  const again = await call(app, '/gists', token, { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
  assert.equal(again.headers.get('x-ratelimit-used'), first.headers.get('x-ratelimit-used'))
  app.service.data.add('ada', 'gists', {})
  const changed = await call(app, '/gists', token, { headers: { 'if-none-match': etag } })
  assert.equal(changed.status, 200)
  const seen = await call(app, '/notifications', token)
  const headers = { 'if-modified-since': seen.headers.get('last-modified') ?? '' }
  assert.equal((await call(app, '/notifications', token, { headers })).status, 304)
})

test('limits: the primary sends 403 with zero remaining, the secondary Retry-After', async () => {
  app.service.configure({ rateLimit: { limit: 2, windowSeconds: 3600 } })
  const by = await tokenFor(app, '', 'esra')
  for (const left of ['1', '0']) assert.equal((await call(app, '/user', by)).headers.get('x-ratelimit-remaining'), left)
  const refused = await call(app, '/user', by)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [403, null])
  assert.ok(Number(refused.headers.get('x-ratelimit-reset')) * 1000 > app.lab.clock.now())
  assert.match(((await refused.json()) as { message: string }).message, /API rate limit exceeded/)
  assert.equal((await call(app, '/rate_limit', by)).status, 200)
  app.service.configure({ rateLimit: { limit: 5000, perMinute: 0 } })
  const burst = await call(app, '/user', by)
  assert.deepEqual([burst.status, burst.headers.get('retry-after')], [403, '60'])
  app.service.configure({ rateLimit: { perMinute: 900, searchPerMinute: 1 } })
  const searched = await call(app, '/search/commits?q=bread', by)
  assert.deepEqual(
    ['limit', 'remaining', 'resource'].map((name) => searched.headers.get(`x-ratelimit-${name}`)),
    ['1', '0', 'search'],
  )
  assert.equal((await call(app, '/search/commits?q=bread', by)).status, 403)
  assert.equal((await call(app, '/user', by)).status, 200)
  app.service.configure({ rateLimit: { searchPerMinute: 30 } })
})

test('rejects the requests that the vendor rejects', async () => {
  assert.equal((await fetch(`${app.service.url}/user`)).status, 401)
  const version = { 'x-github-api-version': '2020-01-01' }
  assert.equal((await call(app, '/user', token, { headers: version })).status, 400)
  const newer = { 'x-github-api-version': '2026-03-10' }
  const issues = (await (await call(app, '/issues', token, { headers: newer })).json()) as object[]
  assert.ok(issues.every((issue) => !('assignee' in issue)))
  assert.deepEqual(await read('/no/such/path'), {
    message: 'Not Found',
    documentation_url: 'https://docs.github.com/rest',
    status: '404',
  })
  assert.equal((await call(app, '/user', token, { headers: { authorization: `token ${token}` } })).status, 200)
  assert.equal(nextLink(await call(app, '/gists?per_page=1000', token)) !== undefined, true)
  const secret = (await walkAll<Listed & { private: boolean }>(app, '/user/repos', token)).find((repo) => repo.private)
  assert.equal((await call(app, `/repos/${secret?.full_name}`, await tokenFor(app, 'repo', 'ben'))).status, 404)
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openApiCheck, responseSchema } from '../../testing/vendor-schema.ts'
import { call, type GithubApp, startGithub, tokenFor, walkAll } from './testing.ts'

const check = openApiCheck('@octokit/openapi/generated/api.github.com.json')
const ISSUES = '/repos/{owner}/{repo}/issues'
const ISSUE = `${ISSUES}/{issue_number}`

interface Issue {
  url: string
  number: number
  title: string
  body: string | null
  state: string
  state_reason: string | null
  closed_at: string | null
  comments: number
  labels: { name: string }[]
  assignees: { login: string }[]
}
interface Refused {
  message: string
  errors: { resource: string; field: string; code: string }[]
}

let app: GithubApp
let token: string
let others: string
before(async () => {
  app = await startGithub()
  token = await tokenFor(app, 'repo gist')
  others = await tokenFor(app, 'public_repo', 'ben')
})
after(() => app.lab.close())

/** Sends JSON, checks what comes back with the vendor's description, and returns it. */
async function send<Shape>(
  [method, path, status]: [string, string, number],
  body: unknown,
  { by = token, described }: { by?: string; described?: string } = {},
): Promise<Shape & { headers: Headers }> {
  const response = await call(app, path, by, { method, body: typeof body === 'string' ? body : JSON.stringify(body) })
  const value = (await response.json()) as Shape
  assert.equal(response.status, status, JSON.stringify(value))
  if (described !== undefined && typeof check !== 'string')
    assert.deepEqual(check(responseSchema(described, method.toLowerCase(), String(status)), value), [])
  if (status === 422 && typeof check !== 'string')
    assert.deepEqual(check('/components/schemas/validation-error', value), [])
  return { ...value, headers: response.headers }
}

const IN = '/repos/ada/bread-timer/issues'

test('an issue is created, changed, closed and opened again, and its address is in Location', async () => {
  const fields = { title: 'Timer drifts', body: 'By a minute', labels: ['bug'], assignees: ['ada'] }
  const made = await send<Issue>(['POST', IN, 201], fields, { described: ISSUES })
  assert.equal(made.headers.get('location'), made.url)
  assert.deepEqual(
    [made.title, made.body, made.labels[0]?.name, made.assignees[0]?.login],
    ['Timer drifts', 'By a minute', 'bug', 'ada'],
  )
  const path = new URL(made.url).pathname
  const change = (body: object) => send<Issue>(['PATCH', path, 200], body, { described: ISSUE })
  const renamed = await change({ title: 'Timer drifts a lot', body: null, labels: [] })
  assert.deepEqual([renamed.title, renamed.body, renamed.labels], ['Timer drifts a lot', null, []])
  const closed = await change({ state: 'closed', state_reason: 'not_planned' })
  assert.deepEqual([closed.state, closed.state_reason], ['closed', 'not_planned'])
  assert.notEqual(closed.closed_at, null)
  const opened = await change({ state: 'open' })
  assert.deepEqual([opened.state, opened.state_reason, opened.closed_at], ['open', 'reopened', null])
  const listed = await walkAll<Issue>(app, '/issues?filter=created&state=all&per_page=100', token)
  assert.equal(listed.find(({ url }) => url === made.url)?.title, 'Timer drifts a lot')
})

test('a comment is counted and listed', async () => {
  const made = await send<Issue>(['POST', IN, 201], { title: 'Talk' })
  const path = `${new URL(made.url).pathname}/comments`
  const said = await send<{ url: string }>(
    ['POST', path, 201],
    { body: 'Me too' },
    { by: others, described: `${ISSUE}/comments` },
  )
  assert.equal(said.headers.get('location'), said.url)
  const comments = (await (await call(app, path, token)).json()) as { body: string; user: { login: string } }[]
  assert.deepEqual(
    comments.map(({ body, user }) => [user.login, body]),
    [['ben', 'Me too']],
  )
  const issue = (await (await call(app, new URL(made.url).pathname, token)).json()) as Issue
  assert.equal(issue.comments, 1)
})

test('what is not valid is 422 with the field, and what is not JSON is 400', async () => {
  const made = await send<Issue>(['POST', IN, 201], { title: 'Valid' })
  const path = new URL(made.url).pathname
  const cases: [string, string, object, string][] = [
    ['POST', IN, { body: 'no title' }, 'Issue title missing_field'],
    ['POST', IN, { title: 'x', assignees: ['nobody-here'] }, 'Issue assignees invalid'],
    ['PATCH', path, { title: '' }, 'Issue title missing_field'],
    ['PATCH', path, { state: 'gone' }, 'Issue state invalid'],
    ['PATCH', path, { state: 'closed', state_reason: 'bored' }, 'Issue state_reason invalid'],
    ['POST', `${path}/comments`, { body: ' ' }, 'IssueComment body missing_field'],
    ['POST', '/gists', {}, 'Gist files missing_field'],
  ]
  for (const [method, to, body, expected] of cases) {
    const { message, errors } = await send<Refused>([method, to, 422], body)
    assert.equal(message, 'Validation Failed')
    assert.deepEqual(
      errors.map(({ resource, field, code }) => `${resource} ${field} ${code}`),
      [expected],
    )
  }
  assert.equal((await send<Refused>(['POST', IN, 400], '{')).message, 'Problems parsing JSON')
  assert.equal((await send<Refused>(['POST', IN, 400], '[]')).message, 'Body should be a JSON object')
})

test('others may open issues in public repositories, without labels, and change only their own', async () => {
  const [open] = await walkAll<{ full_name: string }>(app, '/user/repos?visibility=public', token)
  const path = `/repos/${open?.full_name}/issues`
  const theirs = await send<Issue>(['POST', path, 201], { title: 'Hello', labels: ['bug'] }, { by: others })
  assert.deepEqual(theirs.labels, [])
  await send(['PATCH', new URL(theirs.url).pathname, 200], { title: 'Hello again' }, { by: others })
  const mine = await send<Issue>(['POST', path, 201], { title: 'Mine' })
  const refused = await send<Refused>(['PATCH', new URL(mine.url).pathname, 403], { title: 'No' }, { by: others })
  assert.equal(refused.message, 'Must have admin rights to Repository.')
  const reader = await tokenFor(app, 'read:user')
  for (const [method, to] of [
    ['POST', path],
    ['PATCH', new URL(theirs.url).pathname],
  ] as const)
    await send([method, to, 404], { title: 'No scope' }, { by: reader })
})

test('a gist has the size of what was sent', async () => {
  const files = { 'a.txt': { content: 'four' } }
  const gist = await send<{ url: string; files: Record<string, { size: number }> }>(['POST', '/gists', 201], { files })
  assert.equal(gist.files['a.txt']?.size, 4)
  assert.equal(gist.headers.get('location'), gist.url)
})

test('the secondary limit is refused with 429 too', async () => {
  app.service.configure({ rateLimit: { perMinute: 0, secondaryStatus: 429 } })
  const refused = await call(app, '/user', token)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'])
  app.service.configure({ rateLimit: { perMinute: 900, secondaryStatus: 403 } })
})

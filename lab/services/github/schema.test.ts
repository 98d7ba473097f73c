import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openApiCheck, responseSchema } from '../../testing/vendor-schema.ts'
import { call, type GithubApp, startGithub, tokenFor, walkAll } from './testing.ts'

const check = openApiCheck('@octokit/openapi/generated/api.github.com.json')
let app: GithubApp
let token: string
before(async () => {
  app = await startGithub()
  token = await tokenFor(app, 'repo user gist notifications')
})
after(() => app.lab.close())

/** The path requested here for each path of the vendor's description. */
const lists: Record<string, string> = {
  '/user/emails': '/user/emails',
  '/user/repos': '/user/repos',
  '/user/starred': '/user/starred',
  '/user/followers': '/user/followers',
  '/user/following': '/user/following',
  '/users/{username}/events': '/users/ada/events',
  '/users/{username}/received_events': '/users/ada/received_events',
  '/gists': '/gists',
  '/issues': '/issues?filter=all&state=all',
  '/repos/{owner}/{repo}/issues': '/repos/ada/bread-timer/issues?state=all',
  '/repos/{owner}/{repo}/commits': '/repos/ada/bread-timer/commits',
  '/notifications': '/notifications?all=true',
}

for (const [described, path] of Object.entries(lists))
  test(`${described}: every page matches the published schema`, async (t) => {
    if (typeof check === 'string') return t.skip(check)
    const items = await walkAll(app, `${path}${path.includes('?') ? '&' : '?'}per_page=100`, token)
    assert.ok(items.length > 0)
    assert.deepEqual([...new Set(check(responseSchema(described), items))].slice(0, 10), [])
  })

test('single responses match the published schema', async (t) => {
  if (typeof check === 'string') return t.skip(check)
  const [issue] = await walkAll<{ url: string; comments: number }>(
    app,
    '/issues?filter=all&state=all&sort=comments',
    token,
  )
  const [gist] = await walkAll<{ id: string }>(app, '/gists', token)
  const singles: [string, string][] = [
    ['/user', '/user'],
    ['/users/{username}', '/users/ben'],
    ['/repos/{owner}/{repo}', '/repos/ada/bread-timer'],
    ['/repos/{owner}/{repo}/issues/{issue_number}', new URL(issue?.url ?? '').pathname],
    ['/repos/{owner}/{repo}/issues/{issue_number}/comments', `${new URL(issue?.url ?? '').pathname}/comments`],
    ['/gists/{gist_id}', `/gists/${gist?.id}`],
    ['/search/commits', '/search/commits?q=author:ada&per_page=100'],
  ]
  for (const [described, path] of singles) {
    const body: unknown = await (await call(app, path, token)).json()
    assert.deepEqual(check(responseSchema(described), body).slice(0, 10), [], described)
  }
})

test('each event payload matches the schema of its type', async (t) => {
  if (typeof check === 'string') return t.skip(check)
  const events = await walkAll<{ type: string; payload: object }>(app, '/users/ada/events?per_page=100', token)
  const types = new Set(events.map(({ type }) => type))
  assert.ok(types.size >= 9, [...types].join())
  for (const { type, payload } of events) {
    const schema = type.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()
    assert.deepEqual(check(`/components/schemas/${schema}`, payload), [], type)
  }
})

test('the check detects a wrong type and a missing field', async (t) => {
  if (typeof check === 'string') return t.skip(check)
  const [first] = await walkAll<Record<string, unknown>>(app, '/user/starred', token)
  assert.notDeepEqual(check(responseSchema('/user/starred'), [{ ...first, id: 'text' }]), [])
  assert.notDeepEqual(check(responseSchema('/user/starred'), [{ ...first, full_name: undefined }]), [])
})

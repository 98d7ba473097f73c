import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LabService } from '../../base/service.ts'
import { type Lab, startLab } from '../../lab.ts'
import { callback, tokensFor } from '../../testing/oauth2-client.ts'

let lab: Lab<'mastodon'>
let service: LabService
let token: string
let client: { key: string; secret: string }

before(async () => {
  lab = await startLab({ services: ['mastodon'] })
  service = lab.services.mastodon
  const form = { client_name: 'App', redirect_uris: callback, scopes: 'read', website: 'https://app.test' }
  const reply = await fetch(`${service.url}/api/v1/apps`, { method: 'POST', body: new URLSearchParams(form) })
  const app = (await reply.json()) as { client_id: string; client_secret: string; client_secret_expires_at: number }
  assert.equal(app.client_secret_expires_at, 0)
  client = { key: app.client_id, secret: app.client_secret }
  token = (await tokensFor({ service, ...client }, { scope: 'read' })).access_token
})
after(() => lab.close())

const get = (path: string, bearer = token) =>
  fetch(path.startsWith('http') ? path : `${service.url}${path}`, { headers: { authorization: `Bearer ${bearer}` } })

async function walk(path: string): Promise<{ id: string }[]> {
  const all: { id: string }[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const reply: Response = await get(next)
    all.push(...((await reply.json()) as { id: string }[]))
    next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
  }
  return all
}

test('an app without a name or with a relative address is refused', async () => {
  for (const body of [{ redirect_uris: callback }, { client_name: 'x', redirect_uris: '/back' }]) {
    const reply = await fetch(`${service.url}/api/v1/apps`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(reply.status, 422)
  }
})

test('Link leads through every list without repeats', async () => {
  const { id } = (await (await get('/api/v1/accounts/verify_credentials')).json()) as { id: string }
  for (const path of ['accounts/ID/statuses', 'accounts/ID/following', 'favourites', 'bookmarks', 'notifications']) {
    const list = await walk(`/api/v1/${path.replace('ID', id)}?limit=15`)
    assert.ok(list.length > 15, path)
    assert.equal(new Set(list.map((one) => one.id)).size, list.length, path)
  }
})

test('errors, limits with a date, and revocation of one token', async () => {
  const reply = await get('/api/v1/favourites')
  assert.match(reply.headers.get('x-ratelimit-reset') ?? '', /^\d{4}-\d\d-\d\dT.*Z$/)
  const narrow = (await tokensFor({ service, ...client }, { scope: 'read:accounts' })).access_token
  const refused = await get('/api/v1/favourites', narrow)
  assert.deepEqual(
    [refused.status, await refused.json()],
    [403, { error: 'This action is outside the authorized scopes' }],
  )
  const body = new URLSearchParams({ client_id: client.key, client_secret: client.secret, token: narrow })
  assert.equal((await fetch(`${service.url}/oauth/revoke`, { method: 'POST', body })).status, 200)
  assert.equal((await get('/api/v1/accounts/verify_credentials', narrow)).status, 401)
  assert.equal((await get('/api/v1/accounts/verify_credentials')).status, 200)
})

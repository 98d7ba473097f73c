import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Lab, startLab } from '../../lab.ts'
import { callback, tokensFor } from '../../testing/oauth2-client.ts'

/** The fields that docs.joinmastodon.org/entities names without “optional”, by entity. */
const REQUIRED = {
  account: `id username acct url uri display_name note avatar avatar_static header header_static locked fields emojis bot group
    discoverable indexable created_at last_status_at statuses_count followers_count following_count`,
  source: 'note fields privacy sensitive language follow_requests_count',
  role: 'id name color permissions highlighted',
  status: `id uri created_at account content visibility sensitive spoiler_text media_attachments mentions tags emojis reblogs_count
    favourites_count replies_count url in_reply_to_id in_reply_to_account_id reblog poll card language edited_at`,
  card: `url title description language type authors author_name author_url provider_name provider_url html width height image
    image_description embed_url blurhash published_at`,
  notification: 'id type group_key created_at account',
}

let lab: Lab<'mastodon'>
let token: string
before(async () => {
  lab = await startLab({ services: ['mastodon'] })
  const { mastodon } = lab.services
  const form = { client_name: 'App', redirect_uris: callback, scopes: 'read' }
  const reply = await fetch(`${mastodon.url}/api/v1/apps`, { method: 'POST', body: new URLSearchParams(form) })
  const app = (await reply.json()) as { client_id: string; client_secret: string }
  const client = { service: mastodon, key: app.client_id, secret: app.client_secret }
  token = (await tokensFor(client, { scope: 'read' })).access_token
})
after(() => lab.close())

type Entity = Record<string, unknown>

async function get<Body>(path: string): Promise<Body> {
  const reply = await fetch(`${lab.services.mastodon.url}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return (await reply.json()) as Body
}

const lacking = (kind: keyof typeof REQUIRED, entity: Entity) =>
  REQUIRED[kind].split(/\s+/).filter((field) => !(field in entity))

test('responses have every field that the documentation requires', async () => {
  const own = await get<Entity & { id: string }>('accounts/verify_credentials')
  assert.deepEqual(lacking('account', own), [])
  assert.deepEqual(lacking('source', own['source'] as Entity), [])
  assert.deepEqual(lacking('role', own['role'] as Entity), [])
  const statuses = await get<Entity[]>(`accounts/${own.id}/statuses?limit=40`)
  for (const status of statuses) assert.deepEqual(lacking('status', status), [])
  const cards = statuses.flatMap((status) => (status['card'] === null ? [] : [status['card'] as Entity]))
  assert.ok(cards.length > 0)
  for (const card of cards) assert.deepEqual(lacking('card', card), [])
  for (const each of await get<Entity[]>('notifications')) assert.deepEqual(lacking('notification', each), [])
})

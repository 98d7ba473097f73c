import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LabService } from '../../base/service.ts'
import { type Lab, startLab } from '../../lab.ts'
import { callback, tokensFor } from '../../testing/oauth2-client.ts'

interface Media {
  id: string
  type: string
  url: string | null
  description: string | null
  meta: { original: { width: number; height: number } }
}
interface Status {
  id: string
  content: string
  text?: string
  visibility: string
  favourited: boolean
  in_reply_to_id: string | null
  media_attachments: Media[]
}

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

let lab: Lab<'mastodon'>
let service: LabService
let token: string
let others: string
let narrow: string

before(async () => {
  lab = await startLab({ services: ['mastodon'] })
  service = lab.services.mastodon
  const client = service.register({ redirectUris: [callback] })
  const tokenOf = async (scope: string, person: string) =>
    (await tokensFor({ service, ...client }, { scope }, person)).access_token
  token = await tokenOf('read write', 'ada')
  others = await tokenOf('read write', 'ben')
  narrow = await tokenOf('read write:statuses', 'ada')
})
after(() => lab.close())

interface Sent {
  by?: string
  body?: object
  headers?: Record<string, string>
}

async function send<Shape>(method: string, path: string, { by = token, body, headers }: Sent = {}) {
  const isJson = body !== undefined && !(body instanceof FormData) && !(body instanceof URLSearchParams)
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${by}`,
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    body: isJson ? JSON.stringify(body) : ((body ?? null) as FormData | null),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Shape }
}

const upload = (type: string, bytes: Buffer = PNG, more: Sent = {}) => {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), 'picture')
  form.append('description', 'A pixel')
  return send<Media>('POST', '/api/v2/media', { ...more, body: form })
}
const post = (body: object, more: Sent = {}) => send<Status>('POST', '/api/v1/statuses', { ...more, body })
const ownList = async (by = token) => {
  const { body: me } = await send<{ id: string }>('GET', '/api/v1/accounts/verify_credentials')
  return (await send<Status[]>('GET', `/api/v1/accounts/${me.id}/statuses?limit=5`, { by })).body
}

test('a picture is there at once, and belongs to one status of its sender', async () => {
  const { status, body: media } = await upload('image/png')
  assert.equal(status, 200)
  assert.deepEqual([media.type, media.description, media.meta.original.width], ['image', 'A pixel', 1])
  assert.deepEqual(Buffer.from(await (await fetch(media.url ?? '')).arrayBuffer()), PNG)
  assert.equal((await send('GET', `/api/v1/media/${media.id}`)).status, 200)
  assert.equal((await send('GET', `/api/v1/media/${media.id}`, { by: others })).status, 404)
  const stolen = await post({ media_ids: [media.id] }, { by: others })
  assert.equal(stolen.status, 422)
  const shown = await post({ status: 'Look', media_ids: [media.id] })
  assert.equal(shown.status, 200)
  assert.deepEqual(
    shown.body.media_attachments.map(({ id, url }) => [id, url]),
    [[media.id, media.url]],
  )
  assert.equal((await post({ media_ids: [media.id] })).status, 422)
})

test('a film is processed after the response', async () => {
  const { status, body } = await upload('video/mp4', Buffer.from('film'))
  assert.deepEqual([status, body.url], [202, null])
  assert.equal((await post({ media_ids: [body.id] })).status, 422)
  assert.equal((await send('GET', `/api/v1/media/${body.id}`)).status, 206)
  const done = await send<Media>('GET', `/api/v1/media/${body.id}`)
  assert.equal(done.status, 200)
  assert.notEqual(done.body.url, null)
  assert.equal((await post({ media_ids: [body.id] })).status, 200)
})

test('other files, and none, are 422', async () => {
  const { status, body } = await upload('text/plain')
  assert.deepEqual([status, body], [422, { error: 'Validation failed: File content type is invalid, File is invalid' }])
  assert.equal((await send('POST', '/api/v2/media', { body: { file: 'text' } })).status, 422)
})

test('a status is listed, and posted once for one Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'one' }
  const first = await post({ status: 'Once & <only>', visibility: 'unlisted' }, { headers })
  assert.deepEqual([first.status, first.body.visibility], [200, 'unlisted'])
  assert.equal((await post({ status: 'Once & <only>' }, { headers })).body.id, first.body.id)
  assert.notEqual((await post({ status: 'Theirs' }, { headers, by: others })).body.id, first.body.id)
  assert.equal((await ownList()).filter(({ content }) => content === '<p>Once &amp; &lt;only&gt;</p>').length, 1)
  lab.clock.advance(3_600_001)
  assert.notEqual((await post({ status: 'Once more' }, { headers })).body.id, first.body.id)
})

test('a form does too; what is not valid is 422, and an answer to nothing 404', async () => {
  const form = await post(new URLSearchParams({ status: 'By form', visibility: 'private' }))
  assert.equal(form.body.visibility, 'private')
  const reply = await post({ status: 'Yes', in_reply_to_id: form.body.id })
  assert.equal(reply.body.in_reply_to_id, form.body.id)
  assert.deepEqual((await post({ status: '  ' })).body, { error: "Validation failed: Text can't be blank" })
  assert.equal((await post({ status: 'x'.repeat(501) })).status, 422)
  assert.equal((await post({ status: 'x', visibility: 'secret' })).status, 422)
  assert.equal((await post({ status: 'x', in_reply_to_id: '1' })).status, 404)
})

test('nobody else sees a direct status', async () => {
  const { body } = await post({ status: 'Secret', visibility: 'direct' })
  assert.equal((await ownList())[0]?.id, body.id)
  assert.notEqual((await ownList(others))[0]?.id, body.id)
  assert.equal((await send('GET', `/api/v1/statuses/${body.id}`, { by: others })).status, 404)
})

test('a favourite is listed until it is taken back', async () => {
  const { body } = await post({ status: 'Like it' })
  const path = `/api/v1/statuses/${body.id}`
  const marked = async () =>
    (await send<Status[]>('GET', '/api/v1/favourites', { by: others })).body.map(({ id }) => id)
  for (const on of [true, true, false, false, true]) {
    const { body: seen } = await send<Status>('POST', `${path}/${on ? '' : 'un'}favourite`, { by: others })
    assert.equal(seen.favourited, on)
    assert.equal((await marked()).filter((id) => id === body.id).length, on ? 1 : 0)
  }
  assert.equal((await send<Status>('GET', path)).body.favourited, false)
  assert.equal((await send('POST', '/api/v1/statuses/1/favourite')).status, 404)
})

test('only its author deletes a status, and gets its text', async () => {
  const { body } = await post({ status: 'A < B' })
  assert.equal((await send('DELETE', `/api/v1/statuses/${body.id}`, { by: others })).status, 404)
  assert.equal((await send<Status>('DELETE', `/api/v1/statuses/${body.id}`)).body.text, 'A < B')
  assert.equal((await send('GET', `/api/v1/statuses/${body.id}`)).status, 404)
})

test('a write needs its scope; uploads have a limit of their own', async () => {
  assert.equal((await post({ status: 'Narrow' }, { by: narrow })).status, 200)
  const refused = await upload('image/png', PNG, { by: narrow })
  assert.deepEqual([refused.status, refused.body], [403, { error: 'This action is outside the authorized scopes' }])
  let last = await upload('image/png')
  for (let calls = 0; last.status === 200 && calls < 40; calls += 1) last = await upload('image/png')
  assert.deepEqual([last.status, last.headers.get('retry-after')], [429, null])
  assert.match(last.headers.get('x-ratelimit-reset') ?? '', /^\d{4}-\d\d-\d\dT.*Z$/)
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Lab, startLab } from '../../lab.ts'
import { callback, codeFor } from '../../testing/oauth2-client.ts'

suite('spotify', () => {
  let lab: Lab<'spotify'>
  let token: string
  let key: { key: string; secret: string }
  before(async () => {
    lab = await startLab({ services: ['spotify'] })
    key = lab.services.spotify.register({ redirectUris: [callback] })
    token = await signIn('playlist-read-private user-read-recently-played')
  })
  after(() => lab.close())

  async function signIn(scope: string): Promise<string> {
    const { url } = lab.services.spotify
    const code = await codeFor({ service: lab.services.spotify, ...key }, { scope }, 'ada')
    const response = await fetch(`${url}/api/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${key.key}:${key.secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback }),
    })
    return ((await response.json()) as { access_token: string }).access_token
  }

  const get = async (path: string) => {
    const response = await fetch(`${lab.services.spotify.url}/v1${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    }
  }

  test('entries are shown to the owner and to those who work on the playlist', async () => {
    const { body } = await get('/me/playlists?limit=50')
    const lists = body['items'] as { id: string; owner: { id: string }; collaborative: boolean }[]
    const me = (await get('/me')).body['id']
    for (const { id, owner, collaborative } of lists) {
      const expected = owner.id === 'spotify' ? 404 : owner.id === me || collaborative ? 200 : 403
      assert.equal((await get(`/playlists/${id}/items`)).status, expected)
      assert.equal((await get(`/playlists/${id}/tracks`)).status, 403)
    }
  })

  test('a snapshot changes with the entries', async () => {
    const first = async () => ((await get('/me/playlists')).body['items'] as { id: string; snapshot_id: string }[])[0]!
    const before = await first()
    assert.deepEqual(await first(), before)
    lab.services.spotify.data.add('ada', `entries ${before.id}`, {})
    assert.notEqual((await first()).snapshot_id, before.snapshot_id)
  })

  test('a scope that was not granted, an unknown token and too many calls are refused as the vendor does', async () => {
    assert.deepEqual((await get('/me/tracks')).body, { error: { status: 403, message: 'Insufficient client scope' } })
    lab.services.spotify.configure({ rateLimit: { limit: 1, windowSeconds: 30 } })
    const refused = [await get('/me'), await get('/me'), await get('/me')].at(-1)!
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    lab.services.spotify.tokens.revoke('ada')
    assert.equal((await get('/me')).status, 401)
  })
})

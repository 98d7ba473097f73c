import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Lab, startLab } from '../../lab.ts'
import { callback, tokensFor } from '../../testing/oauth2-client.ts'
import { typeErrors, typesMissing } from '../../testing/typed-values.ts'

interface Entry {
  item?: { uri: string }
  track?: { uri: string }
}

suite('playlists of spotify', () => {
  let lab: Lab<'spotify'>
  let token: string
  before(async () => {
    lab = await startLab({ services: ['spotify'], maxActivity: 20 })
    const { spotify } = lab.services
    const key = spotify.register({ redirectUris: [callback] })
    const scope = 'user-library-read playlist-read-private playlist-modify-private'
    token = (await tokensFor({ service: spotify, ...key }, { scope })).access_token
  })
  after(() => lab.close())

  async function call(method: string, path: string, body?: object) {
    const response = await fetch(`${lab.services.spotify.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    }
  }
  const message = ({ status, body }: Awaited<ReturnType<typeof call>>) => [
    status,
    (body['error'] as { message?: string } | undefined)?.message,
  ]
  const uris = async (count: number): Promise<string[]> => {
    const { body } = await call('GET', `/me/tracks?limit=${count}`)
    return (body['items'] as { track: { uri: string } }[]).map(({ track }) => track.uri)
  }
  const entries = async (id: unknown, kind = 'items'): Promise<string[]> => {
    const { body } = await call('GET', `/playlists/${String(id)}/${kind}?limit=50`)
    return (body['items'] as Entry[]).map(({ item, track }) => (item ?? track)!.uri)
  }

  test('entries are added, moved, replaced and removed, each with a new snapshot', async () => {
    const made = await call('POST', '/me/playlists', { name: 'Made', public: false, description: 'by hand' })
    assert.deepEqual([made.status, made.body['name'], made.body['public']], [201, 'Made', false])
    const path = `/playlists/${String(made.body['id'])}`
    const [a = '', b = '', c = '', d = ''] = await uris(4)
    const snapshots = new Set([made.body['snapshot_id']])
    const change = async (method: string, body: object, expected: string[]) => {
      const reply = await call(method, `${path}/items`, body)
      assert.equal(reply.status, method === 'POST' ? 201 : 200, reply.text)
      snapshots.add(reply.body['snapshot_id'])
      assert.equal((await call('GET', path)).body['snapshot_id'], reply.body['snapshot_id'])
      assert.deepEqual(await entries(made.body['id']), expected)
    }
    await change('POST', { uris: [a, b, c] }, [a, b, c])
    await change('POST', { uris: [d], position: 1 }, [a, d, b, c])
    await change('PUT', { range_start: 0, range_length: 2, insert_before: 4 }, [b, c, a, d])
    await change('PUT', { range_start: 3, insert_before: 0 }, [d, b, c, a])
    await change('DELETE', { items: [{ uri: b }, { uri: a }] }, [d, c])
    await change('PUT', { uris: [a] }, [a])
    assert.equal(snapshots.size, 7)
    assert.deepEqual([(await call('PUT', path, { name: 'Renamed', owner: 'x' })).text], [''])
    const { body } = await call('GET', path)
    assert.deepEqual(
      [body['name'], (body['owner'] as { id: string }).id],
      ['Renamed', (await call('GET', '/me')).body['id']],
    )
    const listed = (await call('GET', '/me/playlists?limit=50')).body['items'] as { id: string }[]
    assert.ok(listed.some(({ id }) => id === made.body['id']))
  })

  test('what is not there, not the person’s or not granted is refused as the vendor does', async () => {
    const lists = (await call('GET', '/me/playlists?limit=50')).body['items'] as { id: string; owner: { id: string } }[]
    const [mine, others] = [
      lists.find(({ owner }) => owner.id.startsWith('31'))!,
      lists.find(({ owner }) => owner.id === 'somebody')!,
    ]
    const add = (id: string, ...given: string[]) => call('POST', `/playlists/${id}/items`, { uris: given })
    assert.deepEqual(message(await add('nothing')), [404, 'Resource not found'])
    assert.deepEqual(message(await add(others.id)), [403, 'Forbidden'])
    assert.deepEqual(message(await add(mine.id, 'spotify:track:no')), [400, 'Payload contains a non-existing ID'])
    const many = await add(mine.id, ...Array.from({ length: 101 }, () => 'spotify:track:no'))
    assert.deepEqual(message(many), [400, 'You can add a maximum of 100 tracks per request.'])
    assert.deepEqual(message(await call('POST', '/me/playlists', {})), [400, 'Missing required field: name'])
    const granted = await call('POST', '/me/playlists', { name: 'Public' })
    assert.deepEqual(message(granted), [403, 'Insufficient client scope'])
    const outside = await call('PUT', `/playlists/${mine.id}/items`, { range_start: 900, insert_before: 0 })
    assert.deepEqual(message(outside), [400, 'Index out of bounds'])
    for (const [method, path] of [
      ['POST', `/playlists/${mine.id}/tracks`],
      ['POST', `/users/${mine.owner.id}/playlists`],
    ] as const)
      assert.deepEqual(message(await call(method, path, { name: 'x', uris: [] })), [403, 'Forbidden'])
  })

  test('an app with extended quota has the older routes and names, as the types of the vendor’s client say', {
    skip: typesMissing(),
  }, async () => {
    lab.services.spotify.configure({ quota: 'extended' })
    const { id } = (await call('GET', '/me')).body
    const made = await call('POST', `/users/${String(id)}/playlists`, { name: 'Older', public: false })
    const path = `/playlists/${String(made.body['id'])}`
    const [a = '', b = ''] = await uris(2)
    const added = await call('POST', `${path}/tracks`, { uris: [a, b] })
    assert.equal((await call('DELETE', `${path}/tracks`, { tracks: [{ uri: a }] })).status, 200)
    assert.deepEqual(await entries(made.body['id'], 'tracks'), [b])
    const imports = `import type { Playlist, SnapshotReference, Page, SimplifiedPlaylist, PlaylistedTrack, Track } from '@spotify/web-api-ts-sdk'
      type Part<T> = T extends object ? { [K in keyof T]?: Part<T[K]> | null } : T`
    const values = [
      { type: 'SnapshotReference', value: added.body },
      // The client's types require what the vendor has ended for all apps.
      { type: 'Part<Playlist<Track>>', value: (await call('GET', path)).body },
      { type: 'Part<Page<SimplifiedPlaylist>>', value: (await call('GET', '/me/playlists')).body },
      { type: 'Part<Page<PlaylistedTrack<Track>>>', value: (await call('GET', `${path}/tracks`)).body },
    ]
    assert.equal(typeErrors(imports, values), '')
    assert.match(typeErrors(imports, [{ type: 'Part<Playlist<Track>>', value: { items: [] } }]), /error TS/)
    lab.services.spotify.configure({ quota: 'development' })
  })
})

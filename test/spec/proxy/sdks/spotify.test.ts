import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { packagesMissing } from '../../../real/packages.ts'
import { loadSdk } from '../../../real/sdks/load.ts'
import { type SdkHarness, startSdkHarness } from './fixture.ts'

interface Page<Record> {
  items: Record[]
  next: string | null
  total: number
}
interface Track {
  id: string
  name: string
  uri: string
}
interface Playlist {
  id: string
  name: string
  tracks: Page<{ track: Track }>
}

/** The parts of the vendor's client that the test uses. */
interface Spotify {
  makeRequest<Shape>(method: 'GET', path: string): Promise<Shape>
  currentUser: {
    profile(): Promise<{ id: string }>
    topItems(type: 'tracks', range?: string, limit?: number, offset?: number): Promise<Page<Track>>
  }
  playlists: {
    createPlaylist(user: string, playlist: object): Promise<Playlist>
    changePlaylistDetails(id: string, change: object): Promise<void>
    getPlaylist(id: string): Promise<Playlist>
    getPlaylistItems(id: string): Promise<Page<{ track: Track }>>
    addItemsToPlaylist(id: string, uris: string[], position?: number): Promise<void>
    removeItemsFromPlaylist(id: string, request: { tracks: { uri: string }[] }): Promise<void>
  }
}
interface Package {
  SpotifyApi: { rootUrl: string; withAccessToken(clientId: string, token: object, config: object): Spotify }
}

const SCOPE = [
  'user-read-private',
  'user-top-read',
  'playlist-read-private',
  'playlist-read-collaborative',
  'playlist-modify-private',
].join(' ')

suite('@spotify/web-api-ts-sdk', { skip: await packagesMissing('sdks') }, () => {
  let harness: SdkHarness<'spotify'>
  let vendors: Package
  let token: string
  let own: string
  before(async () => {
    harness = await startSdkHarness(['spotify'])
    // The SDK calls addresses that the service has for such apps only.
    harness.lab.services.spotify.configure({ quota: 'extended' })
    vendors = await loadSdk<Package>('@spotify/web-api-ts-sdk')
    ;({ token, own } = await harness.signIn('spotify', { scope: SCOPE }))
  })
  after(() => harness.stop())

  const clientAt = (base: string, accessToken = token) => {
    const { SpotifyApi } = vendors
    return SpotifyApi.withAccessToken(
      'unused',
      { access_token: accessToken, token_type: 'Bearer', expires_in: 3600, refresh_token: '' },
      { fetch: (url: string, init: RequestInit) => fetch(url.replace(SpotifyApi.rootUrl, `${base}/`), init) },
    )
  }
  const direct = () => clientAt(`${harness.lab.services.spotify.url}/v1`, harness.credentialAt('spotify'))
  const top = async (client: Spotify): Promise<Track[]> => {
    const found: Track[] = []
    for (let page = await client.currentUser.topItems('tracks', undefined, 25); ; ) {
      found.push(...page.items)
      if (page.next === null) return found
      page = await client.currentUser.topItems('tracks', undefined, 25, found.length)
    }
  }

  const bases = {
    'the origin of the service': () => `${harness.originOf('spotify')}/v1`,
    '/proxy': () => harness.addressOf('spotify'),
  }
  for (const [where, base] of Object.entries(bases))
    suite(`at ${where}`, () => {
      /** What the service itself returns, with its links as they are here. */
      const atService = (own: unknown): unknown =>
        JSON.parse(JSON.stringify(own).replaceAll(`${harness.lab.services.spotify.url}/v1`, base()))

      test('reads every page, as the service has them', async () => {
        const found = await top(clientAt(base()))
        assert.equal(found.length, 60)
        assert.deepEqual(found, atService(await top(direct())))
        harness.assertNothingLeft()
      })

      test('follows the links in the bodies, which lead back', async () => {
        const client = clientAt(base())
        const found: Track[] = []
        let page = await client.currentUser.topItems('tracks', undefined, 25)
        for (;;) {
          found.push(...page.items)
          if (page.next === null) break
          assert.ok(page.next.startsWith(`${base()}/me/top/tracks?`), page.next)
          page = await client.makeRequest('GET', page.next.slice(base().length + 1))
        }
        assert.deepEqual(found, atService(await top(direct())))
        harness.assertNothingLeft()
      })

      test('makes a playlist, fills it, and the next sync has it', async () => {
        const client = clientAt(base())
        const { id: person } = await client.currentUser.profile()
        const [one, two, three] = (await top(client)).map(({ uri }) => uri) as [string, string, string]
        const { id } = await client.playlists.createPlaylist(person, { name: `Made at ${where}`, public: false })
        await client.playlists.addItemsToPlaylist(id, [one, two])
        await client.playlists.addItemsToPlaylist(id, [three], 0)
        await client.playlists.removeItemsFromPlaylist(id, { tracks: [{ uri: two }] })
        await client.playlists.changePlaylistDetails(id, { name: `Renamed at ${where}` })
        const { name, tracks } = await client.playlists.getPlaylist(id)
        assert.equal(name, `Renamed at ${where}`)
        assert.deepEqual(
          tracks.items.map(({ track }) => track.uri),
          [three, one],
        )
        // A sync may also have read it before its last change.
        await harness.readBack('spotify', 'playlists', own, (data) => data['id'] === id && data['name'] === name)
        const isThree = (data: Record<string, unknown>) =>
          (data['playlist'] as { id?: string } | undefined)?.id === id &&
          [data['item'], data['track']].some((track) => (track as Track | undefined)?.uri === three)
        await harness.readBack('spotify', 'playlist_items', own, isThree)
        harness.assertNothingLeft()
      })

      test('shows its own errors of a record that is not there, of a limit and of a token that ended', async () => {
        const client = clientAt(base())
        const { faults } = harness.lab.services.spotify
        // The class of this SDK's errors is Error; what it says is its own.
        await assert.rejects(client.playlists.getPlaylist('nothing'), {
          message: /^Unrecognised response code: 404 - .*Resource not found/s,
        })
        // Of a path that syncs do not call.
        faults.add({ path: '/v1/playlists/limited', kind: 'status', status: 429, retryAfterSeconds: 1 })
        await assert.rejects(client.playlists.getPlaylist('limited'), {
          message: 'The app has exceeded its rate limits.',
        })
        await assert.rejects(clientAt(base(), 'trt_unknown').currentUser.profile(), {
          message: /^Bad or expired token\./,
        })
        harness.assertNothingLeft()
      })
    })
})

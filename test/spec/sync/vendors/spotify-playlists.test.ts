import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startVendorHarness, type VendorHarness } from './vendors-fixture.ts'

const PERSON = 'dmitri'
const ENDPOINTS = ['playlists', 'playlist_items']

suite('playlists of Spotify and their entries', () => {
  let harness: VendorHarness
  let token: string
  before(async () => {
    harness = await startVendorHarness()
    token = await harness.signIn('spotify', PERSON)
    await harness.synced('spotify', ENDPOINTS, token)
  })
  after(() => harness?.stop())

  const entries = async () =>
    (await harness.items('spotify', 'playlist_items', token)).map(({ data }) => (data['playlist'] as { id: string }).id)
  const syncAgain = async () => {
    const progress = await harness.progress('spotify', token)
    const latestMs = Math.max(...ENDPOINTS.map((name) => progress[name]?.last_run ?? 0))
    await harness.ask('POST', '/profiles/spotify/sync', token)
    await harness.synced('spotify', ENDPOINTS, token, latestMs)
  }

  test('those of others are not asked for, and only a changed playlist is read again', async () => {
    const playlists = await harness.items('spotify', 'playlists', token)
    assert.equal(playlists.length, 8)
    assert.equal(new Set(await entries()).size, 6, 'not those of Spotify and of somebody')
    const before = await entries()
    const own = before.find((id) => before.filter((each) => each === id).length > 1)!
    const { data } = harness.lab.services.spotify
    data.add(PERSON, `entries ${own}`, {})
    await syncAgain()
    assert.equal((await entries()).length, before.length + 1)
    const { faults } = (await harness.progress('spotify', token))['playlist_items'] ?? {}
    assert.equal(faults, undefined)
  })

  test('a deleted playlist takes its entries along', async () => {
    const before = await entries()
    const counts = Map.groupBy(before, (id) => id)
    const [gone] = [...counts].sort(([, a], [, b]) => a.length - b.length)[0]!
    harness.lab.services.spotify.data.remove(PERSON, 'playlists', gone)
    await syncAgain()
    await syncAgain()
    assert.deepEqual(
      (await entries()).filter((id) => id === gone),
      [],
    )
    assert.equal((await entries()).length, before.length - counts.get(gone)!.length)
  })
})

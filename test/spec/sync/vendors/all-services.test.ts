import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import {
  blueskyFixtureMissing,
  deleteMessage,
  furnish,
  REDIS,
  SCOPES,
  say,
  talkOf,
} from '../../../connectors/bluesky-fixture.ts'
import { callbackOf } from '../../../harness/callback.ts'
import { freshDatabase } from '../../../harness/database/database.ts'
import type { Progress } from '../../../harness/sync.ts'
import { type BlueskyAccount, type RunningBluesky, startBlueskyNetwork } from '../../../real/bluesky.ts'
import { checkMaps, type Mapped } from '../../reading/map-contract.ts'
import { checkSelectedFields } from '../../reading/selected-fields.ts'
import { checkCopies } from './copies-of-vendors.ts'
import { startVendorHarness, VENDORS, type Vendor, type VendorHarness } from './vendors-fixture.ts'

const noBluesky = await blueskyFixtureMissing()

const endpointsOf = (service: string) => Object.keys(connectors.find((one) => one.service === service)!.endpoints)

const latestOf = (progress: Progress) => Math.max(...Object.values(progress).map(({ last_run: at = 0 }) => at))

interface TypedItem {
  idr: string
  oembed: { type?: string; url?: string }
  map: { url?: string; urls?: string[]; image?: string; text?: string }
}

/** A small amount of data: Tumblr allows an app a thousand calls per hour, a tenth of that at once. */
const PERSON = 'dmitri'

suite('one person at every service', () => {
  let harness: VendorHarness
  let token: string
  before(async () => {
    harness = await startVendorHarness()
    for (const service of VENDORS) token = await harness.signIn(service, PERSON, token)
  })
  after(() => harness?.stop())

  /** Reads every endpoint, and again after a second sync, which must not write anything. */
  async function checkService(service: string, endpoints: string[]): Promise<void> {
    const first = await harness.synced(service, endpoints, token)
    const counts = (await harness.ask('GET', `/services/${service}?until=4102444800000`, token)) as Record<
      string,
      number
    >
    const read = new Map<string, string>()
    for (const name of endpoints) {
      assert.deepEqual([name, first[name]?.last_error, first[name]?.quarantined ?? 0], [name, undefined, 0])
      const items = await harness.items(service, name, token)
      assert.ok(items.length > 0, `${name} is empty`)
      assert.equal(items.length, counts[name], name)
      for (const { id, idr, updated } of items) {
        assert.ok(idr.includes(`@${service}/${name}#`), idr)
        assert.ok(!read.has(id), idr)
        read.set(id, `${updated}`)
      }
    }
    const writes = await harness.writes(service)
    assert.ok(writes.size >= read.size)
    await harness.ask('POST', `/profiles/${service}/sync`, token)
    await harness.synced(service, endpoints, token, latestOf(first))
    assert.deepEqual(await harness.writes(service), writes)
    for (const name of endpoints)
      for (const { id, updated } of await harness.items(service, name, token)) assert.equal(`${updated}`, read.get(id))
  }

  test('has one account with a profile of each', async () => {
    const profiles = (await harness.ask('GET', '/profiles', token)) as Record<string, unknown>
    for (const service of VENDORS) {
      const { people, url } = harness.lab.services[service]
      const { id } = people.find(({ username }) => username === PERSON)!
      // Ids of one instance or workspace are made unique by it.
      const place = { mastodon: new URL(url).host, slack: 'T0LAB00001' }[service as string]
      const nativeId = place === undefined ? id : `${id}@${place}`
      assert.deepEqual(profiles[service], [encodeURIComponent(nativeId)], service)
    }
  })

  for (const service of VENDORS satisfies readonly Vendor[])
    test(`${service}: every endpoint has items, and a second sync changes nothing`, () =>
      checkService(service, endpointsOf(service)))

  test('feeds have nothing that the person made, and each type has its cards', async () => {
    const read = async (path: string) => (await harness.ask('GET', `${path}limit=100000`, token)) as TypedItem[]
    assert.deepEqual(await read('/types/all_feed?participants=%5Eself&'), [])
    assert.ok((await read('/types/all_feed?')).length > 0)
    for (const [type, card] of Object.entries({ photos: 'photo', videos: 'video', news: 'link', checkins: 'checkin' }))
      for (const suffix of ['', '_feed'])
        for (const { idr, oembed, map } of await read(`/types/${type}${suffix}?map=true&`)) {
          assert.equal(oembed.type, card, idr)
          if (type === 'photos' && map.image !== undefined) assert.ok(oembed.url, idr)
          if (type === 'news') assert.ok((map.urls ?? [map.url]).includes(oembed.url), idr)
        }
  })

  test('`dedup` hides no two items of different people that differ in text and picture, and no posts for their link', async (t) => {
    const { copies, sharedLinks } = await checkCopies(harness, token)
    t.diagnostic(JSON.stringify(copies))
    // Records that are in two streams, reposts that add nothing, and what the person posted at several services.
    assert.ok(copies['all_feed']! > 10 && copies['all']! > 5, JSON.stringify(copies))
    assert.ok(sharedLinks.length > 5, 'the lab repeats links')
    for (const link of sharedLinks.slice(0, 5)) {
      const path = `/types/all_feed?limit=1000&until=4102444800000&link=${encodeURIComponent(`https://${link}`)}`
      const kept = (await harness.ask('GET', `${path}&dedup=true&map=true`, token)) as TypedItem[]
      const texts = new Set(kept.map(({ map: { text } }) => text))
      assert.ok(texts.size > 1, link)
    }
  })

  test('every item has every path of `fields`, and null where it lacks it', async () => {
    for (const service of VENDORS)
      for (const name of endpointsOf(service)) {
        const path = `/services/${service}/${name}?limit=100000&until=4102444800000`
        const ask = async (query: string) => (await harness.ask('GET', `${path}&${query}`, token)) as object[]
        assert.ok((await checkSelectedFields(ask)) > 10, `${service}/${name}`)
      }
    const ask = async (query: string) => (await harness.ask('GET', `/types/all?limit=500&${query}`, token)) as object[]
    await checkSelectedFields(ask)
  })

  test('`map` of every item has the fields of its types', async () => {
    const seen = new Set<string>()
    for (const service of VENDORS)
      for (const name of endpointsOf(service)) {
        const path = `/services/${service}/${name}?limit=100000&until=4102444800000&map=true`
        for (const type of checkMaps((await harness.ask('GET', path, token)) as Mapped[])) seen.add(type)
      }
    const all = 'activity checkin contact event file measure message news photo status track video'
    assert.deepEqual([...seen].toSorted(), all.split(' '))
  })

  test('the `map.id` of a contact finds the items that the contact takes part in', async () => {
    const contacts = (await harness.ask('GET', '/types/contacts?limit=2000&map=true', token)) as Mapped[]
    const people = new Set(contacts.map(({ map }) => map['id'] as string))
    const items = (await harness.ask('GET', '/types/all_feed?limit=2000&map=true', token)) as Mapped[]
    const authors = items.flatMap(({ map }) => (map['author'] as { id: string | null } | null)?.id ?? [])
    const known = authors.filter((id) => people.has(id))
    assert.ok(known.length > 50, `${known.length} of ${authors.length}`)
    for (const id of new Set(known.slice(0, 20))) {
      const by = (await harness.ask(
        'GET',
        `/types/all_feed?participants=%5E${encodeURIComponent(id)}`,
        token,
      )) as object[]
      assert.ok(by.length > 0, id)
    }
  })

  test('commenters of Instagram media are participants', async () => {
    const commented = (await harness.ask(
      'GET',
      '/services/instagram/media?limit=100000&participants=%5Eself,%3E2',
      token,
    )) as { data: { comments?: object } }[]
    assert.ok(commented.length > 0 && commented.every(({ data }) => data.comments !== undefined))
  })

  suite('at a real Bluesky network', { skip: noBluesky }, () => {
    let network: RunningBluesky
    let dropDatabase: () => Promise<void>
    let alice: BlueskyAccount
    before(async () => {
      const database = await freshDatabase()
      dropDatabase = database.drop
      network = await startBlueskyNetwork({ postgresUrl: database.url, redisHost: REDIS.host })
      process.env['TEST_IDENTITY_DIRECTORY'] = network.plcUrl
      alice = await furnish(network)
      const overrides = { base_url: network.pdsUrl }
      const redirect_uri = callbackOf(harness.tributary, harness.app, 'bluesky', overrides)
      const client = new URLSearchParams({ redirect_uri, scope: SCOPES })
      await harness.setKeys('bluesky', { key: `http://localhost?${client.toString()}`, secret: '', overrides })
      token = await harness.signInAtBluesky(network, alice, token)
    })
    after(async () => {
      delete process.env['TEST_IDENTITY_DIRECTORY']
      await network?.close()
      await dropDatabase?.()
    })

    const texts = async () =>
      (await harness.items('bluesky', 'posts', token)).map(({ data }) => (data['value'] as { text: string }).text)
    const messages = async () =>
      (await harness.items('bluesky', 'messages', token)).map(({ data }) => (data['message'] as { text: string }).text)
    async function syncAgain(): Promise<void> {
      const latestMs = latestOf(await harness.progress('bluesky', token))
      await network.settle()
      await harness.ask('POST', '/profiles/bluesky/sync', token)
      await harness.synced('bluesky', endpoints, token, latestMs)
    }
    const endpoints = endpointsOf('bluesky')

    test('posts, photos, likes, follows and feeds are stored, and a second sync changes nothing', async () => {
      await checkService('bluesky', endpoints)
      const types = (await harness.ask('GET', '/types?services=bluesky', token)) as Record<string, number>
      assert.ok((types['photos'] ?? 0) > 0 && (types['contacts'] ?? 0) > 0, JSON.stringify(types))
      assert.ok((await texts()).includes('Look'))
    })

    test('a new post or message appears after the next sync, and a deleted one disappears', async () => {
      const talk = await talkOf(alice, await network.createAccount('dave.test'))
      const post = await alice.agent.post({ text: 'Just now 🌱' })
      const said = await say(alice, talk, 'Hello Dave')
      await syncAgain()
      assert.ok((await texts()).includes('Just now 🌱'))
      assert.ok((await messages()).includes('Hello Dave'))
      await alice.agent.deletePost(post.uri)
      await deleteMessage(alice, talk, said)
      // Everything is listed once a week.
      await harness.tributary.sql(`update endpoint_sync set whole_at = 0 where whole_at is not null`)
      await syncAgain()
      assert.ok(!(await texts()).includes('Just now 🌱'))
      assert.ok(!(await messages()).includes('Hello Dave'))
      assert.ok((await messages()).includes('Answer 1 🙂'))
      assert.ok((await texts()).includes('Nothing but words'))
    })

    test('an expired token is refreshed with its DPoP key, and the sync continues', async () => {
      const old = await harness.tokenAt('bluesky', token)
      await harness.endToken('bluesky')
      await alice.agent.post({ text: 'After the refresh' })
      await syncAgain()
      assert.ok((await texts()).includes('After the refresh'))
      const renewed = await harness.tokenAt('bluesky', token)
      assert.ok(renewed !== '' && renewed !== old)
    })
  })
})

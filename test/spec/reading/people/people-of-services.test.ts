import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type LabHarness, startLabHarness } from '../../../harness/lab.ts'
import * as read from '../../../harness/read.ts'
import { get } from '../../../harness/send.ts'
import { signIn } from '../../../harness/sign-in.ts'
import { startTributary } from '../../../harness/start.ts'
import { synced } from '../../../harness/sync.ts'

interface Person {
  id: string
  name: string
  handles: string[]
  services: Record<string, { user: string; name: string; handle: string }[]>
  appearances: Record<string, Record<string, number>>
  items: (read.Item & { oembed: Record<string, unknown> })[]
}

let harness: LabHarness
let token: string
before(async () => {
  harness = await startLabHarness()
  ;({ access_token: token } = await signIn(harness, 'demo-social', 'ada'))
  await synced(harness, token, 'demo-social')
  // The timeline of the second service is long, and its items must not change while they are compared.
  await harness.tributary.admin('PUT', `/admin/apps/${harness.app.clientId}/sync`, { off: ['social'] })
  await signIn(harness, 'demo-micro', 'ada', { access_token: token, flag: 'dm' })
  await synced(harness, token, 'demo-micro', { endpoints: ['following', 'statuses', 'favourites', 'messages'] })
})
after(() => harness.stop())

const people = async (query = '') =>
  (await get(harness, `/people?limit=500${query}`, token)).body as unknown as Person[]

suite('people of two services', () => {
  test('are contacts that have the same handle and name at both', async () => {
    const [friends, following] = await Promise.all(
      ['/services/demo-social/friends', '/services/demo-micro/following'].map((path) =>
        read.items<read.Item & { map: { oembed: { handle: string; title: string } } }>(
          harness,
          `${path}?limit=1000&select=map.oembed`,
          token,
        ),
      ),
    )
    const names = (items = friends!) => items.map(({ map: { oembed } }) => `${oembed.handle} ${oembed.title}`)
    const [atSocial, atMicro] = [new Set(names()), new Set(names(following))]
    const inBoth = atSocial.intersection(atMicro)
    assert.ok(inBoth.size > 10)
    const list = await people()
    assert.equal(list.length, atSocial.union(atMicro).size)
    const joined = list.filter(({ services }) => Object.keys(services).length === 2)
    assert.deepEqual(new Set(joined.map(({ handles, name }) => `${handles[0]} ${name}`)), inBoth)
  })

  test('appear in the items of both, as authors and participants', async () => {
    const joined = (await people()).filter(({ services }) => Object.keys(services).length === 2)
    let [authored, total] = [0, 0]
    for (const { id, services } of joined.slice(0, 8)) {
      const users = Object.values(services).flatMap((contacts) => contacts.map(({ user }) => user))
      const items = await read.items<read.Item & { map: { participants: Record<string, { author?: true }> } }>(
        harness,
        `/people/${id}/items?limit=1000&map=true`,
        token,
      )
      for (const { map } of items) assert.ok(users.some((user) => map.participants[user] !== undefined))
      authored += items.filter(({ map }) => users.some((user) => map.participants[user]?.author === true)).length
      total += items.length
      const ids = new Set(items.map((item) => item.id))
      assert.equal(ids.size, items.length)
      // The same items as one search per service finds.
      const expected = new Set<string>()
      for (const [service, [contact]] of Object.entries(services))
        for (const type of ['all', 'all_feed'])
          for (const item of await read.items(
            harness,
            `/types/${type}?limit=1000&services=${service}&participants=${contact!.user}`,
            token,
          ))
            expected.add(item.id)
      assert.deepEqual(ids, expected)
    }
    assert.ok(authored > 0 && total > authored)
  })

  test('have the newest items of both, and their number', async () => {
    const found = (await people()).find(({ services }) => Object.keys(services).length === 2)!
    const person = (await get(harness, `/people/${found.id}`, token)).body as unknown as Person
    const items = await read.items(harness, `/people/${found.id}/items?limit=1000`, token)
    assert.deepEqual(person.items, items.slice(0, 20))
    const counted = Object.values(person.appearances).flatMap((types) => Object.values(types))
    const listed = items.flatMap(({ types }) => Object.keys(types).filter((name) => !name.endsWith('_feed')))
    assert.equal(
      counted.reduce((sum, n) => sum + n, 0),
      listed.length,
    )
  })

  test('go on after a restart: another process answers the next page', async () => {
    const first = await fetch(`${harness.tributary.url}/people?limit=10&access_token=${token}`)
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')![1]!
    const { databaseUrl, dataDir } = harness.tributary
    const other = await startTributary({ DATABASE_URL: databaseUrl, TRIBUTARY_DATA: dataDir })
    try {
      const path = next.slice(harness.tributary.url.length)
      const { status, body } = await get({ tributary: other }, path, token)
      assert.equal(status, 200)
      const expected = (await people()).slice(10, 20)
      assert.deepEqual(body, expected)
    } finally {
      await other.stop()
    }
  })
})

suite('media of two services', () => {
  test('photos lead to their file, contacts to their picture', async () => {
    const [photo] = await read.items<read.Item & { map: { media: string } }>(
      harness,
      '/types/photos?services=demo-social&limit=1&map=true',
      token,
    )
    const [friend] = await read.items<read.Item & { map: { photo: string } }>(
      harness,
      '/services/demo-social/friends?limit=1&map=true',
      token,
    )
    for (const [id, address] of [
      [photo!.id, photo!.map.media],
      [friend!.id, friend!.map.photo],
    ] as const) {
      const { status, headers } = await get(harness, `/id/${id}?media=true`, token)
      assert.deepEqual([status, headers.get('location')], [302, new URL(address).href])
    }
    const served = await fetch(`${harness.tributary.url}/id/${photo!.id}?media=true&access_token=${token}`)
    assert.deepEqual([served.status, served.headers.get('content-type')?.split('/')[0]], [200, 'image'])
  })
})

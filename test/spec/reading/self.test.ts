import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { globalId } from '#model/items/idr.ts'
import { type Item, type Profile, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

const DATA =
  '{"id":"ada","name":"Ada Marlowe","login":"ada-m","mail":"ada@people.test","big":12345678901234567890,"n":1}'
const sql = (text: string, values: unknown[]) => harness.tributary.sql(text, values)

/** A profile whose service sent this record of the person. */
async function newSelf(reader: Reader, owner = 'ada', data = DATA, service: Profile['service'] = 'library') {
  const profile = await harness.newProfile(reader, service, owner)
  const person = JSON.stringify({ name: 'Ada Marlowe', handle: 'ada-m', email: 'ada@people.test' })
  await sql('update profile set data = $2, self = $3 where id = $1', [profile.profileId, data, person])
  return profile
}

const idrOf = (owner: string, service = 'library') => `profile:${owner}@${service}/self#${owner}`
const idOf = (owner: string, service = 'library') =>
  globalId({ type: 'profile', owner, service, endpoint: 'self', item: owner })

/** Every address of a person's own record that returns one item. */
const addressesOf = (owner: string) => [
  '/profiles/library',
  `/profiles/${owner}@library`,
  `/services/library/self/${owner}`,
  `/services/${owner}@library/self/${owner}`,
  `/id/${idOf(owner)}`,
  `/id/${encodeURIComponent(idrOf(owner))}`,
  `/id/${encodeURIComponent(`profile:${owner}@library-alias/self#${owner}`)}`,
]

suite('a person’s own record is an item', () => {
  test('the same one at every address, as the service sent it', async () => {
    const reader = await harness.newReader()
    const profile = await newSelf(reader)
    const [{ at, updated } = { at: 0, updated: 0 }] = await harness.items('/services/library/self', reader)
    const [stored] = await sql('select connected_at from profile where id = $1', [profile.profileId])
    assert.deepEqual([at, updated], [Number(stored?.['connected_at']), Number(stored?.['connected_at'])])
    const text = `{"id":"${idOf('ada')}","idr":"${idrOf('ada')}","at":${at},"updated":${updated},"data":${DATA},"types":{"profile":true}}`
    for (const path of addressesOf('ada')) assert.equal((await harness.request(path, reader)).text, text, path)
    assert.equal((await harness.request('/services/library/self', reader)).text, `[${text}]`)
  })

  test('map, fields and select hold at every address', async () => {
    const reader = await harness.newReader()
    await newSelf(reader)
    for (const path of addressesOf('ada')) {
      const shown = async (query: string) => (await harness.request(`${path}?${query}`, reader)).body
      const { map, at } = (await shown('map=true')) as Item
      assert.deepEqual(
        map,
        {
          id: 'ada',
          name: 'Ada Marlowe',
          nickname: 'ada-m',
          email: 'ada@people.test',
          phone: null,
          at,
          participants: { ada: { author: true } },
        },
        path,
      )
      assert.deepEqual(await shown('fields=data.login,map.name,map.none'), {
        'data.login': 'ada-m',
        'map.name': 'Ada Marlowe',
        'map.none': null,
      })
      assert.deepEqual(await shown('select=data.n,types'), { data: { n: 1 }, types: { profile: true } })
      const refused = await harness.request(`${path}?fields=a..b`, reader)
      assert.deepEqual([refused.status, (refused.body as { reason: string }).reason], [400, 'bad_parameter'], path)
    }
  })

  test('has an ETag that changes with its content', async () => {
    const reader = await harness.newReader()
    const profile = await newSelf(reader)
    for (const path of addressesOf('ada')) {
      const etag = (await harness.request(path, reader)).headers.get('etag') ?? ''
      assert.match(etag, /^W\//)
      const conditional = () => harness.request(path, reader, { headers: { 'if-none-match': etag } })
      assert.equal((await conditional()).status, 304, path)
      const changed = DATA.replace(/"n":\d+/, `"n":${addressesOf('ada').indexOf(path) + 2}`)
      await sql('update profile set data = $2 where id = $1', [profile.profileId, changed])
      assert.equal((await conditional()).status, 200, path)
      assert.equal((await harness.request(path, reader)).headers.get('etag') === etag, false)
      await sql('update profile set data = $2 where id = $1', [profile.profileId, DATA])
    }
  })

  test('when the reader of the connector fails, only the normalised values are missing', async () => {
    const reader = await harness.newReader()
    await newSelf(reader, 'ada', 'null')
    const { body } = await harness.request('/profiles/library?map=true', reader)
    const { at, map } = body as Item
    assert.deepEqual(map, { id: 'ada', name: null, at, nickname: null, email: null, phone: null })
    assert.equal((body as { data: unknown }).data, null)
  })

  test('belongs to no type, and is counted at its service', async () => {
    const reader = await harness.newReader()
    const profile = await newSelf(reader)
    await newSelf(reader, 'ben')
    await harness.put(profile, [{ id: 'one', at: 1, types: ['photos'] }])
    assert.equal((await harness.items('/types/all', reader)).length, 1)
    const counts = (await harness.request('/services/library', reader)).body as Record<string, number>
    assert.equal(counts['self'], 2)
    const rich = (await harness.request('/services/ben@library?rich=true', reader)).body as Record<string, unknown>
    const [ben] = await harness.items('/services/ben@library/self', reader)
    assert.deepEqual(rich['self'], { count: 1, oldest: ben?.at, newest: ben?.at })
  })
})

suite('the list of own records', () => {
  const idrs = async (path: string, reader: Reader) => (await harness.items(path, reader)).map(({ idr }) => idr)

  test('has one for each profile, newest first; limit, sort, before and Link page them', async () => {
    const reader = await harness.newReader()
    const owners = ['ada', 'ben', 'cleo']
    for (const owner of owners) await newSelf(reader, owner)
    const all = await idrs('/services/library/self', reader)
    assert.deepEqual(
      all.toSorted(),
      owners.map((owner) => idrOf(owner)),
    )
    assert.deepEqual(await idrs('/services/library/self?sort=asc', reader), all.toReversed())
    assert.deepEqual(await idrs('/services/library/self?limit=0', reader), [])
    const walked: string[] = []
    for (let path = '/services/library/self?limit=2'; path !== ''; ) {
      const { body, headers } = await harness.request(path, reader)
      walked.push(...(body as Item[]).map(({ idr }) => idr))
      const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      path = next === undefined ? '' : new URL(next).pathname + new URL(next).search
    }
    assert.deepEqual(walked, all)
    const oldest = (await harness.items('/services/library/self', reader)).at(-1)
    assert.deepEqual(await idrs(`/services/library/self?until=${(oldest?.at ?? 0) - 1}`, reader), [])
    assert.deepEqual(await idrs(`/services/library/self?until=${oldest?.at}&limit=1`, reader), [oldest?.idr])
  })

  const QUESTIONS: [query: string, isFound: boolean][] = [
    ['q=marlowe', true],
    ['q=MARL*', true],
    ['q="ada marlowe"', true],
    ['q=ada-m', true],
    ['q=people.test', true],
    ['q=ada -marlowe', false],
    ['q=nobody', false],
    ['q=...', false],
    ['participants=self', true],
    ['participants=^ada', true],
    ['participants=ben', false],
    ['participants=>1', true],
    ['participants=>2', false],
    ['near=1,1', false],
    ['dedup=true', true],
    ['since=0', true],
    ['since=9000000000000', false],
  ]
  test('the other parameters of lists hold', async () => {
    const reader = await harness.newReader()
    await newSelf(reader)
    for (const [query, isFound] of QUESTIONS) {
      const path = `/services/library/self?${query.replaceAll(' ', '%20')}`
      assert.deepEqual(await idrs(path, reader), isFound ? [idrOf('ada')] : [], query)
    }
    const refused = await harness.request('/services/library/self?limit=x', reader)
    assert.equal(refused.status, 400)
  })
})

suite('own records of others', () => {
  test('of another account are not found, also where both have the same service user', async () => {
    const [ada, ben] = [await harness.newReader(), await harness.newReader()]
    await newSelf(ada, 'ada', '{"of":"ada’s account"}')
    await newSelf(ben, 'ben')
    for (const path of [
      `/id/${idOf('ada')}`,
      `/id/${encodeURIComponent(idrOf('ada'))}`,
      '/services/library/self/ada',
    ]) {
      const { status, body } = await harness.request(path, ben)
      assert.deepEqual([status, (body as { reason: string }).reason], [404, 'not_found'], path)
    }
    await newSelf(ben, 'ada', '{"of":"ben’s account"}')
    const { body } = await harness.request(`/id/${idOf('ada')}`, ben)
    assert.deepEqual((body as { data: unknown }).data, { of: 'ben’s account' })
  })

  test('a disconnected profile has none any more', async () => {
    const reader = await harness.newReader()
    await newSelf(reader)
    await newSelf(reader, 'ben', DATA, 'museum')
    assert.equal((await harness.request('/profiles/library', reader, { method: 'DELETE' })).status, 200)
    for (const path of addressesOf('ada')) assert.equal((await harness.request(path, reader)).status, 404, path)
    assert.equal((await harness.request('/services/library/self', reader)).status, 404)
  })

  test('after a merge with the same service user, there is one: of the profile that continues', async () => {
    const reader = await harness.newReader()
    const older = await newSelf(reader, 'ada', '{"of":"older"}')
    await sql('update profile set merged_into = $2 where id = $1', [older.profileId, older.profileId])
    const newer = await newSelf(reader, 'ada', '{"of":"newer"}')
    await sql('update profile set merged_into = $2 where id = $1', [older.profileId, newer.profileId])
    assert.deepEqual(
      (await harness.items('/services/library/self', reader)).map(({ data }) => data),
      [{ of: 'newer' }],
    )
    for (const path of addressesOf('ada'))
      assert.deepEqual(((await harness.request(path, reader)).body as { data: unknown }).data, { of: 'newer' }, path)
    assert.equal(((await harness.request('/services/library', reader)).body as { self: number }).self, 1)
  })

  test('an app’s own items may use the name: they are other items', async () => {
    const reader = await harness.newReader()
    await newSelf(reader)
    const body = '[{"id":"ada","text":"own"}]'
    const headers = { 'content-type': 'application/json' }
    assert.equal((await harness.request('/services/self/self', reader, { method: 'POST', body, headers })).status, 200)
    const [own] = await harness.items('/services/self/self', reader)
    assert.match(own?.idr ?? '', /^data:/)
    assert.notEqual(own?.id, idOf('ada'))
    assert.deepEqual((await harness.request('/services/self', reader)).body, { self: 1 })
    assert.equal((await harness.request('/services/self/self/ada', reader)).status, 200)
    assert.equal((await harness.items('/services/library/self', reader)).length, 1)
  })
})

test('an item that several profiles of a service have is read from the one connected last', async () => {
  const reader = await harness.newReader()
  const [first, second] = [
    await harness.newProfile(reader, 'library', 'z'),
    await harness.newProfile(reader, 'library', 'a'),
  ]
  for (const profile of [first, second])
    await harness.put(profile, [{ id: 'shared', at: 1, types: ['photos'], text: profile.owner }])
  let connectedAt = Date.now()
  const connectedLast = async ({ profileId }: Profile) => {
    connectedAt += 100_000
    await sql('update profile set connected_at = $2 where id = $1', [profileId, connectedAt])
    const { body } = await harness.request('/services/library/things/shared', reader)
    return (body as Item).data.text
  }
  assert.equal(await connectedLast(first), 'z')
  assert.equal(await connectedLast(second), 'a')
  assert.equal(await connectedLast(first), 'z')
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import * as fc from 'fast-check'
import { exportItems } from '#flows/read/export-items.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { statement } from '#platform/postgres/database.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { watchStatements } from '../../harness/database/statements.ts'
import { cases, seedOf } from '../../harness/effort.ts'
import { type ChangesHarness, startChangesHarness } from './changes/changes-fixture.ts'
import library from './connectors/library.ts'
import museum from './connectors/museum.ts'
import type { Item, Profile, Reader } from './fixture.ts'
import { ENDPOINTS, NOW_ISH, randomQuery, thing, toPath } from './random-queries.ts'
import type { Thing } from './thing.ts'

const SEED = seedOf('PROPERTY_SEED')
const QUESTIONS = cases(150, 'PROPERTY_RUNS')
const STORED_AT = NOW_ISH - 60_000
const revoke = statement('m-revoke', 'update access_token set revoked_at = 1 where shard = $1 and account_id = $2')

/** The people who are merged into one account; some of them connected the same service user. */
const CONNECTED: { service: Profile['service']; owner: string }[][] = [
  [
    { service: 'library', owner: 'ada' },
    { service: 'museum', owner: 'ada' },
  ],
  [
    { service: 'library', owner: 'ada' },
    { service: 'library', owner: 'ben' },
    { service: 'museum', owner: 'eve' },
  ],
  [
    { service: 'library', owner: 'ada' },
    { service: 'museum', owner: 'ada' },
    { service: 'library', owner: 'ben' },
  ],
]

let harness: ChangesHarness
/** The same items in an account of one shard, and in one of three. */
let [one, three]: Reader[] = []
let profilesOfThree: Profile[] = []
before(async () => {
  harness = await startChangesHarness()
  ;({ reader: one } = await makeAccount([7, 7, 7]))
  ;({ reader: three, profiles: profilesOfThree } = await makeAccount([11, 12, 14]))
})
after(() => harness.stop())

/** Three accounts in these shards, with the same items whatever the shards, merged into the first. */
async function makeAccount(shards: number[], size = 40): Promise<{ reader: Reader; profiles: Profile[] }> {
  const readers: Reader[] = []
  const profiles: Profile[] = []
  const lists = fc.sample(fc.array(thing, { minLength: 40, maxLength: 40 }), { seed: SEED, numRuns: 24 })
  for (const [n, shard] of shards.entries()) {
    const reader = await harness.newReader(shard)
    readers.push(reader)
    for (const { service, owner } of CONNECTED[n]!) {
      const profile = await harness.newProfile(reader, service, owner)
      await harness.tributary.sql(
        `update profile set connected_at = ${STORED_AT + profiles.length} where shard = ${shard} and id = '${profile.profileId}'`,
      )
      for (const [k, endpoint] of ENDPOINTS.entries())
        await harness.write(
          profile,
          lists[profiles.length * 3 + k]!.slice(0, size).map(withContact),
          endpoint,
          STORED_AT + 1000 * k,
        )
      profiles.push(profile)
    }
    const own = [0, 1, 2].map((k) => ({ id: `own ${k}`, at: 50_000 + 10 * n + k, type: 'photo', title: `sea ${n}` }))
    await harness.post(reader, own)
  }
  const [dest, ...sources] = readers
  for (const source of sources) await harness.merge(source, dest!)
  return { reader: dest!, profiles }
}

function withContact(record: Thing, n: number): Thing {
  return n % 4 === 0 ? { ...record, types: [...new Set([...(record.types ?? []), 'contacts' as const])] } : record
}

/** What a response shows of an item; the ids of own items contain the account. */
function shown({ id, idr, ...rest }: Item): unknown {
  return idr.includes('self/') || /@self/.test(idr) ? { own: rest.data, at: rest.at } : { id, idr, ...rest }
}

const accounts = () => [one!, three!]

/** The same request for both accounts; the responses must be equal. */
async function same(
  path: string,
  pick: (body: unknown, headers: Headers) => unknown = (body) => body,
): Promise<unknown> {
  const responses = await Promise.all(accounts().map((reader) => harness.request(path, reader)))
  for (const { status, text } of responses) assert.equal(status, 200, `${path}: ${text.slice(0, 500)}`)
  const [first, second] = responses.map(({ body, headers }) => pick(body, headers))
  assert.deepEqual(second, first, path)
  return first
}

const itemsOf = (body: unknown, headers: Headers) => ({
  items: (body as Item[]).map(shown),
  total: headers.get('x-total-count'),
})
const nextOf = (headers: Headers) => /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]

suite('an account with profiles in three shards', () => {
  test('is one after a merge', async () => {
    const account = await findAccountById(harness.tributary.store.database, three!.account.id)
    assert.deepEqual(
      account!.shards.toSorted((a, b) => a - b),
      [11, 12, 14],
    )
    const single = await findAccountById(harness.tributary.store.database, one!.account.id)
    assert.deepEqual(single!.shards, [7])
  })

  test(`lists, searches, sorts and counts what one of one shard does (seed ${SEED})`, async (t) => {
    t.diagnostic(`PROPERTY_SEED=${SEED}`)
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        randomQuery,
        fc.constantFrom('', `&updated_since=${STORED_AT + 1500}`, `&updated_since=${STORED_AT}`),
        fc.constantFrom('', '&count=true', '&map=true', '&copy_of=true', '&count=true&fields=id,idr,at,data'),
        async (query, changed, more) => {
          const path = `${toPath({ ...query, until: query.until ?? NOW_ISH })}${changed}${more}`
          const result = (await same(path, itemsOf)) as { items: unknown[] }
          found += result.items.length
        },
      ),
      { numRuns: QUESTIONS, seed: SEED },
    )
    assert.ok(found > QUESTIONS, `${found} items were found`)
  })

  test(`has the same pages at any limit, without loss or repetition (seed ${SEED})`, async () => {
    let pages = 0
    await fc.assert(
      fc.asyncProperty(randomQuery, fc.integer({ min: 4, max: 60 }), async (query, limit) => {
        const path = toPath({ ...query, until: NOW_ISH, before: undefined, limit })
        const lists = await Promise.all(
          accounts().map(async (reader) => {
            const list: unknown[] = []
            for (let next: string | undefined = path; next !== undefined; pages += 1) {
              const { status, headers, body } = await harness.request(next, reader)
              assert.equal(status, 200, path)
              list.push(...(body as Item[]).map(shown))
              const url = nextOf(headers)
              next = url && new URL(url).pathname + new URL(url).search
            }
            return list
          }),
        )
        assert.deepEqual(lists[1], lists[0], path)
        assert.equal(new Set(lists[1]!.map((item) => JSON.stringify(item))).size, lists[1]!.length, path)
      }),
      { numRuns: Math.ceil(QUESTIONS / 4), seed: SEED + 1 },
    )
    assert.ok(pages > QUESTIONS / 2, `${pages} pages were read`)
  })

  test('streams a response that is too large for the buffer, with and without dedup', async () => {
    for (const parameters of [
      '',
      '&dedup=true',
      '&copy_of=true',
      '&dedup=true&sort=asc',
      '&q=sea',
      '&count=true&dedup=true',
    ])
      for (const type of ['all', 'photos', 'contacts'])
        await same(`/types/${type}?limit=100000&until=${NOW_ISH}${parameters}`, itemsOf)
  })

  test('counts types and endpoints alike', async () => {
    for (const range of ['', '&since=1000', '&since=1000&until=1000', `&until=${NOW_ISH}&rich=true`])
      for (const path of [
        '/types',
        '/types?services=library',
        '/services/library',
        '/services/self',
        '/services/ada@museum',
      ])
        await same(`${path}${path.includes('?') ? '' : '?'}${range}`.replace('?&', '?'), withoutSelf)
  })

  test('finds items by id, IDR and native id', async () => {
    const listed = await harness.items('/types/all?limit=60', one!)
    for (const { id, idr, data } of listed.filter((item) => !item.idr.includes('self'))) {
      await same(`/id/${id}`, (body) => shown(body as Item))
      await same(`/id/${encodeURIComponent(idr)}`, (body) => shown(body as Item))
      await same(`/services/library/things/${data.id}`, (body) => shown(body as Item)).catch((error: unknown) => {
        // Not every item is of this endpoint.
        if (!String(error).includes('404')) throw error
      })
    }
    const own = await harness.items('/services/self/notes?limit=100', three!)
    assert.equal(own.length, 3)
    for (const { id } of own) assert.equal((await harness.request(`/id/${id}`, three!)).status, 200)
  })

  test('groups the same people, with the same appearances and items', async () => {
    const people = (await same('/people?limit=200&count=true', (body, headers) => ({
      people: body,
      total: headers.get('x-total-count'),
    }))) as { people: { id: string }[] }
    assert.ok(people.people.length > 3)
    for (const { id } of people.people.slice(0, 6)) {
      await same(`/people/${id}?limit=7`, (body) => {
        const { items, ...rest } = body as { items: Item[] }
        return { ...rest, items: items.map(shown) }
      })
      await same(`/people/${id}/items?limit=100000&count=true`, itemsOf)
      await same(`/people/${id}/items?limit=5&sort=asc`, itemsOf)
    }
  })

  test('has the same changes, whatever the size of the pages', async () => {
    const contents = async (reader: Reader, limit: number, filter: string) => {
      const entries: unknown[] = []
      for (let cursor = ''; ; ) {
        const { status, body, text } = await harness.request(`/changes?limit=${limit}${filter}${cursor}`, reader)
        assert.equal(status, 200, text)
        const page = body as { changes: { change: string; item?: Item }[]; cursor: string; more: boolean }
        entries.push(...page.changes.map(({ item, ...rest }) => (item === undefined ? rest : shown(item))))
        if (!page.more) return entries.map((entry) => JSON.stringify(entry)).sort()
        cursor = `&cursor=${encodeURIComponent(page.cursor)}`
      }
    }
    for (const filter of ['', '&types=photos', '&services=library'])
      for (const limit of [1000, 17]) {
        const [first, second] = await Promise.all(accounts().map((reader) => contents(reader, limit, filter)))
        assert.deepEqual(second, first)
        assert.ok(first!.length > 10, `only ${first!.length} changes`)
      }
  })

  test('exports each item once', async () => {
    const { database } = harness.tributary.store
    const registry = createRegistry([library, museum])
    const exported = async ({ account }: Reader) => {
      const items: Item[] = []
      const current = await findAccountById(database, account.id)
      for await (const batch of exportItems({ database, registry }, current!))
        items.push(...batch.map((text) => JSON.parse(text) as Item))
      return items.map((item) => JSON.stringify(shown(item))).sort()
    }
    const [first, second] = await Promise.all(accounts().map(exported))
    assert.deepEqual(second, first)
    assert.equal(new Set(second).size, second!.length)
  })

  test('shows an item that a sync adds to the other shard while a page is read', async () => {
    const [kept, , copied] = profilesOfThree
    assert.deepEqual([kept!.service, kept!.owner], [copied!.service, copied!.owner])
    const record: Thing = { id: 'late', at: NOW_ISH - 5, types: ['tracks'] }
    await harness.write(copied!, [record])
    const read = async () => (await harness.items('/types/tracks?limit=3', three!)).map(({ data }) => data.id)
    assert.equal((await read()).filter((id) => id === 'late').length, 1)
    // After the shard of the copy that takes precedence was read, and before the other copy is compared with it.
    const { database } = harness.tributary.store
    const rows = database.rows.bind(database)
    let isPut = false
    database.rows = async (each, values = each.values ?? []) => {
      if (each.name === 'item-existing-ids' && !isPut) {
        isPut = true
        await harness.write(kept!, [record])
      }
      return rows(each, values)
    }
    const found = await read().finally(() => {
      database.rows = rows
    })
    assert.ok(isPut, 'the other copy was written meanwhile')
    assert.equal(found.filter((id) => id === 'late').length, 1)
  })
})

/** Own records are counted by the time of their profile's id, which differs. */
function withoutSelf(body: unknown): unknown {
  const { self: _, ...rest } = body as Record<string, unknown>
  return JSON.parse(JSON.stringify(rest, (name, value: unknown) => (name === 'last_sync' ? undefined : value)))
}

suite('the token of an account in three shards', () => {
  for (const path of [
    '/types/photos',
    '/types/photos?q=sea',
    '/types/all?dedup=true',
    '/types/all?copy_of=true',
    '/types/all?link=https://x.test/1',
    '/services/library/things',
    '/changes',
  ])
    test(`returns 401 at once when it is revoked: ${path}`, async () => {
      const { reader } = await makeAccount([21, 22, 24], 2)
      for (let n = 0; n < 2; n += 1) assert.equal((await harness.request(path, reader)).status, 200)
      await harness.tributary.store.database.count(revoke, [reader.account.shard, reader.account.id])
      assert.equal((await harness.request(path, reader)).status, 401)
    })

  test('is verified after everything of a later batch was read', async () => {
    const { reader, profiles } = await makeAccount([31, 32, 34], 2)
    for (const [n, profile] of profiles.entries())
      await harness.write(
        profile,
        Array.from({ length: 60 }, (_, k) => ({
          id: `large ${k}`,
          at: 5000 + 10 * k + n,
          types: ['events' as const],
          filling: 'x'.repeat(20_000),
        })),
      )
    const { database } = harness.tributary.store
    const order: string[] = []
    const stop = watchStatements(database, ({ name, text }) => {
      order.push(name === 'token-find' ? 'token' : text.includes('from item i') ? 'items' : 'other')
      return undefined
    })
    await harness.request('/types/events?limit=100000', reader).finally(stop)
    const reads = order.filter((each) => each !== 'other')
    assert.equal(reads[0], 'token')
    assert.equal(reads.at(-1), 'token')
    assert.ok(reads.filter((each) => each === 'token').length > 2, 'every later batch is verified')
  })
})

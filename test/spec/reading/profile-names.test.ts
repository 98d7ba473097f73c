import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { profileName } from '#model/accounts/profile-name.ts'
import { parseIdr } from '#model/items/idr.ts'
import { scheduleProfile } from '#store/sync/schedule.ts'
import { tributary } from '../../harness/command-line.ts'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

/** Everything with a meaning in a name, in an address or in percent-encoding; a lone surrogate is stored as U+FFFD. */
const ODD = 'b@x/%41 é?#+'
const HALF = 'half\ud800'
const PEOPLE = [
  ['library', 'ada'],
  ['library', ODD],
  ['library', HALF],
  ['museum', 'ada'],
] as const

let harness: ReadingHarness
let reader: Reader
before(async () => {
  harness = await startReadingHarness()
  reader = await newReader()
})
after(() => harness.stop())

/** A person with profiles that no worker runs, and in each one item that names its profile. */
async function newReader(): Promise<Reader> {
  const made = await harness.newReader()
  const later = Date.now() + 86_400_000
  for (const [service, owner] of PEOPLE) {
    const profile = await harness.newProfile(made, service, owner)
    await harness.put(profile, [{ id: `${service} ${owner}`, types: ['photos'] }])
    const { shard, profileId } = profile
    await harness.tributary.store.database.transaction((tx) =>
      scheduleProfile(tx, { shard, profileId, appId: harness.appId, service, readerVersion: 0 }, [], later),
    )
  }
  return made
}

const named = (service: string, owner: string) => `${owner.toWellFormed()} at ${service}`
const ownerOf = ({ idr }: Pick<Item, 'idr'>) => {
  const { service, owner } = parseIdr(idr)!
  return named(service, owner!)
}
const ownersIn = ({ status, body }: { status: number; body: unknown }) =>
  status === 200 ? (body as Item[]).map(ownerOf).toSorted() : []

type Reply = { names: string[] } | { any: boolean } | { count: number }

/** What each reader of profile names finds: the names, their number, or whether there is any. */
const CALLERS: Record<string, (name: string) => Promise<Reply>> = {
  'GET /services/:service/:endpoint': async (name) => ({
    names: ownersIn(await harness.request(`/services/${encodeURIComponent(name)}/things`, reader)),
  }),
  'GET /services/:service': async (name) => ({
    any: (await harness.request(`/services/${encodeURIComponent(name)}`, reader)).status === 200,
  }),
  'GET /types/photos?services=': async (name) => ({
    names: ownersIn(await harness.request(`/types/photos?services=${encodeURIComponent(name)}`, reader)),
  }),
  'GET /profiles/:profile': async (name) => {
    const { status, body } = await harness.request(`/profiles/${encodeURIComponent(name)}`, reader)
    if (status === 200) assert.ok((await found(name)).includes(ownerOf(body as Item)), name)
    return { any: status === 200 }
  },
  'GET /profiles/:profile/sync': async (name) => ({
    any: (await harness.request(`/profiles/${encodeURIComponent(name)}/sync`, reader)).status === 200,
  }),
  // The app has no keys for these services, which the proxy reports once it has found the profile.
  'GET /proxy/:service/': async (name) => {
    const { body } = await harness.request(`/proxy/${encodeURIComponent(name)}/me`, reader)
    return { any: (body as { reason: string }).reason === 'no_service_keys' }
  },
  'the filter of a destination': async (name) => ({ count: await countPushed(`/services/${name}/things`) }),
  'the services of a filter': async (name) => ({
    count: await countPushed(`/types/photos?services=${encodeURIComponent(name)}`),
  }),
  'GET /usage?profile=': async (name) => {
    const query = new URLSearchParams({ account: reader.account.id, profile: name }).toString()
    const { body } = await askAsApp('GET', `/usage?${query}`)
    return { count: (body['profiles'] as unknown[] | undefined)?.length ?? 0 }
  },
}

async function found(name: string): Promise<string[]> {
  return ownersIn(await harness.request(`/services/${encodeURIComponent(name)}/things`, reader))
}

async function askAsApp(method: string, path: string, body?: unknown) {
  const response = await fetch(harness.tributary.url + path, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${harness.appId}:${harness.appSecret}`).toString('base64')}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function countPushed(path: string): Promise<number> {
  const url = 'https://app.test/hook'
  const made = await askAsApp('POST', '/push', { name: 'P', kind: 'webhook', url, filter: [path], schedule: 'manual' })
  if (made.status === 400 && String(made.body['error']).startsWith('filter: ')) return 0
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const tried = await askAsApp('POST', `/push/${String(made.body['id'])}/test`, {})
  await askAsApp('DELETE', `/push/${String(made.body['id'])}`)
  return (tried.body['matches'] as { items: number }).items
}

const LIBRARY = [named('library', 'ada'), named('library', ODD), named('library', HALF)]
/** Each name, and the profiles it matches. */
const NAMES: [name: string, means: string[]][] = [
  ['library', LIBRARY],
  ['library-alias', LIBRARY],
  ['museum', [named('museum', 'ada')]],
  ['museum-alias', [named('museum', 'ada')]],
  ['ada@library', [named('library', 'ada')]],
  ['ada@library-alias', [named('library', 'ada')]],
  ['a%64a@library', [named('library', 'ada')]],
  [profileName({ nativeId: ODD, service: 'library' }), [named('library', ODD)]],
  [profileName({ nativeId: ODD, service: 'library-alias' }), [named('library', ODD)]],
  [profileName({ nativeId: HALF, service: 'library' }), [named('library', HALF)]],
  [profileName({ nativeId: HALF, service: 'library-alias' }), [named('library', HALF)]],
  [profileName({ nativeId: ODD, service: 'museum' }), []],
  ['Library', []],
  ['librar', []],
  ['da@library', []],
  ['@library', []],
  ['ada@', []],
  ['%zz@library', []],
  ['nobody', []],
  ['ada@nobody', []],
]

suite('a profile name matches the same profiles everywhere', () => {
  for (const [name, means] of NAMES)
    test(name, async () => {
      for (const [caller, request] of Object.entries(CALLERS)) {
        const response = await request(name)
        const expected =
          'names' in response
            ? { names: means.toSorted() }
            : 'count' in response
              ? { count: means.length }
              : { any: means.length > 0 }
        assert.deepEqual(response, expected, caller)
      }
    })

  test('a filter with a lone surrogate matches its replacement', async () => {
    assert.equal(await countPushed(`/services/${HALF}@library/things`), 1)
  })

  test('commands accept the same names, and report an unknown account in the same words', async () => {
    const { databaseUrl, dataDir } = harness.tributary
    const env = {
      DATABASE_URL: databaseUrl,
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors'),
    }
    const { id } = reader.account
    for (const name of ['library-alias', profileName({ nativeId: ODD, service: 'library-alias' })]) {
      const ended = await tributary(['sync', id, name, '--status', '--json'], env)
      assert.deepEqual([ended.code, JSON.parse(ended.stdout)], [0, {}], ended.stderr)
    }
    assert.match((await tributary(['sync', id, 'nobody', '--status'], env)).stderr, /no profile of this service/)
    const nobody = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    for (const account of [nobody, 'nonsense'])
      for (const command of [
        ['sync', account, 'library'],
        ['profiles', account],
        ['erase', account, '--yes'],
      ]) {
        const { code, stderr } = await tributary(command, env)
        assert.equal(code, 4, stderr)
        assert.ok(stderr.includes(`There is no account ${account}.`), stderr)
      }
  })

  test('of several profiles at a service, the one connected last is shown', async () => {
    const own = await harness.newReader()
    await harness.newProfile(own, 'library', 'first')
    const { profileId } = await harness.newProfile(own, 'library', 'second')
    await harness.tributary.store.database.rows(
      { name: '', text: 'update profile set connected_at = connected_at + 1000 where id = $1' },
      [profileId],
    )
    for (const name of ['library', 'library-alias'])
      assert.equal(ownerOf((await harness.request(`/profiles/${name}`, own)).body as Item), named('library', 'second'))
  })

  for (const [name, means] of NAMES)
    test(`DELETE ${name}`, async () => {
      const own = await newReader()
      const { status, body } = await harness.request(`/profiles/${encodeURIComponent(name)}`, own, { method: 'DELETE' })
      assert.equal(status, means.length > 0 ? 200 : 404)
      if (status === 200) assert.equal((body as { deleted: unknown[] }).deleted.length, means.length)
      const left = ownersIn(await harness.request('/types/photos', own))
      const all = PEOPLE.map(([service, owner]) => named(service, owner))
      assert.deepEqual(left, all.filter((each) => !means.includes(each)).toSorted())
      await harness.request('/profiles', own, { method: 'DELETE' })
    })
})

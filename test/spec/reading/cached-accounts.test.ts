import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { HttpRequest } from '#http/exchange/request.ts'
import { createAccounts } from '#http/server/cached-accounts.ts'
import { createTokenUses } from '#identity/token-uses.ts'
import type { VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { statement } from '#platform/postgres/database.ts'
import { watchStatements } from '../../harness/database/statements.ts'
import { type Profile, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

// Changes as another process makes them, without the knowledge of this one.
const revoke = statement('r-revoke', 'update access_token set revoked_at = 1 where shard = $1 and account_id = $2')
const merge = statement('r-merge', 'update account set merged_into = id where shard = $1 and id = $2')
const disconnect = statement('r-disconnect', 'delete from profile where shard = $1 and id = $2')
const fold = statement('r-fold', 'update profile set merged_into = $3 where shard = $1 and id = $2')

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

/** A person with one photo whose account is already cached. */
async function newCachedReader(): Promise<{ reader: Reader; profile: Profile }> {
  const reader = await harness.newReader()
  const profile = await harness.newProfile(reader)
  await harness.put(profile, [{ id: 'first', at: 1, types: ['photos'] }])
  for (let i = 0; i < 2; i += 1) assert.deepEqual(await shown(reader), ['first'])
  return { reader, profile }
}

const shown = async (reader: Reader, path = '/types/photos') =>
  (await harness.items(path, reader)).map(({ data }) => data.id)
const change = (what: ReturnType<typeof statement>, values: unknown[]) =>
  harness.tributary.store.database.count(what, values)

/** How many statements name the account, its token or its profile during a read. */
async function statementsOf(reader: Reader, { profileId }: Profile): Promise<number> {
  const { account, token } = reader
  const { database, hasher } = harness.tributary.store
  const names = [account.id, profileId, hasher.hash('access_token', token)].map((name) => JSON.stringify(name))
  let found = 0
  const end = watchStatements(database, (_, values) => {
    const spelled = JSON.stringify(values)
    if (names.some((name) => spelled.includes(name))) found += 1
    return undefined
  })
  assert.deepEqual(await shown(reader).finally(end), ['first'])
  return found
}

suite('a cached account', () => {
  test('is checked in the statement that reads', async () => {
    const { reader, profile } = await newCachedReader()
    const stranger = await harness.newReader()
    const foreign = await harness.newProfile(stranger)
    await harness.put(foreign, [{ id: 'first', at: 1, types: ['photos'] }])
    assert.equal(await statementsOf(reader, profile), 1)
    assert.ok((await statementsOf(stranger, foreign)) > 1, 'an uncached account is looked up first')
  })

  for (const path of [
    '/types/photos',
    '/types/tracks',
    '/types/photos?q=neverwritten',
    '/types/photos?near=1,1',
    '/types/photos?limit=0',
    '/types/photos?q=%2A',
    '/types/photos?dedup=true',
    '/types/photos?services=museum',
    '/services/library/things',
    '/services/museum/things',
    '/services/library/nowhere',
    '/types/photos?limit=many',
  ])
    test(`a revoked token returns 401 at once: ${path}`, async () => {
      const { reader } = await newCachedReader()
      const before = await harness.request(path, reader)
      assert.notEqual(before.status, 401)
      assert.deepEqual((await harness.request(path, reader)).status, before.status)
      await change(revoke, [reader.account.shard, reader.account.id])
      const { status, body } = await harness.request(path, reader)
      assert.equal(status, 401)
      assert.equal((body as { reason: string }).reason, 'token_invalid')
    })

  test('the token of a merged account returns 401 at once', async () => {
    const { reader } = await newCachedReader()
    await change(merge, [reader.account.shard, reader.account.id])
    assert.equal((await harness.request('/types/photos', reader)).status, 401)
  })

  test('a new profile is shown at once', async () => {
    const { reader } = await newCachedReader()
    const second = await harness.newProfile(reader, 'museum', 'bob')
    await harness.put(second, [{ id: 'second', at: 2, types: ['photos'] }])
    assert.deepEqual(await shown(reader), ['second', 'first'])
  })

  test('a disconnected profile is hidden at once', async () => {
    const { reader, profile } = await newCachedReader()
    await change(disconnect, [profile.shard, profile.profileId])
    assert.deepEqual(await shown(reader), [])
    assert.equal((await harness.request('/services/library/things', reader)).status, 404)
  })

  test('is reloaded when only the order of its profiles changed, which decides between two copies of an item', async () => {
    const { reader, profile } = await newCachedReader()
    await change(fold, [profile.shard, profile.profileId, 'twin'])
    const duplicate = await harness.newProfile(reader, 'library', 'ada')
    await harness.put(duplicate, [{ id: 'first', at: 5, types: ['photos'] }])
    const at = async () => (await harness.items('/types/photos', reader)).map((item) => item.at)
    for (let i = 0; i < 2; i += 1) assert.deepEqual(await at(), [5])
    await change(fold, [duplicate.shard, duplicate.profileId, profile.profileId])
    await change(fold, [profile.shard, profile.profileId, null])
    assert.deepEqual(await at(), [1])
  })

  test('is loaded again after a refusal, and the route runs again only when the account changed', async () => {
    const { reader } = await newCachedReader()
    const accounts = createAccounts({
      ...harness.tributary.store,
      tokenUses: createTokenUses(harness.tributary.store),
      adminToken: undefined,
      config: { baseUrl: harness.tributary.url },
    })
    const request = { query: {}, headers: { authorization: `Bearer ${reader.token}` } } as HttpRequest
    const runs: VerifiedOrCachedAccount[] = []
    const refuse = () =>
      accounts.read(request, async (account) => {
        runs.push(account)
        throw new ApiError('not_found')
      })
    const cached = () => runs.splice(0).map((account) => 'cached' in account)
    try {
      await assert.rejects(refuse(), { reason: 'not_found' })
      assert.deepEqual(cached(), [false])
      await assert.rejects(refuse(), { reason: 'not_found' })
      assert.deepEqual(cached(), [true])
      await harness.newProfile(reader, 'museum', 'bob')
      await assert.rejects(refuse(), { reason: 'not_found' })
      assert.deepEqual(cached(), [true, false])
      await change(revoke, [reader.account.shard, reader.account.id])
      await assert.rejects(refuse(), { reason: 'token_invalid' })
      assert.deepEqual(cached(), [true])
    } finally {
      accounts.clear()
    }
  })
})

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IdentityDeps } from '#identity/deps.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { countProfiles } from '../../harness/profiles.ts'
import { get, send } from '../../harness/send.ts'
import { assertRefused, auditOf, openFlows, startQuietHarness } from '../sign-in/fixture.ts'
import { makeAccount } from './made-accounts.ts'

let harness: LabHarness
let flows: { deps: IdentityDeps; close: () => Promise<void> }
let app: LabApp
before(async () => {
  harness = await startQuietHarness()
  flows = await openFlows(harness)
})
beforeEach(async () => {
  app = await harness.makeApp({ services: ['demo-social'] })
})
afterEach(() => assertNoOrphans())
after(async () => {
  await flows.close()
  await harness.stop()
})

const make = (...nativeIds: string[]) => makeAccount(flows.deps, app.clientId, nativeIds)
const merge = (source: { token: string }, dest: { token: string }) =>
  send(harness, 'POST', '/auth/merge', { form: { source: source.token, dest: dest.token } })
const membersOf = async ({ token }: { token: string }): Promise<string[] | number> => {
  const { status, body } = await get(harness, '/profiles', token)
  return status === 200 ? ((body['demo-social'] ?? []) as string[]).toSorted() : status
}

type Made = Awaited<ReturnType<typeof make>>

/** Runs a few at a time. */
async function eachOf<Thing>(things: Thing[], work: (thing: Thing, at: number) => Promise<void>): Promise<void> {
  const waiting = [...things.entries()]
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next[1], next[0])
  }
  await Promise.all(Array.from({ length: 5 }, worker))
}

interface ProfileRow {
  shard: number
  id: string
  account_id: string
  merged_into: string | null
}

/**
 * Every profile belongs to a live account and has its credential; every merged one belongs to a profile of its
 * account.
 */
async function assertNoOrphans(): Promise<void> {
  const profiles = await harness.sql<ProfileRow>(
    'select shard, id, account_id, merged_into from profile where app_id = $1',
    [app.clientId],
  )
  const accounts = await harness.sql<{ id: string; shards: number[]; merged_into: string | null }>(
    'select id, shards, merged_into from account where app_id = $1',
    [app.clientId],
  )
  const lost = profiles.filter(({ account_id, shard }) => {
    const account = accounts.find(({ id }) => id === account_id)
    return account === undefined || account.merged_into !== null || !account.shards.includes(shard)
  })
  assert.deepEqual(lost, [], 'profiles without a living account')
  const bare = await harness.sql(
    `select p.id from profile p left join credential c on c.shard = p.shard and c.profile_id = p.id
     where p.app_id = $1 and (c.profile_id is null) = (p.merged_into is null)`,
    [app.clientId],
  )
  assert.deepEqual(bare, [], 'profiles without a credential, or merged ones with one')
  const adrift = profiles.filter(({ account_id, merged_into }) => {
    const shown = profiles.find(({ id }) => id === merged_into)
    return merged_into !== null && (shown?.account_id !== account_id || shown.merged_into !== null)
  })
  assert.deepEqual(adrift, [], 'merged profiles whose profile is not visible')
}

suite('S24 merges', () => {
  test('with itself, across apps, of a deleted account, and repeated are refused', async () => {
    const [a, b] = [await make('1'), await make('2')]
    assertRefused(await merge(a, a), 400, 'same_account')
    const foreign = await makeAccount(flows.deps, (await harness.makeApp({ services: [] })).clientId, ['9'])
    assertRefused(await merge(foreign, a), 403, 'other_app')
    assertRefused(await merge(a, foreign), 403, 'other_app')
    assert.equal((await merge(a, b)).status, 200)
    assertRefused(await merge(a, b), 401, 'token_invalid')
    assertRefused(await merge(b, a), 401, 'token_invalid')
    assert.deepEqual(await membersOf(b), ['1', '2'])
    assert.deepEqual(await membersOf(foreign), ['9'])
  })

  test('twenty concurrent identical merges: one succeeds', async () => {
    const [a, b] = [await make('1', '2'), await make('3')]
    const responses = await Promise.all(Array.from({ length: 20 }, () => merge(a, b)))
    assert.equal(responses.filter(({ status }) => status === 200).length, 1)
    assert.equal(responses.filter(({ status }) => status === 401).length, 19)
    assert.deepEqual(await membersOf(b), ['1', '2', '3'])
    const entries = (await auditOf(harness, 'account.merge')).filter(({ app_id: id }) => id === app.clientId)
    assert.equal(entries.length, 1)
  })

  test('a chain ends in the last account', async () => {
    const [a, b, c] = [await make('1'), await make('2'), await make('3')]
    assert.equal((await merge(a, b)).status, 200)
    assert.equal((await merge(b, c)).status, 200)
    assert.deepEqual(await membersOf(c), ['1', '2', '3'])
    assert.deepEqual([await membersOf(a), await membersOf(b)], [401, 401])
  })

  test('a concurrent chain loses nothing, in any order', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b, c] = [await make(`1-${round}`), await make(`2-${round}`), await make(`3-${round}`)]
      await Promise.all([merge(a, b), merge(b, c)])
      const seen = [await membersOf(a), await membersOf(b), await membersOf(c)]
      assert.deepEqual(seen.flatMap((each) => (Array.isArray(each) ? each : [])).toSorted(), [
        `1-${round}`,
        `2-${round}`,
        `3-${round}`,
      ])
    }
  })

  test('both directions at once: one succeeds, the other account is deleted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [await make(`1-${round}`), await make(`2-${round}`)]
      const responses = await Promise.all([merge(a, b), merge(b, a)])
      assert.deepEqual(
        responses.map(({ status }) => status).toSorted((one, other) => one - other),
        [200, 401],
      )
      const seen = [await membersOf(a), await membersOf(b)]
      assert.ok(seen.includes(401))
      assert.deepEqual(seen.find(Array.isArray), [`1-${round}`, `2-${round}`])
    }
  })

  test('accounts with the same service users: each is shown once, the others are merged into it', async () => {
    const accounts = []
    for (let i = 0; i < 4; i += 1) accounts.push(await make('x', 'y', `own-${i}`))
    const [first, ...others] = accounts
    await Promise.all(others.map((each) => merge(each, first!)))
    assert.deepEqual(await membersOf(first!), ['own-0', 'own-1', 'own-2', 'own-3', 'x', 'y'])
    assert.equal(await countProfiles(harness.sql, { account: first!.id }), 12, 'the merged ones keep their items')
  })

  test('a token of the source used during the merge sees all or nothing', async () => {
    const [a, b] = [await make('1', '2', '3'), await make('4')]
    const reads = Promise.all(Array.from({ length: 30 }, () => Promise.all([membersOf(a), membersOf(b)])))
    await merge(a, b)
    for (const [source, dest] of await reads) {
      assert.ok(Array.isArray(source) ? [0, 3].includes(source.length) : source === 401, String(source))
      assert.ok(Array.isArray(dest) && (dest.length === 1 || dest.length === 4), String(dest))
    }
  })

  test('a hundred merges while database connections are cut: every profile exists once, every account is whole or deleted', async () => {
    const pairs: [Made, Made][] = []
    await eachOf(Array.from({ length: 100 }), async (_, i) => {
      pairs[i] = [await make(`s${i}`, 'shared'), await make(`d${i}`, 'shared')]
    })
    let cut = 0
    const merging = { over: false }
    const saboteur = (async () => {
      while (!merging.over) {
        const killed = await harness.sql(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'tributary'
           and (state = 'idle in transaction' or (state = 'active' and xact_start is not null)) order by random() limit 1`,
        )
        cut += killed.length
        // A pause, so that some merges succeed between two cuts. No assertion depends on its length.
        await sleep(15)
      }
    })()
    const statuses: number[] = []
    await eachOf(pairs, async (pair) => {
      statuses.push((await merge(...pair)).status)
    })
    merging.over = true
    await saboteur
    assert.ok(cut > 0, 'connections were cut')
    assert.ok(
      statuses.every((status) => [200, 401, 503].includes(status)),
      [...new Set(statuses)].join(),
    )
    let whole = 0
    await eachOf(pairs, async ([source, dest], i) => {
      const seen = [await membersOf(source), await membersOf(dest)]
      if (seen[0] !== 401) {
        whole += 1
        assert.deepEqual(
          seen,
          [
            [`s${i}`, 'shared'],
            [`d${i}`, 'shared'],
          ],
          `pair ${i} is as it was`,
        )
        assert.equal((await merge(source, dest)).status, 200, 'and can be merged now')
      }
      assert.deepEqual(await membersOf(dest), [`d${i}`, `s${i}`, 'shared'].toSorted())
    })
    assert.equal(await countProfiles(harness.sql, { app: app.clientId }), 400)
    process.stdout.write(`# ${cut} connections cut, ${whole} merges undone by it\n`)
  })
})

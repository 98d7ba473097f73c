import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { storeOwnItems } from '#flows/sync/own-items/store-own-items.ts'
import { newShardId } from '#platform/crypto/ids.ts'
import { insertAccount } from '#store/identity/accounts.ts'
import { ASK_ITEMS, ASK_PROFILES, faultsOf, judgeTables, NO_FAULTS, type TableRow } from '../chaos/push-compare.ts'
import { openPushFixture, type PushFixture } from '../chaos/push-kills.ts'
import { type ClientDatabase, clientDatabase } from '../harness/database/client-database.ts'
import { until } from '../harness/until.ts'

/** BACKFILL_ROWS=1000000 BACKFILL_KILLS=20 is the long form. */
const ROWS = Number(process.env['BACKFILL_ROWS'] ?? 8000)
const KILLS = Number(process.env['BACKFILL_KILLS'] ?? 3)
const PEOPLE = 2

let fixture: PushFixture
let target: ClientDatabase
before(async () => {
  fixture = await openPushFixture()
  target = await clientDatabase()
})
after(async () => {
  await fixture?.close()
  await target?.drop()
})

async function newAccount(shard: number) {
  const account = {
    shard,
    id: newShardId(shard, Date.now()),
    appId: fixture.appId,
    shards: [shard],
    createdAt: Date.now(),
  }
  await insertAccount(fixture.deps.database, account)
  return account
}

/** How far the destination has stored each profile. */
async function places(): Promise<Map<string, number>> {
  const [made] = await target.sql<{ there: boolean }>(`select to_regclass('tributary_checkpoint') is not null as there`)
  if (made?.there !== true) return new Map()
  const rows = await target.sql<{ profile_id: string; seq: number }>(
    'select profile_id, seq::int as seq from tributary_checkpoint',
  )
  return new Map(rows.map(({ profile_id, seq }) => [profile_id, seq]))
}

const total = (all: Map<string, number>) => [...all.values()].reduce((sum, each) => sum + each, 0)

test(`P08 a backfill of ${ROWS} rows resumes after each of ${KILLS} kills while items change: no gap, no stale row`, async () => {
  const people = await Promise.all(Array.from({ length: PEOPLE }, (_, i) => newAccount(i + 1)))
  let v = 0
  const put = (i: number, ids: number[]) =>
    storeOwnItems(
      fixture.deps,
      people[i]!,
      'things',
      ids.map((id) => ({ id: `n${id}`, v: (v += 1), text: 'x'.repeat(100) })),
    )
  for (let at = 0; at < ROWS / PEOPLE; at += 1000)
    for (let i = 0; i < PEOPLE; i += 1)
      await put(
        i,
        Array.from({ length: Math.min(1000, ROWS / PEOPLE - at) }, (_, n) => at + n),
      )
  await fixture.add({ kind: 'postgres', url: target.url })

  const stop = new AbortController()
  const writer = (async () => {
    while (!stop.signal.aborted) {
      const ids = Array.from({ length: 10 }, () => Math.floor((Math.random() * ROWS) / PEOPLE))
      await put(Math.floor(Math.random() * PEOPLE), [...new Set(ids)])
      // Limits the rate of changes, so that the deliveries can catch up.
      await sleep(10)
    }
  })()
  const killed: number[] = []
  while (killed.length < KILLS) {
    const before = total(await places())
    const { child } = fixture.startWorker()
    await until('it delivers', async () => total(await places()) > before)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    killed.push(Date.now())
  }
  const reached = total(await places())
  fixture.startWorker()
  await until('more is there', async () => total(await places()) > reached)
  stop.abort()
  await writer
  await fixture.drained(60_000 + ROWS)

  // Sequence numbers of one profile only grow: no batch before the last acknowledged one, or the one in flight, is sent
  // again.
  const tried = await fixture.deps.database.rows<{ profile_id: string; at: number; first_seq: number }>({
    name: '',
    text: 'select profile_id, at, first_seq from delivery where first_seq is not null order by id',
  })
  const begun = new Map<string, number>()
  for (const { profile_id: profile, first_seq: first } of tried) {
    const before = begun.get(profile) ?? 0
    assert.ok(first >= before, `it was at ${before}, and began again at ${first}`)
    begun.set(profile, first)
  }
  // Before the kills nothing may be recorded: a worker that dies right after the destination's commit records no
  // progress.
  assert.ok(tried.some(({ at }) => at > killed.at(-1)!))
  const rows = await target.sql<TableRow>(ASK_ITEMS(`data ->> 'v'`))
  const profiles = await target.sql<{ id: string; account_id: string }>(ASK_PROFILES)
  assert.equal(rows.length, ROWS)
  assert.deepEqual(faultsOf(judgeTables(await fixture.stored(), rows, profiles, 0)), NO_FAULTS)
})

import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { recordInFeed } from '#flows/push/deliver/record-in-feed.ts'
import { newShardId } from '#platform/crypto/ids.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { migrate } from '#store/migrate.ts'
import { appendToFeed, feedEntries, feedState, insertFeed } from '#store/push/feed.ts'
import { cursorTaker } from '#store/push/take-cursor.ts'
import { type Opened, openPrepared } from '../../../store/opened.ts'

const FEED = 'dst_feed'
const NOW = 1_000_000
const LEASE_MS = 30_000
const CHANGES = 3

let opened: Opened
let ids: string[]
const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  opened.database.rows<Row>({ name: '', text }, values)

beforeEach(async () => {
  opened = await openPrepared()
  await migrate(opened.database, 1)
  await sql(
    `insert into app (id, name, redirect_uris, token_flow, created_at) values ('app_feed', 'Feed', '{}', false, 0)`,
  )
  await sql(
    `insert into destination (id, app_id, name, kind, sealed, filter, schedule, options, wants_events, state, fails,
       next_attempt_at, created_at, updated_at)
     values ($1, 'app_feed', 'd', 'feed', '', '{}', 'on_change', '{}', false, 'active', 0, 0, 0, 5)`,
    [FEED],
  )
  await insertFeed(opened.database, FEED, NOW)
  ids = Array.from({ length: 60 }, (_, n) => newShardId(n % 7, NOW))
  for (const [n, id] of ids.entries()) {
    await sql(
      `insert into profile (shard, id, account_id, app_id, service, native_id, state, self, data, connected_at)
       values ($1, $2, $2, 'app_feed', 'shop', 'u', 'active', '{}', '{}', 1)`,
      [n % 7, id],
    )
    await sql(
      `insert into profile_sync (shard, profile_id, app_id, service, seq) values ($1, $2, 'app_feed', 'shop', ${CHANGES})`,
      [n % 7, id],
    )
    await sql(
      `insert into delivery_cursor (shard, profile_id, destination_id, backfill_until, due_at, scheduled, seq,
        written, generation, revision, acked_revision, epoch, erase, dead, redrive, fails, rows)
      values ($1, $2, $3, 0, ${NOW - n}, false, 0, 0, 0, 1, 0, 0, false, false, false, 0, 0)`,
      [n % 7, id, FEED],
    )
  }
})
afterEach(() => opened.close())

const depsAt = (nowMs: number, database: Database = opened.database) => ({ database, clock: { now: () => nowMs } })
const take = (nowMs: number, token: string) =>
  cursorTaker(opened.database)({
    destinationId: FEED,
    updatedAt: 5,
    nowMs,
    leaseUntilMs: nowMs + LEASE_MS,
    token,
    onlyErasures: false,
    newestFirst: false,
    some: true,
  })
const entries = () => feedEntries(opened.database, FEED, 0, 1000)
const due = async (nowMs: number) =>
  (await sql<{ n: number }>('select count(*)::int as n from delivery_cursor where due_at <= $1', [nowMs]))[0]!.n
const assertGapless = async () => {
  const found = await entries()
  assert.deepEqual(
    found.map(({ pos }) => pos),
    found.map((_, i) => i + 1),
  )
  const state = await feedState(opened.database, FEED)
  assert.deepEqual(state?.head, { pos: found.length, at: found.at(-1)?.at ?? 0 })
  return found
}

suite('a feed', () => {
  test('takes the changes of many profiles in few transactions, each once', async () => {
    let batches = 0
    for (;;) {
      const cursors = await take(NOW, `token-${batches}`)
      if (cursors.length === 0) break
      batches += 1
      assert.equal(await recordInFeed(depsAt(NOW), FEED, cursors), true)
    }
    const found = await assertGapless()
    assert.deepEqual(found.map((entry) => ('profileId' in entry ? entry.profileId : '')).sort(), ids.sort())
    assert.ok(found.every((entry) => entry.kind === 'profile' && entry.afterSeq === 0 && entry.upToSeq === CHANGES))
    const [transactions] = await sql<{ n: number }>('select count(distinct xmin::text)::int as n from feed_entry')
    assert.equal(transactions!.n, batches)
    assert.ok(batches <= 10, `${batches} batches`)
    assert.equal(await due(NOW + LEASE_MS), 0)
  })

  test('has no gaps and no mixed batches, however many write it at once', async () => {
    const writers = Array.from({ length: 8 }, (_, writer) => ({ writer, database: opened.another() }))
    await Promise.all(
      writers.map(async ({ writer, database }) => {
        for (let round = 0; round < 5; round += 1)
          await appendToFeed(
            database,
            FEED,
            Array.from({ length: writer + 1 }, (_, n) => ({ kind: 'event', at: writer, data: { writer, round, n } })),
          )
      }),
    )
    const found = (await assertGapless()).map((entry) => (entry.kind === 'event' ? entry.data : {}))
    assert.equal(found.length, 5 * 36)
    for (const [i, { writer, round, n }] of found.entries())
      if (n !== 0) assert.deepEqual(found[i - 1], { writer, round, n: Number(n) - 1 })
  })

  test('gets the entries of a run again that ended before it stored where it was, and none is lost', async () => {
    const cursors = await take(NOW, 'first')
    const failing = (queries: Queries): Queries => ({
      rows: (...statement) => queries.rows(...statement),
      count: (statement, values) =>
        statement.name.startsWith('lease-finish')
          ? Promise.reject(new Error('ended here'))
          : queries.count(statement, values),
    })
    const database: Database = {
      ...opened.database,
      ...failing(opened.database),
      transaction: (work) => opened.database.transaction((tx) => work(failing(tx))),
    }
    await assert.rejects(recordInFeed(depsAt(NOW, database), FEED, cursors), /ended here/)
    assert.equal((await assertGapless()).length, cursors.length)
    assert.equal(await due(NOW), ids.length - 1, 'the others are released; the first is settled by the run')
    const again = await take(NOW + LEASE_MS, 'second')
    await recordInFeed(depsAt(NOW + LEASE_MS), FEED, again)
    assert.equal((await assertGapless()).length, cursors.length + again.length)
  })

  test('ends nothing for a run whose leases were taken over', async () => {
    const stolen = await take(NOW, 'first')
    const later = NOW + LEASE_MS
    await sql('update profile_sync set seq = 9')
    const taken = new Map<string, number>()
    for (let round = 0; ; round += 1) {
      const cursors = await take(later, `second-${round}`)
      if (cursors.length === 0) break
      for (const { profileId, epoch } of cursors) taken.set(profileId, epoch)
      if (round > 0) await recordInFeed(depsAt(later), FEED, cursors)
    }
    await recordInFeed(depsAt(later), FEED, stolen)
    const leased = await sql<{ profile_id: string; seq: number }>(
      'select profile_id, seq from delivery_cursor where lease_token is not null',
    )
    assert.ok(leased.length > 0)
    assert.ok(leased.every(({ seq }) => seq === 0))
    await assertGapless()
  })

  test('that was removed meanwhile takes nothing', async () => {
    await sql('delete from feed')
    await appendToFeed(opened.database, FEED, [{ kind: 'event', at: NOW, data: {} }])
    assert.deepEqual(await entries(), [])
  })
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import type { Batch, Position } from '#store/delete-in-batches.ts'
import { insertConsent } from '#store/identity/consents.ts'
import { insertPending } from '#store/identity/pending.ts'
import { openMissingCursors } from '#store/push/destination-cursors.ts'
import { purgeEvents, queueEvent } from '#store/push/events.ts'
import { removeOrphanCursors } from '#store/push/orphans.ts'
import { openHasher } from '#store/vault.ts'
import { expireSignIns, purgeExpired } from '../../harness/maintenance.ts'
import { type Fixture, notes, openFixture, someNotes } from '../sync/engine-fixture.ts'

const DAY_MS = 86_400_000

/** Every step of a walk. */
async function walk(step: (position: Position | undefined) => Promise<Batch>): Promise<number> {
  let [total, position]: [number, Position | undefined] = [0, undefined]
  for (;;) {
    const batch = await step(position)
    total += batch.done
    if (!batch.more) return total
    position = batch.position
  }
}

suite('maintenance', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const addDestination = (id: string, schedule: string, { wantsEvents = false } = {}) =>
    fixture.sql(
      `insert into destination (id, app_id, name, kind, sealed, filter, schedule, options, wants_events, state, fails, next_attempt_at, created_at, updated_at)
       values ($1, $2, $1, 'webhook', '', '{}', $3, '{}', $4, 'active', 0, 0, 0, 0)`,
      [id, fixture.appId, schedule, wantsEvents],
    )
  const cursors = (destination: string) =>
    fixture.sql<{ profile_id: string; seq: number; due: boolean; scheduled: boolean; behind: boolean }>(
      `select profile_id, seq::int, due_at is not null as due, scheduled, revision > acked_revision as behind
       from delivery_cursor where destination_id = $1 order by profile_id`,
      [destination],
    )
  const openMissing = () => walk((position) => openMissingCursors(fixture.deps.database, fixture.clock.now(), position))
  const removeOrphans = () => walk((position) => removeOrphanCursors(fixture.deps.database, position))
  const connected = async (name: string) => {
    const connector = await fixture.use(name, { list: notes(`/${name}`) })
    fixture.service.on(`/${name}`, () => ({ body: { notes: someNotes(2) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    return profile
  }

  test('connects a profile and a destination that were created concurrently, once', async () => {
    const profile = await connected('apart')
    // As two concurrent transactions leave it: neither opened a cursor.
    await addDestination('dst_now', 'on_change')
    await addDestination('dst_daily', '0 6 * * *')
    assert.equal(await openMissing(), 2)
    const opened = { profile_id: profile.id, seq: 0, behind: true }
    assert.deepEqual(await cursors('dst_now'), [{ ...opened, due: true, scheduled: false }])
    assert.deepEqual(await cursors('dst_daily'), [{ ...opened, due: false, scheduled: true }])
    await fixture.sql(`update delivery_cursor set seq = 2 where destination_id = 'dst_now'`)
    assert.equal(await openMissing(), 0)
    assert.equal((await cursors('dst_now'))[0]!.seq, 2, 'an existing cursor keeps its position')
  })

  test('deletes the cursors of a destination that was deleted with its app, and no others', async () => {
    await addDestination('dst_leaves', 'on_change')
    await addDestination('dst_stays', 'on_change')
    await openMissing()
    const staying = (await cursors('dst_stays')).length
    assert.ok(staying > 0)
    assert.equal(await removeOrphans(), 0)
    await fixture.sql(`delete from destination where id = 'dst_leaves'`)
    assert.equal(await removeOrphans(), staying)
    assert.deepEqual(await cursors('dst_leaves'), [])
    assert.equal((await cursors('dst_stays')).length, staying)
  })

  test('deletes events that were not delivered for thirty days', async () => {
    await addDestination('dst_events', 'on_change', { wantsEvents: true })
    const now = fixture.clock.now()
    for (const at of [now - 31 * DAY_MS, now - 29 * DAY_MS])
      await queueEvent(fixture.deps.database, fixture.appId, 'account.erased', at, { account: 'a' })
    assert.equal((await purgeEvents(fixture.deps.database, now - 40 * DAY_MS)).done, 0)
    const { events } = await purgeExpired(fixture.deps)
    assert.equal(events, 1)
    const remaining = await fixture.sql<{ at: number }>('select at from push_event')
    assert.deepEqual(remaining, [{ at: now - 29 * DAY_MS }])
  })

  test('deletes expired unfinished sign-ins, and no others', async () => {
    const { database, keyring } = fixture.deps
    const hasher = await openHasher(database, keyring)
    const deps = { ...fixture.deps, hasher, config: { baseUrl: 'http://localhost' } }
    const now = fixture.clock.now()
    const [over, open] = [randomBytes(32), randomBytes(32)]
    for (const [hash, expiresAt] of [
      [over, now - 1000],
      [open, now + 60_000],
    ] as const)
      await insertPending(database, keyring, hash, {
        appId: fixture.appId,
        service: 'apart',
        browser: Buffer.from('browser'),
        value: '{}',
        expiresAt,
      })
    const consent = (hash: Buffer, expiresAt: number) => ({
      shard: 1,
      hash,
      kind: 'code' as const,
      appId: fixture.appId,
      service: 'apart',
      nativeId: 'ada',
      accountId: undefined,
      redirectUri: 'https://app.test/',
      codeChallenge: undefined,
      browser: undefined,
      value: JSON.stringify({ signedIn: { credential: { token: 'token' }, self: { id: 'ada' }, raw: '{}' } }),
      expiresAt,
    })
    const [lapsed, waiting, used, longUsed] = [1, 2, 3, 4].map((n) => Buffer.alloc(32, n)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ]
    await insertConsent(database, keyring, consent(lapsed, now - 1000))
    await insertConsent(database, keyring, consent(waiting, now + 60_000))
    await insertConsent(database, keyring, consent(used, now - 1000))
    await insertConsent(database, keyring, consent(longUsed, now - 1000))
    await fixture.sql('update consent set used_at = $2 where hash = $1', [used, now - DAY_MS + 60_000])
    await fixture.sql('update consent set used_at = $2 where hash = $1', [longUsed, now - DAY_MS - 60_000])
    assert.deepEqual(await expireSignIns(deps), { pending: 1, consents: 1 })
    assert.deepEqual(await fixture.sql('select hash from pending'), [{ hash: open }])
    const remaining = await fixture.sql<{ hash: Buffer }>('select hash from consent order by hash')
    assert.deepEqual(remaining, [{ hash: waiting }, { hash: used }])
    assert.deepEqual(await expireSignIns(deps), { pending: 0, consents: 0 }, 'twice is the same as once')
  })
})

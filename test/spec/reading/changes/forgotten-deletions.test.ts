import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { forgetTombstones } from '#store/items/old-tombstones.ts'
import { purgeExpired } from '../../../harness/maintenance.ts'
import type { Reader } from '../fixture.ts'
import type { Thing } from '../thing.ts'
import { type ChangesHarness, catchUp, Follower, short, startChangesHarness } from './changes-fixture.ts'

const DAY_MS = 86_400_000
const thing = (id: string, at = 1): Thing => ({ id, at, types: ['photos'] })

suite('deletions that are not kept any more', () => {
  let harness: ChangesHarness
  before(async () => {
    harness = await startChangesHarness()
  })
  after(() => harness.stop())
  const tombstones = async (profile: { profileId: string }) =>
    (await harness.tributary.sql('select seq from item_tombstone where profile_id = $1', [profile.profileId])).length
  const maintainIn = (days: number) =>
    purgeExpired({
      database: harness.tributary.store.database,
      clock: { now: () => Date.now() + days * DAY_MS },
    })
  const statusAt = async (reader: Reader, cursor: string) => {
    const { status, body } = await harness.request(`/changes?cursor=${cursor}`, reader)
    return [status, (body as { reason?: string }).reason]
  }

  test('an older cursor is answered 410, and a reader that begins anew has what the lists show; a newer one goes on', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, [thing('stays'), thing('goes', 2)])
    const old = (await harness.page(reader)).cursor
    await harness.drop(profile, ['goes'])
    const newer = (await harness.page(reader, `cursor=${old}`)).cursor
    await maintainIn(89)
    await maintainIn(89)
    assert.equal(await tombstones(profile), 1)
    assert.equal((await statusAt(reader, old))[0], 200)
    // The first run announces it, so that a reader who looked before still finds what it needs; the next one deletes.
    await maintainIn(91)
    assert.equal(await tombstones(profile), 1)
    assert.deepEqual(await statusAt(reader, old), [410, 'cursor_expired'])
    await maintainIn(91)
    assert.equal(await tombstones(profile), 0)
    assert.deepEqual(await statusAt(reader, old), [410, 'cursor_expired'])
    assert.deepEqual((await harness.page(reader, `cursor=${newer}`)).changes, [])
    const again = new Follower()
    assert.equal((await catchUp(harness, again, reader)).map(short).length, 1)
    await harness.write(profile, [thing('later', 3)])
    assert.equal((await harness.page(reader, `cursor=${newer}`)).changes.length, 1)
  })

  test('what a destination has not delivered stays', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, [thing('goes')])
    await harness.drop(profile, ['goes'])
    const cursorAt = (seq: number) =>
      harness.tributary.sql(
        `insert into delivery_cursor (shard, profile_id, destination_id, backfill_until, scheduled, seq, written, generation,
           revision, acked_revision, epoch, erase, dead, redrive, fails, rows)
         values ($1, $2, 'behind', 0, false, $3, 0, 0, 1, 1, 0, false, false, false, 0, 0)
         on conflict (shard, profile_id, destination_id) do update set seq = excluded.seq`,
        [profile.shard, profile.profileId, seq],
      )
    const { database } = harness.tributary.store
    const forget = async () => {
      for (let runs = 0; runs < 2; runs += 1) await forgetTombstones(database, Date.now() + DAY_MS)
      return tombstones(profile)
    }
    await cursorAt(1)
    assert.equal(await forget(), 1)
    await cursorAt(2)
    assert.equal(await forget(), 0)
  })
})

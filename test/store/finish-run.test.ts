import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { migrate } from '#store/migrate.ts'
import { type EndpointState, listEndpoints } from '#store/sync/endpoints.ts'
import { finishRun, type QuietCheck, saveQuietChecks } from '#store/sync/finish-run.ts'
import { scheduleProfile, takeProfile } from '#store/sync/schedule.ts'
import { type Opened, openFresh } from './opened.ts'

const DUE_AT = 1000
const NOW_MS = 2000
let opened: Opened
before(async () => {
  opened = await openFresh()
  await migrate(opened.database, 1)
})
after(() => opened.close())

/** A profile with the endpoints `posts` and `photos`, due at 1000, and taken with the token `mine`. */
async function takenProfile(profileId: string): Promise<ProfileKey> {
  const key = { shard: 7, profileId }
  const scheduled = { ...key, appId: 'app', service: 'shop', readerVersion: 1 }
  const endpoints = ['posts', 'photos'].map((name) => ({ name, everyMs: 60_000 }))
  await opened.database.transaction((tx) => scheduleProfile(tx, scheduled, endpoints, DUE_AT))
  assert.ok(await takeProfile(opened.database, key, 'mine', 9_000, { alone: false, nowMs: DUE_AT }))
  return key
}

const quietCheck = (endpoint: string, changes: Partial<QuietCheck> = {}): QuietCheck => ({
  endpoint,
  watermark: `after ${endpoint}`,
  validator: undefined,
  intervalMs: 90_000,
  nextRunAt: 92_000,
  wasDueAt: DUE_AT,
  wholeAt: undefined,
  pageSize: undefined,
  nowMs: NOW_MS,
  ...changes,
})

const finish = (key: ProfileKey, token: string, quiet: QuietCheck[]) =>
  finishRun(opened.database, key, token, { earliestMs: 0, selfDueMs: 500_000, syncedAt: undefined, quiet })

async function syncedAtOf({ shard, profileId }: ProfileKey) {
  const read = { name: 'test-synced', text: 'select synced_at from profile_sync where shard = $1 and profile_id = $2' }
  return (await opened.database.rows<{ synced_at: number | null }>(read, [shard, profileId]))[0]!.synced_at
}

async function endpointsOf(key: ProfileKey): Promise<Map<string, EndpointState>> {
  return new Map((await listEndpoints(opened.database, key)).map((state) => [state.endpoint, state]))
}

const findSchedule = {
  name: 'test-schedule',
  text: 'select next_run_at, lease_token from profile_sync where shard = $1 and profile_id = $2',
}
const movePosts = {
  name: 'test-move-posts',
  text: `update endpoint_sync set next_run_at = $3 where shard = $1 and profile_id = $2 and endpoint = 'posts'`,
}

async function scheduleOf({ shard, profileId }: ProfileKey) {
  const [row] = await opened.database.rows<{ next_run_at: number; lease_token: string | null }>(findSchedule, [
    shard,
    profileId,
  ])
  return row!
}

suite('the end of a run', () => {
  test('notes when the profile was read, unless another run has the lease', async () => {
    const key = await takenProfile('read')
    const end = (token: string, syncedAt: number | undefined) =>
      finishRun(opened.database, key, token, { earliestMs: 0, selfDueMs: 500_000, syncedAt, quiet: [] })
    const again = () => takeProfile(opened.database, key, 'mine', 9_000, { alone: false, nowMs: DUE_AT })
    assert.equal(await end('other', NOW_MS), false)
    assert.equal(await syncedAtOf(key), null)
    assert.equal(await end('mine', NOW_MS), true)
    assert.equal(await syncedAtOf(key), NOW_MS)
    assert.ok(await again())
    assert.equal(await end('mine', undefined), true)
    assert.equal(await syncedAtOf(key), NOW_MS)
  })

  test('stores its quiet checks, and schedules the profile by them', async () => {
    const key = await takenProfile('both')
    const validator = { request: 'one', value: '"tag"' }
    const photos = quietCheck('photos', { watermark: 5, validator, nextRunAt: 80_000, wholeAt: 1500, pageSize: 10 })
    await finish(key, 'mine', [quietCheck('posts'), photos])
    const states = await endpointsOf(key)
    const { watermark, nextRunAt, intervalMs, lastRunAt } = states.get('posts')!
    assert.deepEqual([watermark, nextRunAt, intervalMs, lastRunAt], ['after posts', 92_000, 90_000, NOW_MS])
    assert.deepEqual(
      [states.get('photos')!.watermark, states.get('photos')!.validator, states.get('photos')!.wholeAt],
      [5, validator, 1500],
    )
    assert.equal(states.get('photos')!.pageSize, 10)
    assert.deepEqual(await scheduleOf(key), { next_run_at: 80_000, lease_token: null })
  })

  test('keeps the watermark where a check has none, and leaves other endpoints as they are', async () => {
    const key = await takenProfile('one')
    await finish(key, 'mine', [quietCheck('posts')])
    assert.ok(await takeProfile(opened.database, key, 'mine', 9_000, { alone: false, nowMs: DUE_AT }))
    await finish(key, 'mine', [quietCheck('posts', { watermark: undefined, wasDueAt: 92_000, nextRunAt: 200_000 })])
    const states = await endpointsOf(key)
    assert.equal(states.get('posts')!.watermark, 'after posts')
    assert.equal(states.get('posts')!.nextRunAt, 200_000)
    assert.equal(states.get('photos')!.lastRunAt, undefined)
    assert.equal((await scheduleOf(key)).next_run_at, DUE_AT, 'the other endpoint is still due')
  })

  test('keeps a sync that was requested meanwhile', async () => {
    const key = await takenProfile('requested')
    await opened.database.count(movePosts, [key.shard, key.profileId, 1700])
    await finish(key, 'mine', [quietCheck('posts'), quietCheck('photos')])
    assert.equal((await endpointsOf(key)).get('posts')!.nextRunAt, 1700)
    assert.equal((await scheduleOf(key)).next_run_at, 1700)
  })

  test('writes nothing after the lease was lost', async () => {
    const key = await takenProfile('lost')
    assert.ok(await takeProfile(opened.database, key, 'theirs', 9_000, { alone: false, nowMs: DUE_AT }))
    await finish(key, 'mine', [quietCheck('posts')])
    await saveQuietChecks(opened.database, key, 'mine', [quietCheck('posts')])
    assert.equal((await endpointsOf(key)).get('posts')!.lastRunAt, undefined)
    assert.deepEqual(await scheduleOf(key), { next_run_at: 9_000, lease_token: 'theirs' })
    await saveQuietChecks(opened.database, key, 'theirs', [quietCheck('posts')])
    assert.equal((await endpointsOf(key)).get('posts')!.lastRunAt, NOW_MS)
  })
})

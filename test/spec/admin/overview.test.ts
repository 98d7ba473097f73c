import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { countItemsOfHour, HOUR_MS, purgeItemHours, sumItemHours } from '#store/items/item-hours.ts'
import { newOperationId, type OperationPart, writeOperations } from '#store/log/operations.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { tributary as runCommand } from '../../harness/command-line.ts'
import { putItems } from '../../harness/own-items.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { newProfile } from '../../harness/profile.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'

interface Overview {
  at: number
  attention: { kind: string; app?: string; subject?: string; n: number; text: string }[]
  profiles: { service: string; state: string; n: number }[]
  items_per_hour: { at: number; added: number; updated: number }[]
  sync: { due: number; lag_ms: number; endpoints: { service: string; reason: string; failing: boolean; n: number }[] }
  failures_24h: { kind: string; service?: string; outcome: string; reason?: string; n: number }[]
  push: { name: string; dead_letters: number; failed_24h: number; lag_ms: number }[]
  apps: { app: string; profiles: number; added_24h: number }[]
  health?: { ready: boolean; version: string }
}

let tributary: Tributary
let app: App
let other: App
let ada: Person
before(async () => {
  tributary = await startTributary()
  ;[app, other] = [await makeApp(tributary), await makeApp(tributary)]
  ada = await newPerson(tributary.store, app.clientId)
  const database = tributary.store.database
  const failing = await newProfile(database, ada.account, { service: 'github', nativeId: '1' })
  const gone = await newProfile(database, ada.account, { service: 'flickr', nativeId: '2' })
  await tributary.sql(`update profile set state = 'needs_auth' where id = $1`, [gone])
  await tributary.sql(
    `insert into profile_sync (shard, profile_id, app_id, service, seq)
     select shard, id, app_id, service, 0 from profile where id = $1`,
    [failing],
  )
  await tributary.sql(
    `insert into endpoint_sync (shard, profile_id, endpoint, next_run_at, interval_ms, epoch, items, fails, faults,
       quarantined, suspect_deletes, last_reason)
     select shard, id, 'repos', 1, 1, 0, 0, 1, 2, 3, 0, 'rate_limited' from profile where id = $1`,
    [failing],
  )
  await putItems(tributary, ada, [{ id: 'a' }, { id: 'b' }], 'notes')
  await putItems(tributary, ada, [{ id: 'a', text: 'changed' }, { id: 'b' }, { id: 'c' }], 'notes')
  const bob = await newPerson(tributary.store, other.clientId)
  await putItems(tributary, bob, [{ id: 'a' }], 'notes')
})
after(() => tributary.stop())

const ask = (path: string, token = tributary.adminToken) =>
  send({ tributary }, 'GET', path, { headers: { authorization: `Bearer ${token}` } })
const overview = async (path: string) => {
  const reply = await ask(path)
  assert.equal(reply.status, 200, reply.text)
  return reply.body as unknown as Overview
}
const day = ({ items_per_hour: hours }: Overview) => {
  const last = hours.slice(-2)
  return [last.reduce((sum, { added }) => sum + added, 0), last.reduce((sum, { updated }) => sum + updated, 0)]
}

suite('the overview', () => {
  test('shows one app: profiles, items per hour, failures, and what requires attention', async () => {
    const view = await overview(`/admin/apps/${app.clientId}/overview`)
    assert.deepEqual(view.profiles.map(({ service, state, n }) => `${service} ${state} ${n}`).sort(), [
      'flickr needs_auth 1',
      'github active 1',
    ])
    assert.equal(view.items_per_hour.length, 168)
    assert.deepEqual(day(view), [3, 1], 'unchanged items are not counted')
    assert.deepEqual(view.sync.endpoints, [{ service: 'github', reason: 'rate_limited', failing: true, n: 1 }])
    assert.deepEqual(
      view.attention.map(({ kind, n }) => `${kind} ${n}`),
      ['endpoints_failing 1', 'needs_auth 1', 'records_quarantined 3', 'fields_unreadable 2'],
    )
    assert.equal(view.health, undefined)
  })

  test('shows the installation with all apps and its health, and no app shows another', async () => {
    const all = await overview('/admin/overview')
    assert.deepEqual(day(all), [4, 1])
    assert.equal(all.health?.ready, true)
    assert.deepEqual(
      all.apps.map(({ app: id, added_24h: added }) => [id, added]),
      [
        [app.clientId, 3],
        [other.clientId, 1],
      ],
    )
    const one = await overview(`/admin/apps/${other.clientId}/overview`)
    assert.deepEqual(day(one), [1, 0])
    assert.deepEqual([one.profiles, one.attention, one.apps.map(({ app: id }) => id)], [[], [], [other.clientId]])
    // They are used for some seconds, which may end between two requests.
    await until('the figures are read once for all', async () => {
      const [first, second] = [
        await overview('/admin/overview'),
        await overview(`/admin/apps/${other.clientId}/overview`),
      ]
      return first.at === second.at
    })
  })

  test('is refused without the token, and for an app that does not exist', async () => {
    assert.equal((await ask('/admin/overview', 'tra_wrong')).body['reason'], 'admin_token_invalid')
    assert.equal((await ask('/admin/apps/none/overview')).body['reason'], 'not_found')
  })

  test('is a command, too', async () => {
    const env = { DATABASE_URL: tributary.databaseUrl, TRIBUTARY_DATA: tributary.dataDir }
    const { stdout } = await runCommand(['overview', '--app', app.clientId], env)
    assert.match(stdout, /3 records could not be stored/)
    assert.match(stdout, /3 added, 1 updated/)
  })
})

suite('failures of the last 24 hours', () => {
  test('are counted from the log by kind, service and reason, of each app and of all', async () => {
    const now = Date.now()
    const { database } = tributary.store
    const entry = (appId: string, agoMs: number, changes: Partial<OperationPart> = {}): OperationPart => {
      const [at, shard] = [now - agoMs, 7]
      return {
        shard,
        id: newOperationId(shard, at),
        appId,
        kind: 'sign_in',
        service: 'github',
        accountId: undefined,
        profileId: undefined,
        at,
        endedAt: at,
        outcome: 'failed',
        reason: 'service_refused',
        expiresAt: undefined,
        requestId: undefined,
        summary: '',
        steps: [],
        ...changes,
      }
    }
    const open = { outcome: 'open', reason: 'abandoned' } as const
    await writeOperations(database, [
      entry(app.clientId, 0),
      entry(app.clientId, 23 * HOUR_MS),
      entry(app.clientId, 25 * HOUR_MS),
      entry(app.clientId, 1, { kind: 'sync', service: 'flickr', reason: 'rate_limited' }),
      entry(app.clientId, 2, { outcome: 'ok', reason: undefined }),
      entry(app.clientId, HOUR_MS, { ...open, expiresAt: now - 1000 }),
      entry(app.clientId, 3, { ...open, expiresAt: now + 600_000 }),
      entry(other.clientId, 4),
      entry(other.clientId, 5, { outcome: 'refused', service: undefined, reason: 'redirect_mismatch' }),
    ])
    const listed = async (path: string) =>
      (await overview(path)).failures_24h.map((each) =>
        [each.kind, each.service, each.outcome, each.reason, each.n].join(' '),
      )
    await until('the figures are read again', async () => (await listed('/admin/overview')).length > 0)
    assert.deepEqual((await listed(`/admin/apps/${app.clientId}/overview`)).sort(), [
      'sign_in github failed service_refused 2',
      'sign_in github refused abandoned 1',
      'sync flickr failed rate_limited 1',
    ])
    assert.equal((await listed('/admin/overview'))[0], 'sign_in github failed service_refused 3')
    assert.deepEqual((await listed(`/admin/apps/${other.clientId}/overview`)).sort(), [
      'sign_in  refused redirect_mismatch 1',
      'sign_in github failed service_refused 1',
    ])
    const env = { DATABASE_URL: tributary.databaseUrl, TRIBUTARY_DATA: tributary.dataDir }
    const { stdout } = await runCommand(['overview', '--app', app.clientId], env)
    assert.match(stdout, /fail now[^]*github +rate_limited +1/)
    assert.match(stdout, /last 24 hours:[^]*sign-in +github +failed +service_refused +2/)
  })
})

suite('items per hour', () => {
  const someProfile = async () => {
    const [row] = await tributary.sql<{ shard: number; profile_id: string }>(
      'select shard, profile_id from profile_sync where app_id = $1 limit 1',
      [app.clientId],
    )
    return { shard: row!.shard, profileId: row!.profile_id }
  }

  test('are counted in the hour of the write, summed over shards, and deleted when they are old', async () => {
    const { database } = tributary.store
    const of = await someProfile()
    const hour = 400 * HOUR_MS
    await countItemsOfHour(database, of, { added: 5, updated: 0 }, hour + 1)
    await countItemsOfHour(database, of, { added: 1, updated: 2 }, hour + HOUR_MS - 1)
    await countItemsOfHour(database, of, { added: 0, updated: 0 }, hour + HOUR_MS)
    const rows = (await sumItemHours(database, 0)).filter(({ hour: at }) => at < 500 * HOUR_MS)
    assert.deepEqual(rows, [{ appId: app.clientId, hour, added: 6, updated: 2 }])
    assert.deepEqual(await purgeItemHours(database, hour + 1), { done: 1, more: false })
  })

  test('are undone with the transaction that stored the items', async () => {
    const [before, of] = [await sumItemHours(tributary.store.database, 0), await someProfile()]
    await assert.rejects(
      tributary.store.database.transaction(async (tx) => {
        await countItemsOfHour(tx, of, { added: 9, updated: 9 }, Date.now())
        throw new Error('undone')
      }),
      /undone/,
    )
    assert.deepEqual(await sumItemHours(tributary.store.database, 0), before)
  })
})

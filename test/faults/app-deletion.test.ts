import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { loadConfig } from '#config/config.ts'
import { beginDeletion, continueDeletion, deletionProgress } from '#flows/accounts/delete-app.ts'
import { createApp } from '#flows/apps/apps.ts'
import { storeOwnItems } from '#flows/sync/own-items/store-own-items.ts'
import { connectProfile } from '#identity/connect-profile.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { systemClock } from '#platform/clock.ts'
import { randomShard } from '#platform/crypto/ids.ts'
import { createEgressLevels } from '#platform/egress/levels.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { putServiceKey } from '#store/apps/service-keys.ts'
import { insertConsent } from '#store/identity/consents.ts'
import { createOperationLog } from '#store/log/operation-log.ts'
import { openProfileCursors } from '#store/push/cursors.ts'
import { insertDestination } from '#store/push/destinations.ts'
import { createUpstream } from '#upstream/request/send.ts'
import { openStore, type Store } from '../../src/boot/open-store.ts'
import { preparedDatabase, type TestDatabase } from '../harness/database/database.ts'
import { idsOfApp, tablesWithRowsOf } from '../harness/database/rows-of-app.ts'
import { LOOPBACK, LOOPBACK_RANGES } from '../harness/loopback.ts'
import { startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'
import { type ScriptedService, startScripted } from '../spec/sync/scripted-service.ts'
import lender from './connectors/lender.ts'

const AN_HOUR_MS = 3_600_000
const CONNECTORS = join(import.meta.dirname, 'connectors')
let database: TestDatabase
let dataDir: string
let store: Store
let service: ScriptedService
let deps: LoggedDeps
const egress = createEgressLevels({ allowPrivate: LOOPBACK_RANGES, allowPrivateTyped: [] })

before(async () => {
  database = await preparedDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-deletion-'))
  const log = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })
  store = await openStore(loadConfig({ DATABASE_URL: database.url, TRIBUTARY_DATA: dataDir }), log)
  service = await startScripted()
  const upstream = createUpstream({ egress, clock: store.clock, log })
  const operations = createOperationLog(store)
  deps = { ...store, registry: createRegistry([lender]), upstream, operations, config: { baseUrl: 'http://localhost' } }
})
after(async () => {
  await service.close()
  await store.close()
  await egress.close()
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  store.database.rows<Row>({ name: '', text }, values)
const revoked = () => service.requestsTo('/revoke').map(({ body }) => new URLSearchParams(body).get('token'))

/** An app with a person, items, a destination and an unfinished sign-in. Every token contains the app's name. */
async function newApp(): Promise<{ appId: string; ids: string[] }> {
  const { app } = await createApp(deps, { name: 'Going', redirectUris: ['https://app.test/'] }, 'test')
  const now = store.clock.now()
  const overrides = { base_url: service.url, revoke_url: `${service.url}/revoke` }
  await putServiceKey(
    store.database,
    store.keyring,
    app.id,
    { service: 'lender', key: 'k', scope: undefined, overrides, updatedAt: now },
    's',
  )
  const signedIn = { credential: { token: `used-${app.id}` }, self: { id: 'ada' }, raw: '{}' }
  const joining = {
    appId: app.id,
    service: 'lender',
    actor: 'test',
    account: { how: 'new' },
    shard: randomShard(),
  } as const
  const attached = (await store.database.transaction((tx) => connectProfile(deps, tx, { ...joining, signedIn })))!
  const destination = {
    id: `dst_${app.id}`,
    appId: app.id,
    name: 'There',
    kind: 'webhook' as const,
    filter: ['*'],
    schedule: 'realtime',
    options: { events: true },
    wantsEvents: true,
    state: 'active' as const,
    lastError: undefined,
    fails: 0,
    failingSince: undefined,
    nextAttemptAt: 0,
    alerted: false,
    nextRunAt: undefined,
    deaths: 0,
    aloneUntil: 0,
    createdAt: now,
    updatedAt: now,
  }
  await insertDestination(store.database, store.keyring, destination, { url: 'https://receiver.test/' })
  const { shard, id } = attached.profile
  await store.database.transaction((tx) => openProfileCursors(tx, { shard, profileId: id }, app.id, now))
  await storeOwnItems(deps, attached.account, 'notes', [{ id: 'n1', text: 'one' }])
  await insertConsent(store.database, store.keyring, {
    shard: randomShard(),
    hash: store.hasher.hash('code', app.id),
    kind: 'code',
    appId: app.id,
    service: 'lender',
    nativeId: 'ben',
    accountId: undefined,
    redirectUri: 'https://app.test/',
    codeChallenge: undefined,
    browser: undefined,
    value: JSON.stringify({ signedIn: { ...signedIn, credential: { token: `unused-${app.id}` } } }),
    expiresAt: now + AN_HOUR_MS,
  })
  return { appId: app.id, ids: await idsOfApp(sql, app.id) }
}

class Died extends Error {}

/** A database whose process dies before its n-th statement: no later statement resolves. */
function dyingAt(n: number): { database: Database; isDead: () => boolean } {
  let left = n
  const wrap = (queries: Queries): Queries => {
    const alive = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      left -= 1
      if (left <= 0) throw new Died()
      return work()
    }
    return {
      rows: (statement, values) => alive(() => queries.rows(statement, values)),
      count: (statement, values) => alive(() => queries.count(statement, values)),
    }
  }
  return {
    database: {
      ...store.database,
      ...wrap(store.database),
      transaction: (work) => store.database.transaction((tx) => work(wrap(tx))),
    },
    isDead: () => left <= 0,
  }
}

async function runToEnd(by: LoggedDeps, appId: string): Promise<void> {
  await beginDeletion(by, appId, 'test', { erase: true, giveUp: true })
  while (await continueDeletion(by, appId));
}

async function assertGone({ appId, ids }: { appId: string; ids: string[] }, where: string): Promise<void> {
  const progress = await deletionProgress(deps, appId)
  assert.deepEqual([progress?.state, progress?.accounts, progress?.erased], ['deleted', 1, 1], where)
  assert.deepEqual(await tablesWithRowsOf(sql, ids), [], where)
  for (const token of [`used-${appId}`, `unused-${appId}`])
    assert.ok(revoked().includes(token), `${where}: ${token} was never revoked`)
  const audited = await sql('select 1 from audit where app_id = $1 and action = $2', [appId, 'app.delete'])
  assert.equal(audited.length, 1, where)
}

test('a deletion that dies before any of its statements is resumed and leaves nothing', {
  timeout: 900_000,
}, async (t) => {
  service.on('/revoke', () => ({ body: {} }))
  let places = 0
  for (let n = 1; ; n += 1) {
    const app = await newApp()
    const dying = dyingAt(n)
    await runToEnd({ ...deps, database: dying.database }, app.appId).catch((error: unknown) => {
      if (!(error instanceof Died)) throw error
    })
    if (dying.isDead()) {
      places += 1
      // Another process, after the lease of the dead one expired.
      const later = { ...deps, clock: { now: () => store.clock.now() + AN_HOUR_MS } }
      await runToEnd(later, app.appId).catch((error: unknown) => {
        // It died after its last statement: the app is deleted already.
        if (!(error instanceof Error && error.message.includes('There is no app'))) throw error
      })
    }
    await assertGone(app, `statement ${n}`)
    if (!dying.isDead()) break
  }
  t.diagnostic(`${places} places`)
  assert.ok(places > 20)
})

test('when a worker is killed while a service delays it, the next worker takes over', {
  timeout: 900_000,
}, async () => {
  const app = await newApp()
  const called = Promise.withResolvers<void>()
  service.on('/revoke', () => {
    called.resolve()
    return undefined
  })
  await beginDeletion(deps, app.appId, 'test', { erase: true, giveUp: true })
  const env = {
    DATABASE_URL: database.url,
    TRIBUTARY_DATA: dataDir,
    TRIBUTARY_CONNECTORS: CONNECTORS,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
  }
  const first = await startProcess(['work'], env)
  await called.promise
  await first.end('SIGKILL')
  assert.equal((await deletionProgress(deps, app.appId))?.state, 'erasing')
  service.on('/revoke', () => ({ body: {} }))
  // As if the lease of the dead worker had expired.
  await sql('update app_deletion set lease_until = 0 where app_id = $1', [app.appId])
  const second = await startProcess(['work'], env)
  try {
    await until('it is deleted', async () => (await deletionProgress(deps, app.appId))?.state === 'deleted')
  } finally {
    await second.end('SIGTERM')
  }
  await assertGone(app, 'killed')
})

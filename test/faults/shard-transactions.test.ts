// Transactions over several shards, interrupted in the middle: nothing of them may stay, and a repeated request completes.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { loadConfig } from '#config/config.ts'
import { beginDeletion, deletionProgress } from '#flows/accounts/delete-app.ts'
import { createApp } from '#flows/apps/apps.ts'
import { createReconnectLink } from '#flows/connect/reconnect-link.ts'
import { storeOwnItems } from '#flows/sync/own-items/store-own-items.ts'
import { type ConnectedProfile, connectProfile } from '#identity/connect-profile.ts'
import type { LoggedDeps } from '#identity/deps.ts'
import { mergeAccounts } from '#identity/merge.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { newTicket } from '#model/accounts/access-token.ts'
import { systemClock } from '#platform/clock.ts'
import { createEgressLevels } from '#platform/egress/levels.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { putServiceKey } from '#store/apps/service-keys.ts'
import { insertConsent } from '#store/identity/consents.ts'
import { createOperationLog } from '#store/log/operation-log.ts'
import { createUpstream } from '#upstream/request/send.ts'
import { openStore, type Store } from '../../src/boot/open-store.ts'
import { preparedDatabase, type TestDatabase } from '../harness/database/database.ts'
import { idsOfApp, tablesWithRowsOf } from '../harness/database/rows-of-app.ts'
import { LOOPBACK_RANGES } from '../harness/loopback.ts'
import { until } from '../harness/until.ts'
import { type ScriptedService, startScripted } from '../spec/sync/scripted-service.ts'
import lender from './connectors/lender.ts'
import { createVictim, type Interruption, type Victim } from './held-victim.ts'

const AN_HOUR_MS = 3_600_000
const SERVICE = 'lender'
/** Of the two accounts of each case: on different shards, and on different partitions where tables are partitioned. */
const [NEAR, FAR] = [3, 800]
const egress = createEgressLevels({ allowPrivate: LOOPBACK_RANGES, allowPrivateTyped: [] })

let database: TestDatabase
let dataDir: string
let store: Store
let service: ScriptedService
let deps: LoggedDeps
let victim: Victim
let app: { id: string; secret: string }

before(async () => {
  database = await preparedDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-shards-'))
  const log = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })
  store = await openStore(loadConfig({ DATABASE_URL: database.url, TRIBUTARY_DATA: dataDir }), log)
  service = await startScripted()
  service.on('/revoke', () => ({ body: {} }))
  service.on('/token', () => ({ body: { access_token: 'renewed', token_type: 'bearer' } }))
  const upstream = createUpstream({ egress, clock: store.clock, log })
  const operations = createOperationLog(store)
  deps = { ...store, registry: createRegistry([lender]), upstream, operations, config: { baseUrl: 'http://localhost' } }
  app = await newApp()
  victim = createVictim(database, sql, {
    TRIBUTARY_DATA: dataDir,
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors'),
  })
  await victim.start()
})
after(async () => {
  await victim?.stop()
  await service?.close()
  await store?.close()
  await egress.close()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  store.database.rows<Row>({ name: '', text }, values)

async function newApp(): Promise<{ id: string; secret: string }> {
  const { app: made, secret } = await createApp(deps, { name: 'Shards', redirectUris: ['https://app.test/'] }, 'test')
  await sql(`update app set apply = 'any' where id = $1`, [made.id])
  const overrides = {
    base_url: service.url,
    authorize_url: `${service.url}/authorize`,
    token_url: `${service.url}/token`,
    revoke_url: `${service.url}/revoke`,
  }
  const key = { service: SERVICE, key: 'k', scope: undefined, overrides, updatedAt: store.clock.now() }
  await putServiceKey(store.database, store.keyring, made.id, key, 's')
  return { id: made.id, secret }
}

let people = 0
/** A service user that no other case has. */
const newPerson = () => `person-${(people += 1)}`
const signedInAs = (id: string) => ({ credential: { token: `token of ${id}` }, self: { id }, raw: '{}' })

/** An account with one profile for each person. */
async function connect(shard: number, [first, ...others]: [string, ...string[]], at = app): Promise<ConnectedProfile> {
  const join = (id: string, account: { how: 'new' } | { how: 'given'; id: string }) =>
    store.database.transaction((tx) =>
      connectProfile(deps, tx, {
        appId: at.id,
        service: SERVICE,
        actor: 'test',
        signedIn: signedInAs(id),
        account,
        shard,
      }),
    )
  const connected = (await join(first, { how: 'new' }))!
  for (const other of others) await join(other, { how: 'given', id: connected.account.id })
  return connected
}

/** The account of two that were merged; both had `person`. */
async function mergedAccount(person: string, at = app): Promise<ConnectedProfile> {
  const source = await connect(FAR, [person, newPerson()], at)
  const dest = await connect(NEAR, [newPerson(), person], at)
  for (const { account } of [source, dest]) await storeOwnItems(deps, account, 'notes', [{ id: 'n1', text: 'one' }])
  await mergeAccounts(deps, source.token, dest.token)
  return dest
}

const STORED = [
  'access_token',
  'account',
  'app_secret',
  'audit',
  'connect_session',
  'consent',
  'credential',
  'item',
  'item_tombstone',
  'profile',
  // Without what the planner and maintenance of the victim change.
  '(select shard, profile_id, app_id, seq, items, bytes from profile_sync)',
  'push_event',
  'reconnect_link',
  'service_user',
]
/** Every row that these transactions write. */
async function everything(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const table of STORED)
    found[table] = (await sql<{ row: string }>(`select t::text as row from ${table} t order by 1`)).map(
      ({ row }) => row,
    )
  return found
}

const form = (fields: Record<string, string>) => ({
  method: 'POST',
  body: new URLSearchParams({ client_id: app.id, client_secret: app.secret, ...fields }),
})
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const profilesOf = (accountId: string) =>
  sql<{ native_id: string }>(
    'select native_id from profile where account_id = $1 and service = $2 and merged_into is null order by 1',
    [accountId, SERVICE],
  ).then((rows) => rows.map(({ native_id: id }) => id))

interface Case {
  /** To the victim; may be sent again. */
  send: () => Promise<Response>
  /** Asserts that it took effect, exactly once. */
  took: (response: Record<string, unknown>) => Promise<void>
}

const redeeming = async (): Promise<Case> => {
  const [owner, person] = [newPerson(), newPerson()]
  const target = await connect(FAR, [owner])
  const code = newTicket('trc', NEAR)
  await insertConsent(store.database, store.keyring, {
    shard: NEAR,
    hash: store.hasher.hash('code', code),
    kind: 'code',
    appId: app.id,
    service: SERVICE,
    nativeId: person,
    accountId: target.account.id,
    redirectUri: 'https://app.test/',
    codeChallenge: undefined,
    browser: undefined,
    value: JSON.stringify({ signedIn: signedInAs(person) }),
    expiresAt: store.clock.now() + AN_HOUR_MS,
  })
  const send = () => fetch(`${victim.url()}/oauth/access_token`, form({ code }))
  return {
    send,
    took: async ({ account }) => {
      assert.equal(account, target.account.id)
      assert.deepEqual(await profilesOf(target.account.id), [owner, person])
      assert.equal((await send()).status, 400, 'a code works once')
    },
  }
}

/** The same, with as many tokens as the account may have: the oldest ends. */
const redeemingIntoFull = async (): Promise<Case> => {
  const { send, took } = await redeeming()
  const [full] = await sql<{ account_id: string; hash: Buffer }>(
    'select account_id, hash from access_token where shard = $1 order by created_at desc, hash limit 1',
    [FAR],
  )
  await sql(
    `insert into access_token (shard, hash, account_id, created_at)
     select $1::smallint, sha256(convert_to($2 || n, 'UTF8')), $2, n from generate_series(1, 999) n`,
    [FAR, full!.account_id],
  )
  return {
    send,
    took: async (response) => {
      const left = await sql<{ created_at: number }>(
        'select created_at from access_token where account_id = $1 order by 1',
        [full!.account_id],
      )
      assert.deepEqual([left.length, left[0]!.created_at], [1000, 2])
      await took(response)
    },
  }
}

const applying = async (): Promise<Case> => {
  const person = newPerson()
  service.on('/me', () => ({ body: { id: person } }))
  return {
    send: () => fetch(`${victim.url()}/auth/${SERVICE}/apply`, form({ token: `token of ${person}` })),
    took: async ({ account }) => {
      const rows = await sql<{ account_id: string }>('select account_id from profile where native_id = $1', [person])
      assert.deepEqual(rows, [{ account_id: account }])
      const [user] = await sql<{ account_ids: string[] }>('select account_ids from service_user where native_id = $1', [
        person,
      ])
      assert.deepEqual(user?.account_ids, [account])
    },
  }
}

const reconnecting = async (): Promise<Case> => {
  const person = newPerson()
  const merged = await mergedAccount(person)
  const [row] = await sql<{ id: string }>(
    'select id from profile where account_id = $1 and native_id = $2 and merged_into is null',
    [merged.account.id, person],
  )
  const profile = { ...merged.profile, id: row!.id, nativeId: person }
  const link = new URL((await createReconnectLink(deps, profile, {}, 'test')).url)
  service.on('/me', () => ({ body: { id: person } }))
  const started = await fetch(`${victim.url()}${link.pathname}${link.search}`, { redirect: 'manual' })
  const { searchParams: asked } = new URL(started.headers.get('location')!)
  const cookie = started.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const query = new URLSearchParams({ code: 'c', state: asked.get('state')! }).toString()
  const callback = `${victim.url()}${new URL(asked.get('redirect_uri')!).pathname}?${query}`
  const returned = await fetch(callback, { redirect: 'manual', headers: { cookie } })
  const ticket = /ticket=(\w+)/.exec(returned.headers.get('location') ?? '')?.[1] ?? ''
  return {
    send: () =>
      fetch(`${victim.url()}/oauth/confirm`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie },
        body: new URLSearchParams({ ticket, answer: 'yes' }),
      }),
    took: async () => {
      assert.deepEqual(await sql('select 1 from reconnect_link where profile_id = $1', [profile.id]), [])
      const audited = await sql(`select 1 from audit where account_id = $1 and action = 'profile.reconnect'`, [
        merged.account.id,
      ])
      assert.equal(audited.length, 1)
    },
  }
}

const merging = async (): Promise<Case> => {
  const shared = newPerson()
  const source = await connect(FAR, [shared, newPerson()])
  const dest = await connect(NEAR, [newPerson(), shared])
  for (const { account } of [source, dest]) await storeOwnItems(deps, account, 'notes', [{ id: 'n1', text: 'one' }])
  const people = [...new Set([...(await profilesOf(source.account.id)), ...(await profilesOf(dest.account.id))])].sort()
  return {
    send: () => fetch(`${victim.url()}/auth/merge`, form({ source: source.token, dest: dest.token })),
    took: async () => {
      assert.deepEqual(await profilesOf(dest.account.id), people)
      const left = await sql('select 1 from profile where account_id = $1', [source.account.id])
      assert.deepEqual(left, [])
      const response = await fetch(`${victim.url()}/profiles`, bearer(source.token))
      assert.equal(response.status, 401)
    },
  }
}

const disconnecting = async (): Promise<Case> => {
  const person = newPerson()
  const merged = await mergedAccount(person)
  const others = (await profilesOf(merged.account.id)).filter((each) => each !== person)
  return {
    send: () => fetch(`${victim.url()}/profiles/${person}@${SERVICE}`, { method: 'DELETE', ...bearer(merged.token) }),
    took: async () => {
      assert.deepEqual(await profilesOf(merged.account.id), others)
      assert.deepEqual(await sql('select 1 from profile where native_id = $1', [person]), [])
      assert.deepEqual(await sql('select 1 from service_user where native_id = $1', [person]), [])
    },
  }
}

const erasing = async (): Promise<Case> => {
  const merged = await mergedAccount(newPerson())
  return {
    send: () => fetch(`${victim.url()}/profiles`, { method: 'DELETE', ...bearer(merged.token) }),
    took: async () => {
      const { id } = merged.account
      assert.deepEqual(await sql('select 1 from profile where account_id = $1', [id]), [])
      assert.deepEqual(await sql('select 1 from account where id = $1', [id]), [])
      assert.deepEqual(await sql('select 1 from service_user where $1 = any(account_ids)', [id]), [])
    },
  }
}

/** The tables at which each is interrupted, in the order of its statements; at the last one its process is killed. */
const CASES: [string, () => Promise<Case>, string[]][] = [
  ['redeeming a code into an account of another shard', redeeming, ['service_user', 'credential', 'audit']],
  ['redeeming a code into an account with 1,000 tokens', redeemingIntoFull, ['audit']],
  ['applying a token', applying, ['service_user', 'audit']],
  ['reconnecting a profile', reconnecting, ['service_user', 'audit']],
  ['merging accounts', merging, ['credential', 'item_tombstone', 'push_event', 'service_user', 'audit']],
  ['disconnecting after a merge', disconnecting, ['item_tombstone', 'service_user']],
  ['deleting an account after a merge', erasing, ['item_tombstone', 'push_event', 'audit']],
]

/** What the erasure of an account deletes at once. Items go before, in batches, and each account of the app has its turn. */
const isOfOneTransaction = (rows: string) => /^(profile|profile_sync|credential|service_user)\./.test(rows)

suite('a transaction over several shards', { timeout: 900_000 }, () => {
  for (const [name, prepare, tables] of CASES)
    for (const table of tables) {
      const how: Interruption = table === tables.at(-1) ? 'process' : 'connection'
      test(`${name}: the ${how} ends at ${table}, nothing is stored, and the repeated request completes`, async () => {
        const { send, took } = await prepare()
        const before = await everything()
        await victim.interrupt(table, how, send)
        assert.deepEqual(await everything(), before)
        await victim.start()
        const response = await send()
        const text = await response.text()
        assert.ok(response.status < 400, `${response.status} ${text}`)
        await took(text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {})
      })
    }

  // `service_user` and `push_event`: while an account is erased; `app_secret`: with the app itself, at the end.
  for (const table of ['service_user', 'push_event', 'app_secret'])
    test(`deleting an app: its worker is killed at ${table}, and another one completes it`, async () => {
      await victim.start()
      const going = await newApp()
      await mergedAccount(newPerson(), going)
      const ids = await idsOfApp(sql, going.id)
      const rowsLeft = () => tablesWithRowsOf(sql, ids)
      const before = await rowsLeft()
      await victim.interrupt(table, 'process', () =>
        beginDeletion(deps, going.id, 'test', { erase: true, giveUp: true }),
      )
      if (table === 'app_secret') {
        assert.equal((await sql('select 1 from app where id = $1', [going.id])).length, 1)
        assert.notEqual((await deletionProgress(deps, going.id))?.state, 'deleted')
      } else assert.deepEqual((await rowsLeft()).filter(isOfOneTransaction), before.filter(isOfOneTransaction))
      // As if the lease of the dead worker had expired.
      await sql('update app_deletion set lease_until = 0 where app_id = $1', [going.id])
      await victim.start()
      await until('it is deleted', async () => (await deletionProgress(deps, going.id))?.state === 'deleted')
      assert.deepEqual(await rowsLeft(), [])
      const progress = await deletionProgress(deps, going.id)
      // The merged account is a row of its own.
      assert.deepEqual([progress?.accounts, progress?.erased], [2, 2])
    })
})

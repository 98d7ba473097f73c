import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { newPartId } from '#base/ids.ts'
import type { DeliveryTimes } from '#flows/deliver/need.ts'
import { newAccessToken } from '#model/access-token.ts'
import type { Account } from '#model/account.ts'
import { insertAccessToken } from '#store/access-tokens.ts'
import { insertAccount } from '#store/accounts.ts'
import { markDeliveriesDue } from '#store/delivery-cursors.ts'
import { removeItems } from '#store/items.ts'
import { findOwnProfile, numberOwnChanges } from '#store/own-profile.ts'
import { type CuttableLine, cuttableLine } from '../../harness/cuttable-line.ts'
import { freshDatabase } from '../../harness/database.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

export const LOOPBACK = '127.0.0.0/8,::1/128'

interface PushApp {
  clientId: string
  secret: string
}

/** An account of the app, with items of its own. */
export interface Person {
  account: Account
  token: string
}

export interface Told<Body = Record<string, unknown>> {
  status: number
  text: string
  body: Body
}

export interface Shown {
  id: string
  state: string
  url: string
  rows: number
  profiles: number
  profiles_behind: number
  profiles_failing: number
  changes_behind: number
  dead_letters: number
  last_error?: string
  secret?: string
  [field: string]: unknown
}

export interface Item {
  id: string | number
  at?: number
  type?: string
  [field: string]: unknown
}

export type PushHouse = Awaited<ReturnType<typeof startPushHouse>>

/** The service with a clock that can be moved ahead, and an app that has people with items. */
export async function startPushHouse(deliveryTimes: Partial<DeliveryTimes> = {}, env: Record<string, string> = {}) {
  let aheadMs = 0
  const clock = { now: () => Date.now() + aheadMs }
  const tributary = await startTributary(
    { TRIBUTARY_ALLOW_PRIVATE: LOOPBACK, DATABASE_POOL: '8', ...env },
    { clock, deliveryTimes },
  )
  return {
    tributary,
    clock,
    /** Time passes at once, for all but the job engine. */
    pass: (ms: number) => {
      aheadMs += ms
    },
    stop: () => tributary.stop(),
    newTenant: () => newTenant(tributary),
    /** Stores items as an app does. */
    put: (person: Person, items: Item[], endpoint = 'things') => put(tributary, person, items, endpoint),
    /** Takes items away as a sync does that no longer finds them. */
    take: (person: Person, ids: string[]) => take(tributary, person, ids),
    /** Looks behind the door. */
    sql: <Row extends object = Record<string, unknown>>(text: string, values: unknown[] = []) =>
      tributary.store.database.rows<Row>({ name: '', text }, values),
  }
}

export type Tenant = Awaited<ReturnType<typeof newTenant>>

/** An app, with the calls it makes. */
async function newTenant(tributary: Tributary) {
  const app = await makeApp(tributary)
  const asks = (method: string, path: string, body?: unknown) => ask(tributary, app, method, path, body)
  const show = async ({ id }: Pick<Shown, 'id'>): Promise<Shown> =>
    (await asks('GET', `/push/${id}`)).body as unknown as Shown
  return {
    ...app,
    ask: asks,
    show,
    newPerson: () => newPerson(tributary, app),
    add: async (fields: Record<string, unknown>): Promise<Shown> => {
      const made = await asks('POST', '/push', { name: 'Ours', filter: ['*'], ...fields })
      if (made.status !== 201) throw new Error(`no destination was made: ${made.text}`)
      return made.body as unknown as Shown
    },
    /** Waits until a destination has heard of everything. */
    caughtUp: (made: Pick<Shown, 'id'>) =>
      until('it is caught up', async () => (await show(made)).profiles_behind === 0),
  }
}

async function makeApp({ admin }: Tributary): Promise<PushApp> {
  const made = await admin('POST', '/admin/apps', { name: 'Pusher', redirect_uris: ['https://app.test/'] })
  const { client_id: clientId, client_secret: secret } = made.body as { client_id: string; client_secret: string }
  return { clientId, secret }
}

async function ask({ url }: Tributary, by: PushApp, method: string, path: string, body?: unknown): Promise<Told> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${by.clientId}:${by.secret}`).toString('base64')}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: JSON.parse(text) as Record<string, unknown> }
}

let parts = 0

async function newPerson({ store }: Tributary, by: PushApp): Promise<Person> {
  const now = Date.now()
  const part = (parts += 1)
  const account: Account = { part, id: newPartId(part, now), appId: by.clientId, parts: [part], createdAt: now }
  await insertAccount(store.database, account)
  const token = newAccessToken(part, now)
  await insertAccessToken(store.database, account, store.hasher.hash('access_token', token), now)
  return { account, token }
}

async function put({ url }: Tributary, { token }: Person, items: Item[], endpoint: string): Promise<void> {
  for (let at = 0; at < items.length; at += 1000) {
    const answer = await fetch(`${url}/services/self/${endpoint}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(items.slice(at, at + 1000)),
    })
    if (answer.status !== 200) throw new Error(`items were refused: ${await answer.text()}`)
    await answer.body?.cancel()
  }
}

async function take({ store }: Tributary, { account }: Person, nativeIds: string[]): Promise<void> {
  const key = (await findOwnProfile(store.database, account, 'self'))!
  const rows = await store.database.rows<{ id: string }>(
    {
      name: '',
      text: 'select id from item where part = $1 and profile_id = $2 and native_id = any($3)',
    },
    [key.part, key.profileId, nativeIds],
  )
  await store.database.transaction(async (tx) => {
    const seq = (await numberOwnChanges(tx, key, rows.length))!
    await removeItems(
      tx,
      key,
      rows.map(({ id }) => id),
      seq - rows.length + 1,
      store.clock.now(),
    )
    await markDeliveriesDue(tx, key, store.clock.now())
  })
}

/** A client's own PostgreSQL: a database of its own, reached over a line that can be cut. */
export interface ClientDatabase {
  url: string
  line: CuttableLine
  sql: <Row extends object = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>
  /** Rows that are there and not deleted, by native id. */
  live: () => Promise<string[]>
  drop: () => Promise<void>
}

export async function clientDatabase(): Promise<ClientDatabase> {
  const database = await freshDatabase()
  const line = await cuttableLine(database.url)
  const client = new Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  const url = new URL(line.url)
  url.searchParams.set('sslmode', 'disable')
  const sql = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows
  return {
    url: url.href,
    line,
    sql,
    live: async () => {
      const [made] = await sql<{ there: boolean }>(`select to_regclass('tributary_items') is not null as there`)
      if (made?.there !== true) return []
      const rows = await sql<{ native_id: string }>(
        'select native_id from tributary_items where deleted_at is null order by native_id',
      )
      return rows.map(({ native_id }) => native_id)
    },
    drop: async () => {
      await client.end()
      await line.close()
      await database.drop()
    },
  }
}

/** Waits until something holds; fails with its name if it never does. */
export async function until(what: string, holds: () => Promise<boolean> | boolean, mostMs = 30_000): Promise<void> {
  const endAt = performance.now() + mostMs
  while (!(await holds())) {
    if (performance.now() > endAt) throw new Error(`it never came to this: ${what}`)
    await sleep(25)
  }
}

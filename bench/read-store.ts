import { Client, DatabaseError } from 'pg'
import { demoMicro } from '#connectors/demo-micro/connector.ts'
import { demoSocial } from '#connectors/demo-social/connector.ts'
import { ingest } from '#flows/sync/commit/commit-page.ts'
import { type ItemStream, openItemStream } from '#flows/sync/diff/item-stream.ts'
import { newAccessToken } from '#model/accounts/access-token.ts'
import type { Account } from '#model/accounts/account.ts'
import { systemClock } from '#platform/clock.ts'
import { encodeNumber, newShardId } from '#platform/crypto/ids.ts'
import { Keyring } from '#platform/crypto/sealing.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { insertAccessToken } from '#store/identity/access-tokens.ts'
import { insertAccount } from '#store/identity/accounts.ts'
import { insertProfile } from '#store/identity/profiles.ts'
import { migrate } from '#store/migrate.ts'
import { openHasher } from '#store/vault.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { makeRecords, type StreamName } from './read-records.ts'

export interface Filled {
  size: number
  account: Account
  token: string
}

/** A filled store, its key and its accounts. */
export interface FilledStore {
  key: string
  filled: Filled[]
}

/** Written last, so that its presence shows that the store is complete. */
export async function recordFilledStore(url: string, store: FilledStore): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('create table bench_kept (value json not null)')
    await client.query('insert into bench_kept values ($1)', [store])
  })
}

/** Undefined when there is no such database. */
export async function findFilledStore(url: string): Promise<FilledStore | undefined> {
  try {
    return await withClient(url, async (client) => {
      const { rows } = await client.query<{ value: FilledStore }>('select value from bench_kept')
      return rows[0]?.value
    })
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '3D000') return undefined
    throw error
  }
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const SMALL = 1000
const STREAMS: Record<StreamName, typeof demoSocial> = {
  posts: demoSocial,
  photos: demoSocial,
  feed: demoSocial,
  friends: demoSocial,
  statuses: demoMicro,
  timeline: demoMicro,
}

/** A store of `total` items: one account of each size, and the rest in copies of the smallest one. */
export async function fillStore(url: string, keys: Buffer[], total: number, sizes: number[]): Promise<Filled[]> {
  const log = createLog({
    level: 'warn',
    format: 'text',
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  })
  const database = openDatabase({ url, pool: 4, prepared: true, log })
  const client = new Client({ connectionString: url })
  await client.connect()
  // Not durable, because a store that is lost in a crash is filled again.
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '1GB'`)
  try {
    await migrate(database, systemClock.now())
    await client.query(
      `insert into app (id, name, redirect_uris, token_flow, created_at) values ('bench', 'Bench', '{}', true, 0)`,
    )
    const hasher = await openHasher(database, new Keyring(keys))
    const indexes = await dropIndexes(client)
    const filled: Filled[] = []
    for (const [i, size] of sizes.entries()) {
      const account = await createAccount(database, i)
      await fillAccount(database, account, size)
      const token = newAccessToken(account.shard, systemClock.now())
      const hash = hasher.hash('access_token', token)
      await insertAccessToken(database, account, { hash, profileId: '', createdAt: systemClock.now() })
      filled.push({ size, account, token })
    }
    const rest = Math.max(0, total - sizes.reduce((sum, size) => sum + size, 0))
    await copyAccounts(client, filled[0]!.account, Math.floor(rest / SMALL))
    for (const index of indexes) await client.query(index)
    await client.query('vacuum analyze')
    return filled
  } finally {
    await client.end()
    await database.close()
  }
}

/** Drops the indexes and returns their definitions. Building them after the rows is many times faster. */
export async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; sql: string }>(
    `select indexname as name, indexdef as sql from pg_indexes where tablename = 'item' and indexname <> 'item_pkey'`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ sql }) => sql)
}

async function createAccount(database: Database, shard: number): Promise<Account> {
  const account = { shard, id: newShardId(shard, systemClock.now()), appId: 'bench', shards: [shard], createdAt: 0 }
  await insertAccount(database, account)
  return account
}

async function fillAccount(database: Database, account: Account, size: number): Promise<void> {
  const profiles = new Map<string, string>()
  for (const { service } of [demoSocial, demoMicro]) {
    const id = newShardId(account.shard, systemClock.now())
    profiles.set(service, id)
    await insertProfile(database, {
      shard: account.shard,
      id,
      accountId: account.id,
      appId: account.appId,
      service,
      nativeId: 'owner',
      state: 'active',
      pausedAt: undefined,
      stateUntil: undefined,
      error: undefined,
      scope: undefined,
      person: {},
      data: '{}',
      connectedAt: 0,
      updatedAt: 0,
      syncedAt: undefined,
    })
  }
  const waiting = new Map<StreamName, LosslessJson[]>()
  const flush = async (name: StreamName) => {
    const records = waiting.get(name) ?? []
    waiting.delete(name)
    const stream = streamOf(name, account.shard, profiles.get(STREAMS[name].service)!)
    await database.transaction((tx) => ingest(tx, stream, records, records.length, systemClock.now()))
  }
  for (const { stream, record } of makeRecords(size)) {
    const records = waiting.get(stream) ?? []
    waiting.set(stream, records)
    records.push(record as LosslessJson)
    if (records.length === 1000) await flush(stream)
  }
  for (const name of waiting.keys()) await flush(name)
}

function streamOf(name: StreamName, shard: number, profileId: string): ItemStream {
  const connector = STREAMS[name]
  return openItemStream(connector, name, connector.endpoints[name]!, 'owner', { shard, profileId }, 0)
}

/** Copies the items of an account under other profiles, spread over the shards, with the search scope of each profile. */
async function copyAccounts(client: Client, source: Account, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const shard = 8 + (i % 1000)
    const [prefix, scope] = [encodeNumber(shard, 2) + encodeNumber(i, 8), encodeNumber((i * 7919) % 2 ** 20, 4)]
    await client.query(
      `insert into item select $1, $2 || substr(i.profile_id, 11, 14) || $3, gen_random_uuid(), i.endpoint, i.native_id, i.at,
         i.updated_at, seq, hash, types, author, i.participants, i.guid, i.lat, i.lng,
         regexp_replace(i.words::text, '(^| )''....', '\\1''' || $3, 'g')::tsvector, i.oembed, i.data
       from item i join profile p on p.shard = i.shard and p.id = i.profile_id where p.shard = $4 and p.account_id = $5`,
      [shard, prefix, scope, source.shard, source.id],
    )
  }
}

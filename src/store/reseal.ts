import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import { type Database, statement } from '#platform/postgres/database.ts'
import { Values } from './items/predicates.ts'

type KeyValue = string | number | Buffer

interface SealedColumn {
  table: string
  column: string
  keys: string[]
  /** The row's name inside the seal, in the same form as in the module that seals it. */
  row: (key: KeyValue[]) => string
}

const joinKey = (key: KeyValue[]) => key.join('/')
const hashOf = ([, hash]: KeyValue[]) => (hash as Buffer).toString('hex')

/** All sealed columns. Values of a column missing here would be lost with their key; a test compares the catalogue. */
export const SEALED_COLUMNS: SealedColumn[] = [
  { table: 'vault', column: 'sealed', keys: ['name'], row: joinKey },
  { table: 'service_key', column: 'secret', keys: ['app_id', 'service'], row: joinKey },
  { table: 'service_registration', column: 'sealed', keys: ['app_id', 'service', 'instance'], row: joinKey },
  { table: 'destination', column: 'sealed', keys: ['id'], row: joinKey },
  { table: 'credential', column: 'sealed', keys: ['shard', 'profile_id'], row: joinKey },
  { table: 'pending', column: 'sealed', keys: ['shard', 'hash'], row: hashOf },
  { table: 'consent', column: 'sealed', keys: ['shard', 'hash'], row: hashOf },
  {
    table: 'hook_subscription',
    column: 'sealed',
    keys: ['shard', 'app_id', 'service', 'profile_id', 'name'],
    row: joinKey,
  },
  {
    table: 'idempotency_key',
    column: 'sealed',
    keys: ['hash'],
    row: ([hash]) => (hash as Buffer).toString('hex'),
  },
  { table: 'connect_session', column: 'sealed', keys: ['shard', 'id'], row: ([, id]) => String(id) },
  { table: 'applied_token', column: 'sealed', keys: ['shard', 'hash'], row: hashOf },
]

const BATCH = 200
const REPORT_EVERY = 50

/** A value that no key of the keyring opens. Without the value itself, because this is shown and logged. */
export interface UnreadableValue {
  table: string
  /** The primary key, without parts that are secret. */
  row: string
  reason: SealError['reason']
}

export interface Stale {
  /** Values that only an older key opens: dropping that key would lose them. */
  needed: number
  unreadable: UnreadableValue[]
}

/** Values that are not sealed with the first key: those that still need an older key, and those that no key opens. */
export async function findStale(database: Database, keyring: Keyring): Promise<Stale> {
  const stale: Stale = { needed: 0, unreadable: [] }
  for await (const { cell, key, sealed } of staleValues(database, keyring)) {
    const opened = tryOpen(keyring, cell, key, sealed)
    if (typeof opened === 'string') stale.needed += 1
    else stale.unreadable.push(opened)
  }
  return stale
}

/** True when a value still needs an older key. */
export async function hasStale(database: Database, keyring: Keyring): Promise<boolean> {
  for await (const { cell, key, sealed } of staleValues(database, keyring))
    if (typeof tryOpen(keyring, cell, key, sealed) === 'string') return true
  return false
}

/**
 * Seals every value again with the first key while the service runs; after an interruption, a new run finds the rest. A
 * value that does not open is reported and left unchanged: one damaged row must not keep a leaked key in use.
 */
export async function reseal(
  database: Database,
  keyring: Keyring,
  progress: (done: number) => void,
): Promise<{ resealed: number; unreadable: UnreadableValue[] }> {
  let done = 0
  const unreadable: UnreadableValue[] = []
  for await (const { cell, key, sealed } of staleValues(database, keyring)) {
    const opened = tryOpen(keyring, cell, key, sealed)
    if (typeof opened !== 'string') {
      unreadable.push(opened)
      continue
    }
    await replaceValue(database, keyring, cell, key, sealed, opened)
    done += 1
    if (done % REPORT_EVERY === 0) progress(done)
  }
  progress(done)
  return { resealed: done, unreadable }
}

interface StaleValue {
  cell: SealedColumn
  key: KeyValue[]
  sealed: Buffer
}

async function* staleValues(database: Database, keyring: Keyring): AsyncGenerator<StaleValue> {
  for (const cell of SEALED_COLUMNS) {
    let after: KeyValue[] | undefined
    for (;;) {
      const batch = await nextBatch(database, keyring, cell, after)
      for (const { key, sealed } of batch) yield { cell, key, sealed }
      after = batch.at(-1)?.key
      if (after === undefined) break
    }
  }
}

function tryOpen(
  keyring: Keyring,
  { table, column, row }: SealedColumn,
  key: KeyValue[],
  sealed: Buffer,
): string | UnreadableValue {
  try {
    return keyring.open(sealed, { table, row: row(key), column })
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return { table, row: row(key), reason: error.reason }
  }
}

// In the order of the primary key, so that a large table is read once and not once per batch.
async function nextBatch(
  database: Database,
  keyring: Keyring,
  { table, column, keys }: SealedColumn,
  after: KeyValue[] | undefined,
) {
  const keyColumns = keys.join(', ')
  const values = new Values()
  const isStale = `substring(${column} from 2 for 4) <> ${values.add(keyring.primaryId)}`
  const isAfter =
    after === undefined ? '' : `and (${keyColumns}) > (${after.map((value) => values.add(value)).join(', ')})`
  const findBatch = statement(
    `reseal-find-${table}-${column}${after === undefined ? '' : '-after'}`,
    `select ${keyColumns}, ${column} as value from ${table} where ${isStale} ${isAfter}
     order by ${keyColumns} limit ${BATCH}`,
  )
  const rows = await database.rows<Record<string, KeyValue>>(findBatch, values.list)
  return rows.map((row) => ({ key: keys.map((name) => row[name]!), sealed: row['value'] as Buffer }))
}

async function replaceValue(
  database: Database,
  keyring: Keyring,
  { table, column, keys, row }: SealedColumn,
  key: KeyValue[],
  sealed: Buffer,
  value: string,
): Promise<void> {
  const values = new Values()
  const resealed = values.add(keyring.seal(value, { table, row: row(key), column }))
  // Only if the value is unchanged: one that was written during the rotation wins.
  const isUnchanged = `${column} = ${values.add(sealed)}`
  const isRow = keys.map((name, i) => `${name} = ${values.add(key[i])}`).join(' and ')
  const update = statement(
    `reseal-swap-${table}-${column}`,
    `update ${table} set ${column} = ${resealed} where ${isUnchanged} and ${isRow}`,
  )
  await database.count(update, values.list)
}

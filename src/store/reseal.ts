import { type Database, statement } from '#platform/postgres/database.ts'
import { type Keyring, SealError } from '#platform/sealing.ts'

type KeyValue = string | number | Buffer

interface SealedColumn {
  table: string
  column: string
  keys: string[]
  /** The row's name inside the seal, as the module that seals it spells it. */
  row: (key: KeyValue[]) => string
}

const joined = (key: KeyValue[]) => key.join('/')
const byHash = ([, hash]: KeyValue[]) => (hash as Buffer).toString('hex')

/** Every sealed column there is: one missing here would be lost when its key is dropped. A test reads the catalogue. */
export const SEALED_COLUMNS: SealedColumn[] = [
  { table: 'vault', column: 'sealed', keys: ['name'], row: joined },
  { table: 'service_key', column: 'secret', keys: ['app_id', 'service'], row: joined },
  { table: 'destination', column: 'sealed', keys: ['id'], row: joined },
  { table: 'credential', column: 'sealed', keys: ['shard', 'profile_id'], row: joined },
  { table: 'pending', column: 'sealed', keys: ['shard', 'hash'], row: byHash },
  { table: 'consent', column: 'sealed', keys: ['shard', 'hash'], row: byHash },
]

const BATCH = 200
const REPORT_EVERY = 50

/** A value that no key at hand opens. Without the value itself: it may be read by people and logged. */
export interface UnreadableValue {
  table: string
  /** The primary key, as far as it is no secret. */
  row: string
  reason: SealError['reason']
}

export interface Stale {
  /** Values that an older key opens: with that key they would be lost. */
  needed: number
  unreadable: UnreadableValue[]
}

/** What is not sealed with the first key: what still needs an older one, and what no key opens. */
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
 * Seals everything anew with the first key while the service runs; stopped half-way, a new run finds what is left. A value that
 * does not open is told and left as it is: one damaged row must not keep a leaked key in use.
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
    await swap(database, keyring, cell, key, sealed, opened)
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

// Walks the primary key, so that a large table is read once and not once per batch.
async function nextBatch(
  database: Database,
  keyring: Keyring,
  { table, column, keys }: SealedColumn,
  after: KeyValue[] | undefined,
) {
  const list = keys.join(', ')
  const beyond = after === undefined ? '' : `and (${list}) > (${keys.map((_, i) => `$${i + 2}`).join(', ')})`
  const find = statement(
    `reseal-find-${table}-${column}${after === undefined ? '' : '-after'}`,
    `select ${list}, ${column} as value from ${table} where substring(${column} from 2 for 4) <> $1 ${beyond} order by ${list} limit ${BATCH}`,
  )
  const rows = await database.rows<Record<string, KeyValue>>(find, [keyring.primaryId, ...(after ?? [])])
  return rows.map((row) => ({ key: keys.map((name) => row[name]!), sealed: row['value'] as Buffer }))
}

async function swap(
  database: Database,
  keyring: Keyring,
  { table, column, keys, row }: SealedColumn,
  key: KeyValue[],
  sealed: Buffer,
  value: string,
): Promise<void> {
  const where = keys.map((name, i) => `${name} = $${i + 3}`).join(' and ')
  // Only if nobody wrote it meanwhile: a value set anew during the rotation wins.
  const update = statement(
    `reseal-swap-${table}-${column}`,
    `update ${table} set ${column} = $2 where ${column} = $1 and ${where}`,
  )
  const cell = { table, row: row(key), column }
  await database.count(update, [sealed, keyring.seal(value, cell), ...key])
}

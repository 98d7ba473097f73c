import type { Keyring } from '#base/sealing.ts'
import { type Database, statement } from './database.ts'

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
  { table: 'credential', column: 'sealed', keys: ['part', 'profile_id'], row: joined },
  { table: 'pending', column: 'sealed', keys: ['part', 'hash'], row: byHash },
  { table: 'consent', column: 'sealed', keys: ['part', 'hash'], row: byHash },
]

const BATCH = 200

/** How many sealed values still need an older key. */
export async function countStale(database: Database, keyring: Keyring): Promise<number> {
  let total = 0
  for (const { table, column } of SEALED_COLUMNS) {
    const stale = statement(
      `reseal-count-${table}-${column}`,
      `select count(*) as n from ${table} where substring(${column} from 2 for 4) <> $1`,
    )
    const [row] = await database.rows<{ n: number }>(stale, [keyring.primaryId])
    total += row?.n ?? 0
  }
  return total
}

/** Seals everything anew with the first key while the service runs; stopped half-way, a new run finds what is left. */
export async function reseal(database: Database, keyring: Keyring, progress: (done: number) => void): Promise<number> {
  let done = 0
  for (const place of SEALED_COLUMNS) {
    let after: KeyValue[] | undefined
    for (;;) {
      const batch = await nextBatch(database, keyring, place, after)
      if (batch.length === 0) break
      for (const { key, sealed } of batch) await swap(database, keyring, place, key, sealed)
      done += batch.length
      progress(done)
      after = batch.at(-1)!.key
    }
  }
  return done
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
): Promise<void> {
  const where = keys.map((name, i) => `${name} = $${i + 3}`).join(' and ')
  // Only if nobody wrote it meanwhile: a value set anew during the rotation wins.
  const update = statement(
    `reseal-swap-${table}-${column}`,
    `update ${table} set ${column} = $2 where ${column} = $1 and ${where}`,
  )
  const place = { table, row: row(key), column }
  await database.count(update, [sealed, keyring.seal(keyring.open(sealed, place), place), ...key])
}

import { createHash } from 'node:crypto'
import type { CopyConnection } from '#platform/postgres/copy.ts'
import { DATA_BYTES, encodeFrame, type FrameType } from './frames.ts'
import { backupTables, copyOutText } from './tables.ts'

/** The first frame of a backup. */
export interface BackupHeader {
  format: 1
  /** The release that wrote it. */
  version: string
  created_at: number
  migrations: { name: string; checksum: string }[]
  /** The sealed hashing key, which proves that a keyring belongs to the data. */
  vault: string | undefined
  /** The sealing keys, if they were asked for. */
  keys: SealedKeys | undefined
}

/** Keys encrypted with a passphrase: scrypt and AES-256-GCM, in base64. */
export interface SealedKeys {
  salt: string
  nonce: string
  tag: string
  data: string
}

export interface BackupCounts {
  tables: number
  /** Uncompressed. */
  bytes: number
}

// One moment of the whole database. The settings decide how values are written as text.
const BEGIN = `begin isolation level repeatable read read only;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local client_encoding = 'UTF8'; set local bytea_output = 'hex'; set local extra_float_digits = 1`

/** The bytes of a backup, all of one snapshot, read from the database no faster than they are consumed. */
export async function* writeBackup(
  connection: CopyConnection,
  head: Omit<BackupHeader, 'migrations' | 'vault' | 'format'>,
  counts: BackupCounts,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const frame = (type: FrameType, content: Buffer): Buffer => {
    const bytes = encodeFrame({ type, content })
    hash.update(bytes)
    counts.bytes += bytes.length
    return bytes
  }
  const json = (type: FrameType, value: unknown) => frame(type, Buffer.from(JSON.stringify(value)))
  await connection.run(BEGIN)
  const migrations = await connection.run<{ name: string; checksum: string }>(
    'select name, checksum from migration order by name',
  )
  const [vault] = await connection.run<{ sealed: Buffer }>(`select sealed from vault where name = 'pepper'`)
  const header: BackupHeader = { format: 1, ...head, migrations, vault: vault?.sealed.toString('base64') }
  yield json('header', header)
  for (const table of await backupTables(connection)) {
    yield json('table', table)
    counts.tables += 1
    for await (const content of inPieces(connection.copyOut(copyOutText(table)))) yield frame('data', content)
  }
  await connection.run('commit')
  yield encodeFrame({ type: 'end', content: Buffer.from(JSON.stringify({ sha256: hash.digest('hex'), ...counts })) })
}

/** Joins rows, which the server sends one by one, and divides very large ones. */
async function* inPieces(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let length = 0
  for await (const row of rows) {
    waiting.push(row)
    length += row.length
    if (length < DATA_BYTES) continue
    const joined = Buffer.concat(waiting)
    for (let at = 0; at < joined.length; at += DATA_BYTES) yield joined.subarray(at, at + DATA_BYTES)
    waiting = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(waiting)
}

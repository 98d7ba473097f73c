import { type Queries, statement } from '#platform/postgres/database.ts'

/** The public half of a passkey. */
export interface StoredPasskey {
  /** The credential's id, as base64url. */
  id: string
  operatorId: string
  name: string
  /** SPKI, as DER. */
  publicKey: Buffer
  counter: number
  createdAt: number
  usedAt?: number | undefined
}

interface Row {
  id: string
  operator_id: string
  name: string
  public_key: Buffer
  counter: number
  created_at: number
  used_at: number | null
}

const columns = 'id, operator_id, name, public_key, counter, created_at, used_at'
const insert = statement(
  'passkey-insert',
  `insert into operator_passkey (id, operator_id, name, public_key, counter, created_at)
   values ($id, $operatorId, $name, $publicKey, $counter, $createdAt) on conflict do nothing`,
)
const lock = statement('passkey-lock', `select ${columns} from operator_passkey where id = $id for update`)
const list = statement('passkey-list', `select ${columns} from operator_passkey order by created_at, id`)
const use = statement('passkey-use', 'update operator_passkey set counter = $counter, used_at = $usedAt where id = $id')
const remove = statement('passkey-delete', 'delete from operator_passkey where id = $id and operator_id = $operatorId')
const removeOf = statement('passkey-delete-of', 'delete from operator_passkey where operator_id = $operatorId')
const answer = statement(
  'challenge-answer',
  'insert into answered_challenge (hash, expires_at) values ($hash, $expiresAt) on conflict do nothing',
)
const purge = statement('challenge-purge', 'delete from answered_challenge where expires_at <= $nowMs')

/** False if the passkey is known. */
export async function insertPasskey(tx: Queries, passkey: StoredPasskey): Promise<boolean> {
  const { usedAt: _usedAt, ...rest } = passkey
  return (await tx.count(insert.with({ ...rest }))) > 0
}

export async function lockPasskey(tx: Queries, id: string): Promise<StoredPasskey | undefined> {
  const [row] = await tx.rows<Row>(lock.with({ id }))
  return row && toPasskey(row)
}

/** Of all operators. */
export async function listPasskeys(queries: Queries): Promise<StoredPasskey[]> {
  return (await queries.rows<Row>(list)).map(toPasskey)
}

export async function markPasskeyUsed(tx: Queries, id: string, counter: number, usedAt: number): Promise<void> {
  await tx.count(use.with({ id, counter, usedAt }))
}

/** False if the operator has no such passkey. */
export async function deletePasskey(tx: Queries, operatorId: string, id: string): Promise<boolean> {
  return (await tx.count(remove.with({ operatorId, id }))) > 0
}

export async function deletePasskeysOf(tx: Queries, operatorId: string): Promise<void> {
  await tx.count(removeOf.with({ operatorId }))
}

/** False if the challenge was answered before. */
export async function answerChallenge(tx: Queries, hash: Buffer, expiresAt: number): Promise<boolean> {
  return (await tx.count(answer.with({ hash, expiresAt }))) > 0
}

export function purgeChallenges(queries: Queries, nowMs: number): Promise<number> {
  return queries.count(purge.with({ nowMs }))
}

function toPasskey(row: Row): StoredPasskey {
  return {
    id: row.id,
    operatorId: row.operator_id,
    name: row.name,
    publicKey: row.public_key,
    counter: row.counter,
    createdAt: row.created_at,
    usedAt: row.used_at ?? undefined,
  }
}

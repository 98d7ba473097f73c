import type { OperatorRole } from '#model/apps/operator.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** A link that is used once. */
export interface OperatorLink {
  id: string
  /** Who sets a new password or passkey with it; undefined: it creates an operator. */
  operatorId?: string | undefined
  /** The proposed name. */
  name?: string | undefined
  role: OperatorRole
  apps: string[]
  createdBy: string
  createdAt: number
  expiresAt: number
}

interface Row {
  id: string
  operator_id: string | null
  name: string | null
  role: OperatorRole
  apps: string[]
  created_by: string
  created_at: number
  expires_at: number
}

const columns = 'id, operator_id, name, role, apps, created_by, created_at, expires_at'
const insert = statement(
  'operator-link-insert',
  `insert into operator_link (hash, ${columns})
   values ($hash, $id, $operatorId, $name, $role, $apps, $createdBy, $createdAt, $expiresAt)`,
)
// A link of an operator who was removed or became a developer is worth nothing: they may have kept it for themselves.
const isOpen = `expires_at > $nowMs and (created_by not like 'operator:%'
  or exists (select 1 from operator o where o.role = 'operator' and 'operator:' || o.id = created_by))`
const find = statement('operator-link-find', `select ${columns} from operator_link where hash = $hash and ${isOpen}`)
const use = statement(
  'operator-link-use',
  `delete from operator_link where hash = $hash and ${isOpen} returning ${columns}`,
)
const list = statement(
  'operator-link-list',
  `select ${columns} from operator_link where ${isOpen} order by created_at desc, id`,
)
const remove = statement('operator-link-delete', 'delete from operator_link where id = $id')
const removeBy = statement('operator-link-delete-by', 'delete from operator_link where created_by = $createdBy')
const removeOf = statement('operator-link-delete-of', 'delete from operator_link where operator_id = $operatorId')
const purge = statement('operator-link-purge', 'delete from operator_link where expires_at <= $nowMs')

export async function insertLink(tx: Queries, hash: Buffer, link: OperatorLink): Promise<void> {
  await tx.count(insert.with({ hash, ...link, operatorId: link.operatorId ?? null, name: link.name ?? null }))
}

export async function findLink(queries: Queries, hash: Buffer, nowMs: number): Promise<OperatorLink | undefined> {
  const [row] = await queries.rows<Row>(find.with({ hash, nowMs }))
  return row && toLink(row)
}

/** Takes the link, which works only once: of two callers one gets it. */
export async function useLink(tx: Queries, hash: Buffer, nowMs: number): Promise<OperatorLink | undefined> {
  const [row] = await tx.rows<Row>(use.with({ hash, nowMs }))
  return row && toLink(row)
}

export async function listLinks(queries: Queries, nowMs: number): Promise<OperatorLink[]> {
  return (await queries.rows<Row>(list.with({ nowMs }))).map(toLink)
}

/** False if there is no such link. */
export async function deleteLink(tx: Queries, id: string): Promise<boolean> {
  return (await tx.count(remove.with({ id }))) > 0
}

export async function deleteLinksBy(tx: Queries, createdBy: string): Promise<void> {
  await tx.count(removeBy.with({ createdBy }))
}

export async function deleteLinksOf(tx: Queries, operatorId: string): Promise<void> {
  await tx.count(removeOf.with({ operatorId }))
}

export function purgeLinks(queries: Queries, nowMs: number): Promise<number> {
  return queries.count(purge.with({ nowMs }))
}

function toLink(row: Row): OperatorLink {
  return {
    id: row.id,
    operatorId: row.operator_id ?? undefined,
    name: row.name ?? undefined,
    role: row.role,
    apps: row.apps,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

import type { LogoKey } from '#model/apps/branding.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

const put = statement(
  'app-logo-put',
  `insert into app_logo (app_id, hash, type, data) values ($appId, $hash, $type, $data)
   on conflict (app_id) do update set hash = excluded.hash, type = excluded.type, data = excluded.data`,
)
const find = statement('app-logo-find', 'select type, data from app_logo where app_id = $appId and hash = $hash')
const remove = statement('app-logo-delete', 'delete from app_logo where app_id = $appId')

export async function putLogo(tx: Queries, appId: string, { hash, type }: LogoKey, bytes: Buffer): Promise<void> {
  await tx.count(put.with({ appId, hash, type, data: bytes.toString('base64') }))
}

export async function findLogo(
  queries: Queries,
  appId: string,
  hash: string,
): Promise<{ type: string; bytes: Buffer } | undefined> {
  const [row] = await queries.rows<{ type: string; data: string }>(find.with({ appId, hash }))
  return row && { type: row.type, bytes: Buffer.from(row.data, 'base64') }
}

export async function deleteLogo(tx: Queries, appId: string): Promise<void> {
  await tx.count(remove.with({ appId }))
}

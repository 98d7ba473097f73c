import type { Sql } from './database/sql.ts'

/** Counts the profiles of an app or an account, including those merged into another. */
export async function countProfiles(sql: Sql, of: { app: string } | { account: string }): Promise<number> {
  const [column, id] = 'app' in of ? ['app_id', of.app] : ['account_id', of.account]
  const rows = await sql<{ n: number }>(`select count(*)::int as n from profile where ${column} = $1`, [id])
  return rows[0]!.n
}

/** Changes all service tokens as if they had been issued long ago and expired in `leftMs`. */
export async function ageCredentials(sql: Sql, leftMs = 60_000): Promise<void> {
  await sql('update credential set updated_at = 1, expires_at = $1', [Date.now() + leftMs])
}

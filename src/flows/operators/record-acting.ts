import { createHash } from 'node:crypto'
import type { Account } from '#model/accounts/account.ts'
import type { Operator } from '#model/apps/operator.ts'
import type { Clock } from '#platform/clock.ts'
import { encodeBase32, encodeNumber } from '#platform/crypto/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import { auditAccount, auditAccountOnce, auditApp } from '#store/audit.ts'

interface RecordDeps {
  database: Database
  clock: Clock
}

/** For whom an operator acts. */
export type ActedFor = { account: Account } | { appId: string }

const HOUR_MS = 3_600_000
/** Limit: readings that one process remembers as recorded; then it asks the database again. */
const MAX_REMEMBERED = 10_000
const recorded = new WeakMap<Database, Set<string>>()

/** Records that an operator read an account: once per operator, account and hour, by any number of processes. */
export async function recordReading(deps: RecordDeps, { actor }: Operator, account: Account): Promise<void> {
  const now = deps.clock.now()
  const hour = now - (now % HOUR_MS)
  const name = `${actor} ${account.id} ${hour}`
  const known = recorded.get(deps.database) ?? new Set<string>()
  recorded.set(deps.database, known)
  if (known.has(name)) return
  // The same id in every process: the second insert has no effect.
  const id = encodeNumber(hour, 10) + encodeBase32(createHash('sha256').update(name).digest().subarray(0, 10))
  await auditAccountOnce(deps.database, account, id, { at: hour, actor, action: 'account.read' })
  if (known.size >= MAX_REMEMBERED) known.clear()
  known.add(name)
}

/** Records what an operator did for an app or an account. */
export async function recordCall(
  { database, clock }: RecordDeps,
  { actor }: Operator,
  subject: ActedFor,
  action: string,
  detail: Record<string, unknown>,
): Promise<void> {
  const event = { at: clock.now(), actor, action, detail }
  await ('account' in subject
    ? auditAccount(database, subject.account, event)
    : auditApp(database, subject.appId, event))
}

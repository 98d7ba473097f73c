/** What somebody should look at. The most urgent first in lists. */
export const ATTENTION_KINDS = [
  'not_ready',
  'worker_down',
  'destination_stopped',
  'spending_stopped',
  'quota_reached',
  'destination_failing',
  'sync_late',
  'backup_old',
  'dead_letters',
  'endpoints_failing',
  'endpoints_parked',
  'needs_auth',
  'records_quarantined',
  'fields_unreadable',
  'quota_near',
] as const
export type AttentionKind = (typeof ATTENTION_KINDS)[number]

export interface Attention {
  kind: AttentionKind
  level: 'bad' | 'warn'
  app?: string
  /** A destination's id, a service, a check, a lane or a quota. */
  subject?: string
  /** Of `endpoints_failing`. */
  reason?: string
  n: number
  text: string
}

export interface AttentionInput {
  profiles: { appId: string; service: string; state: string; n: number }[]
  reasons: { appId: string; service: string; reason: string; n: number }[]
  troubles: { appId: string; faults: number; quarantined: number; parked: number }[]
  due: { appId: string; n: number; since: number }[]
  quotas: { appId: string; quota: string; level: 'near' | 'reached'; n: number }[]
  destinations: { id: string; appId: string; name: string; state: string; deadLetters: number }[]
  spending: { app: string; service: string; currency: string; spent: number; limit: number | undefined }[]
  /** Only for operators of the installation. */
  health?: { checks: Record<string, { ok: boolean; detail: string }>; workers: { lane: string; running: boolean }[] }
  /** The newest backup, if it is too old; only for operators of the installation. */
  oldBackupAt?: number | undefined
}

/** Profiles that wait longer than this for a run show that there are too few workers, or none. */
const LATE_MS = 5 * 60_000
/** Limit: entries of the list of what requires attention; less urgent ones are left out. */
const MAX_ENTRIES = 30

const BAD: readonly AttentionKind[] = [
  'not_ready',
  'worker_down',
  'destination_stopped',
  'spending_stopped',
  'quota_reached',
]

/** What requires attention, the most urgent first; `isFailure` tells failures from what the person or the app decided. */
export function findAttention(
  input: AttentionInput,
  { nowMs, isFailure }: { nowMs: number; isFailure: (reason: string) => boolean },
): Attention[] {
  const found: Omit<Attention, 'level'>[] = []
  for (const [subject, { ok, detail }] of Object.entries(input.health?.checks ?? {}))
    if (!ok) found.push({ kind: 'not_ready', subject, n: 1, text: `The check “${subject}” fails: ${detail}.` })
  for (const { lane, running } of input.health?.workers ?? [])
    if (!running)
      found.push({ kind: 'worker_down', subject: lane, n: 1, text: `The worker process “${lane}” does not run.` })
  for (const { id: subject, appId: app, name, state, deadLetters: n } of input.destinations) {
    if (state === 'disabled' || state === 'parked')
      found.push({ kind: 'destination_stopped', app, subject, n: 1, text: `The destination “${name}” is ${state}.` })
    if (state === 'failing')
      found.push({ kind: 'destination_failing', app, subject, n: 1, text: `The destination “${name}” fails.` })
    if (n > 0)
      found.push({
        kind: 'dead_letters',
        app,
        subject,
        n,
        text: `The destination “${name}” rejected ${rows(n, 'row')}.`,
      })
  }
  for (const { app, service: subject, spent, limit } of input.spending)
    if (limit !== undefined && spent >= limit)
      found.push({ kind: 'spending_stopped', app, subject, n: 1, text: `The spending limit at ${subject} is reached.` })
  for (const { appId: app, quota: subject, level, n } of input.quotas)
    found.push({
      kind: level === 'reached' ? 'quota_reached' : 'quota_near',
      app,
      subject,
      n,
      text: `The quota ${subject} is ${level === 'reached' ? 'reached' : 'nearly reached'}${n > 1 ? ` ${n} times` : ''}.`,
    })
  if (input.oldBackupAt !== undefined) {
    const days = rows(Math.floor((nowMs - input.oldBackupAt) / 86_400_000), 'day')
    found.push({ kind: 'backup_old', n: 1, text: `The newest backup is ${days} old.` })
  }
  for (const { appId: app, n, since } of input.due)
    if (nowMs - since > LATE_MS)
      found.push({
        kind: 'sync_late',
        app,
        n,
        text: `${rows(n, 'profile')} wait for a sync, the first for ${minutes(nowMs - since)}.`,
      })
  for (const { appId: app, service: subject, reason, n } of input.reasons)
    if (isFailure(reason))
      found.push({
        kind: 'endpoints_failing',
        app,
        subject,
        reason,
        n,
        text: `${rows(n, 'endpoint')} of ${subject} fail: ${reason}.`,
      })
  for (const { appId: app, faults, quarantined, parked } of input.troubles) {
    if (parked > 0)
      found.push({
        kind: 'endpoints_parked',
        app,
        n: parked,
        text: `${rows(parked, 'endpoint')} parked after ending workers.`,
      })
    if (quarantined > 0)
      found.push({
        kind: 'records_quarantined',
        app,
        n: quarantined,
        text: `${rows(quarantined, 'record')} could not be stored.`,
      })
    if (faults > 0)
      found.push({ kind: 'fields_unreadable', app, n: faults, text: `${rows(faults, 'field')} could not be read.` })
  }
  for (const { appId: app, service: subject, state, n } of input.profiles)
    if (state === 'needs_auth')
      found.push({
        kind: 'needs_auth',
        app,
        subject,
        n,
        text: `${rows(n, 'person', 'people')} must sign in at ${subject} again.`,
      })
  return found
    .map((each): Attention => ({ ...each, level: BAD.includes(each.kind) ? 'bad' : 'warn' }))
    .sort((a, b) => ATTENTION_KINDS.indexOf(a.kind) - ATTENTION_KINDS.indexOf(b.kind) || b.n - a.n)
    .slice(0, MAX_ENTRIES)
}

const rows = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`
const minutes = (ms: number) => rows(Math.round(ms / 60_000), 'minute')

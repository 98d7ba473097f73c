import { judge, type Stored, type Verdict, type Version } from './push-compare.ts'

interface Change {
  op: string
  seq: number
  id: string
  data?: { v: number }
}

/** Applies messages by the rules of docs/push.md: the newest row of each item, nothing of an erased profile. */
export interface Reader {
  /** Changes of one profile, in order, from the run with that number. */
  changed(profile: string, run: number, changes: Change[]): void
  known(profile: string, run: number, account: string): void
  erased(profile: string): void
  judge(stored: Stored): Verdict
}

export function createReader(): Reader {
  const items = new Map<string, Map<string, { seq: number; v: number | undefined }>>()
  const accounts = new Map<string, string>()
  const erased = new Set<string>()
  const newest = new Map<string, { run: number; seq: number }>()
  const counts = { repeats: 0, late: 0, disordered: 0 }

  /** A message of an older run that was frozen: a newer run has sent the same or newer rows. */
  const isLate = (profile: string, run: number) => run < (newest.get(profile)?.run ?? 0) || erased.has(profile)

  return {
    known: (profile, run, account) => {
      if (!isLate(profile, run)) accounts.set(profile, account)
    },
    erased: (profile) => {
      erased.add(profile)
      items.delete(profile)
      accounts.delete(profile)
    },
    changed: (profile, run, changes) => {
      if (isLate(profile, run)) {
        counts.late += 1
        return
      }
      const held = items.get(profile) ?? new Map<string, { seq: number; v: number | undefined }>()
      items.set(profile, held)
      let seq = newest.get(profile)?.seq ?? 0
      for (const change of changes) {
        if (change.seq <= (held.get(change.id)?.seq ?? 0)) {
          counts.repeats += 1
          continue
        }
        if (change.seq <= seq) counts.disordered += 1
        seq = Math.max(seq, change.seq)
        held.set(change.id, { seq: change.seq, v: change.op === 'put' ? change.data!.v : undefined })
      }
      newest.set(profile, { run, seq })
    },
    judge: (stored) => {
      const live = new Map<string, Version>()
      for (const [profile, held] of items)
        for (const [id, { seq, v }] of held) if (v !== undefined) live.set(`${profile} ${id.slice(0, 32)}`, { seq, v })
      return { ...judge(stored, live, accounts), ...counts }
    },
  }
}

import type { ReactNode } from 'react'

export type Tone = 'good' | 'warn' | 'bad' | 'plain'

/** A state as a word with a colour. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={tone === 'plain' ? 'badge' : `badge ${tone}`}>{children}</span>
}

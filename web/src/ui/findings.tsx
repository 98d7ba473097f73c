import type { ReactNode } from 'react'
import { Badge, type Tone } from './badge.tsx'

export interface ShownFinding {
  title: string
  result: 'ok' | 'failed' | 'unknown'
  detail: string
  /** What to do about it. */
  hint?: ReactNode
}

const RESULTS: Record<ShownFinding['result'], { tone: Tone; word: string }> = {
  ok: { tone: 'good', word: 'OK' },
  failed: { tone: 'bad', word: 'Failed' },
  unknown: { tone: 'warn', word: 'Unknown' },
}

/** The steps of a test, one after the other. */
export function Findings({ label, findings }: { label: string; findings: ShownFinding[] }) {
  return (
    <ol className="findings" aria-label={label}>
      {findings.map(({ title, result, detail, hint }) => (
        <li key={title}>
          <Badge tone={RESULTS[result].tone}>{RESULTS[result].word}</Badge>
          <div>
            <strong>{title}</strong>
            <p className="finding-detail">{detail}</p>
            {hint !== undefined && <p className="finding-hint">{hint}</p>}
          </div>
        </li>
      ))}
    </ol>
  )
}

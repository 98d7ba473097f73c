import type { ResponseOf } from '@tributary-hub/client/core.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'

export type Inspected = ResponseOf<'GET /admin/apps/{client_id}/log/{id}'>
type Outcome = Inspected['outcome']

export const KIND_NAMES: Record<Inspected['kind'], string> = {
  sign_in: 'Sign-in',
  sync: 'Sync',
  proxy: 'Proxied call',
  delivery: 'Delivery',
}

export const OUTCOME_NAMES: Record<Outcome, string> = { ok: 'OK', failed: 'Failed', refused: 'Refused', open: 'Open' }
const TONES: Record<Outcome, Tone> = { ok: 'good', failed: 'bad', refused: 'warn', open: 'plain' }

export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return <Badge tone={TONES[outcome]}>{OUTCOME_NAMES[outcome]}</Badge>
}

/** A reason with its explanation; a status of a service explains itself. */
export function ReasonLink({ reason }: { reason: string }) {
  if (reason.startsWith('http_')) return <code>{reason}</code>
  return (
    <a href={`/docs#log-${reason}`}>
      <code>{reason}</code>
    </a>
  )
}

import { Badge, type Tone } from '../../../ui/badge.tsx'
import type { Destination } from './kinds.ts'

const TONES: Record<Destination['state'], Tone> = {
  active: 'good',
  failing: 'warn',
  paused: 'plain',
  parked: 'bad',
  disabled: 'bad',
}

export function StateBadge({ state }: { state: Destination['state'] }) {
  return <Badge tone={TONES[state]}>{state}</Badge>
}

import { Badge, type Tone } from '../ui/badge.tsx'

const STATES: Record<string, { tone: Tone; text: string }> = {
  active: { tone: 'good', text: 'active' },
  connecting: { tone: 'plain', text: 'connecting' },
  limited: { tone: 'warn', text: 'limited' },
  needs_auth: { tone: 'bad', text: 'needs sign-in' },
  paused: { tone: 'plain', text: 'paused' },
}

export const stateText = (state: string): string => STATES[state]?.text ?? state
export const stateTone = (state: string): Tone => STATES[state]?.tone ?? 'plain'

/** The state of a profile as a word with a colour. */
export function ProfileState({ state }: { state: string }) {
  return <Badge tone={stateTone(state)}>{stateText(state)}</Badge>
}

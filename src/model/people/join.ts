/** How strong the evidence of a join is, the strongest first. Weaker evidence joins only what stronger evidence left separate. */
export const STRENGTHS = ['certain', 'strong', 'good', 'fair'] as const
export type Strength = (typeof STRENGTHS)[number]

/** What users have in common: `app` is what the app decided. */
export const REASONS_TO_JOIN = ['app', 'handle_and_name', 'email', 'link'] as const
export type ReasonToJoin = (typeof REASONS_TO_JOIN)[number]

/** Why some users of a person are one. */
export interface Join<User> {
  by: ReasonToJoin
  strength: Strength
  /** What they have in common, as it is compared; undefined for a decision. */
  value: string | undefined
  decision: string | undefined
  users: User[]
}

export function compareJoins(a: Join<unknown>, b: Join<unknown>): number {
  return (
    STRENGTHS.indexOf(a.strength) - STRENGTHS.indexOf(b.strength) ||
    REASONS_TO_JOIN.indexOf(a.by) - REASONS_TO_JOIN.indexOf(b.by) ||
    compareText(a.value ?? a.decision, b.value ?? b.decision)
  )
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0
}

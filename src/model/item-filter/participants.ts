import { z } from 'zod'
import { MAX_PARTICIPANT_COUNT, type ParticipantRule } from '../items/query.ts'

/** Limit: characters of all rules about participants in one query; more is answered with 400. */
const MAX_PARTICIPANTS_LIST = 4000
/** Limit: characters of one participant's id in a query; more is answered with 400. */
const MAX_PARTICIPANT_ID = 500
/** Limit: rules about participants in one query; more is answered with 400. */
const MAX_PARTICIPANT_RULES = 16

/** `id`, `self`, `^id`, `^self`, `>n`. */
export const participants = z
  .string()
  .max(MAX_PARTICIPANTS_LIST)
  .transform((text, context) => {
    const rules: ParticipantRule[] = []
    const tokens = text.split(',').map((part) => part.trim())
    if (tokens.length > MAX_PARTICIPANT_RULES) {
      context.addIssue({ code: 'custom', message: `must be at most ${MAX_PARTICIPANT_RULES} rules` })
      return z.NEVER
    }
    for (const token of tokens) {
      const rule = participantRule(token)
      if (rule !== undefined) {
        rules.push(rule)
        continue
      }
      context.addIssue({
        code: 'custom',
        message: `“${token}” must be an id, self, ^id, ^self or >n with n from 1 to ${MAX_PARTICIPANT_COUNT}`,
      })
      return z.NEVER
    }
    return rules
  })
  .optional()
  .describe('Comma-separated; all must match: `id`, `self`, `^id` (author), `^self`, `>n` (at least n).')

function participantRule(token: string): ParticipantRule | undefined {
  if (token.startsWith('>')) {
    const count = Number(token.slice(1))
    return /^>\d{1,2}$/.test(token) && count >= 1 && count <= MAX_PARTICIPANT_COUNT
      ? { rule: 'at_least', count }
      : undefined
  }
  const rule = token.startsWith('^') ? 'author' : 'takes_part'
  const id = rule === 'author' ? token.slice(1) : token
  if (id === '' || id.length > MAX_PARTICIPANT_ID || id.includes('\0')) return undefined
  return { rule, id: id === 'self' ? undefined : id }
}

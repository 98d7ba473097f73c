import { z } from 'zod'
import { MAX_DEPTH, MAX_FIELDS, MAX_LETTERS } from '#flows/read/fields.ts'
import {
  DEFAULT_LIMIT,
  DEFAULT_WITHIN_KM,
  MAX_PARTICIPANT_COUNT,
  type ParticipantRule,
  type Query,
} from '#model/query.ts'
import { parseTextQuery } from '#model/text-query.ts'
import { flag, parse } from './parameters.ts'

const WHOLE = /^-?\d{1,16}$/

const time = (meaning: string) =>
  z
    .string()
    .regex(WHOLE, 'must be a whole number: epoch milliseconds')
    .transform(Number)
    .refine(Number.isSafeInteger, 'must be a whole number: epoch milliseconds')
    .optional()
    .describe(meaning)

/** Limit: items that one request may ask for; beyond it numbers stop being exact. More is answered with 400. */
const MAX_LIMIT = 1e15

const limit = z
  .string()
  .regex(/^\d+$/, 'must be a whole number, 0 or more')
  .transform((text) => Math.min(Number(text), MAX_LIMIT))
  .default(DEFAULT_LIMIT)
  .describe('How many; no maximum, answers are streamed.')

const before = z
  .string()
  .regex(/^-?\d{1,16}_[0-9a-f]{32}(_[0-9a-f]{9})?$/, 'must be <at>_<id> of an item')
  .transform((text) => {
    const [at = '', id = ''] = text.split('_')
    return { at: Number(at), id }
  })
  .optional()
  .describe('Only what comes after this item: `<at>_<id>` of the last one read.')

const near = z
  .string()
  .transform((text, context) => {
    const match = /^\s*([+-]?\d+(?:\.\d*)?)\s*,\s*([+-]?\d+(?:\.\d*)?)\s*$/.exec(text)
    const [lat, lng] = [Number(match?.[1]), Number(match?.[2])]
    if (match !== null && Math.abs(lat) <= 90 && Math.abs(lng) <= 180) return { lat, lng }
    context.addIssue({ code: 'custom', message: 'must be <latitude>,<longitude>' })
    return z.NEVER
  })
  .optional()
  .describe('`<latitude>,<longitude>`: only items with a place within `within` of it.')

/** Nothing on earth is further apart. */
const HALF_WAY_ROUND_KM = 20_100

const within = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number of kilometres')
  .transform((text) => Math.min(Number(text), HALF_WAY_ROUND_KM))
  .default(DEFAULT_WITHIN_KM)
  .describe('Kilometres around `near`.')

/** Limit: characters of a search; more is answered with 400. */
const MAX_SEARCH = 1000
/** Limit: characters of the list of services in one query; more is answered with 400. */
const MAX_SERVICES_LIST = 2000
/** Limit: characters of all rules about participants in one query; more is answered with 400. */
const MAX_PARTICIPANTS_LIST = 4000
/** Limit: characters of one participant's id in a query; more is answered with 400. */
const MAX_PARTICIPANT_ID = 500
/** Limit: rules about participants in one query; more is answered with 400. */
const MAX_PARTICIPANT_RULES = 16

/** `id`, `self`, `^id`, `^self`, `>n`. */
const participants = z
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
  .describe('Comma list, all must hold: `id`, `self`, `^id` (author), `^self`, `>n` (at least n).')

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

const paths = (meaning: string) =>
  z
    .string()
    .transform((text, context) => {
      const list = text.split(',').map((path) => path.trim())
      const fault = pathsFault(list)
      if (fault === undefined) return list
      context.addIssue({ code: 'custom', message: fault })
      return z.NEVER
    })
    .optional()
    .describe(meaning)

function pathsFault(list: string[]): string | undefined {
  if (list.length > MAX_FIELDS) return `must be at most ${MAX_FIELDS} paths`
  if (list.some((path) => path.length > MAX_LETTERS)) return `each path must have at most ${MAX_LETTERS} characters`
  if (list.some((path) => path.split('.').length > MAX_DEPTH)) return `each path must be at most ${MAX_DEPTH} deep`
  return list.some((path) => path.split('.').includes('')) ? 'each path must be names joined by dots' : undefined
}

/** How single items are shown. */
export const showing = {
  map: flag('Add `map` with normalised data.'),
  fields: paths('Comma list of paths: a flat object keyed by them; a missing one is null.'),
  select: paths('The same paths with their structure kept; missing ones are left out.'),
}

/** What `/services/*` and `/types/*` take. */
export const itemQuery = z.object({
  limit,
  since: time('Oldest time wanted, inclusive. Default 0.'),
  until: time('Newest time wanted, inclusive. Default now.'),
  before,
  sort: z.enum(['asc', 'desc']).default('desc').describe('`desc` newest first, `asc` oldest first.'),
  q: z
    .string()
    .max(MAX_SEARCH)
    .refine((text) => !text.includes('\0'), 'must not hold NUL')
    .optional()
    .describe('Full-text search: words, `"phrases"`, `-without`, a last `beginning*`.'),
  participants,
  near,
  within,
  dedup: flag('Keep one item per `guid`: the earliest.'),
  ...showing,
})

/** What `/types/*` takes beside. */
export const servicesQuery = {
  services: z
    .string()
    .max(MAX_SERVICES_LIST)
    .transform((text) => text.split(',').map((name) => name.trim()))
    .optional()
    .describe('Comma list of `service` or `id@service`.'),
}

type ItemQuery = z.output<typeof itemQuery>

export function toQuery(input: ItemQuery, nowMs: number): Query {
  return {
    limit: input.limit,
    since: input.since ?? 0,
    until: input.until ?? nowMs,
    before: input.before,
    sort: input.sort,
    terms: input.q === undefined ? undefined : parseTextQuery(input.q),
    participants: input.participants ?? [],
    near: input.near && { ...input.near, km: input.within },
    dedup: input.dedup,
  }
}

/** The parameters of a path that stands somewhere else than in a request, read by the same rules. */
export function readItemQuery(
  parameters: URLSearchParams,
  nowMs: number,
): { query: Query; services: string[] | undefined } {
  const names = [...new Set(parameters.keys())]
  const given = Object.fromEntries(
    names.map((name) => [name, parameters.getAll(name).length > 1 ? parameters.getAll(name) : parameters.get(name)]),
  )
  const input = parse(itemQuery.extend(servicesQuery), given, 'bad_parameter')
  return { query: toQuery(input, nowMs), services: input.services }
}

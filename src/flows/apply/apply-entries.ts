import { z } from 'zod'
import { invalidInput } from '#model/errors.ts'
import type { BatchEntry } from './apply-batch.ts'
import type { GivenTokens } from './apply-input.ts'

/** Limit: characters of a token that an app applies; a longer one is refused. */
const MAX_TOKEN_CHARS = 10_000

const token = (meaning: string) =>
  z
    .string()
    .min(1)
    .max(MAX_TOKEN_CHARS)
    .refine((value) => !value.includes('\0'), 'must not contain the character U+0000')
    .describe(meaning)

/** What an app gives to `apply` for one person and service. */
export const tokenFields = z.object({
  token: token('An access token of the service. May be missing if there is a `refresh_token`, or `fields`.').optional(),
  token_secret: token('For services based on OAuth 1; the password for HTTP Basic.').optional(),
  refresh_token: token(
    'To renew the token. It is used at once if the token is missing, has expired or is refused.',
  ).optional(),
  expires_at: z
    .preprocess(numberIn, z.number().int().min(0).max(8.64e15).optional())
    .describe('When the token expires, in epoch milliseconds.'),
  scope: token('The scope that was granted.').optional(),
  instance: namedTexts(
    'Addresses of the person’s own server by name: `api_url`, `base_url`, `token_url`. In a form as JSON.',
  ).optional(),
  fields: namedTexts(
    'What a person types, for a service without a login page; `GET /services` names the fields. In a form as JSON.',
  ).optional(),
})

/** A form and a query have texts only. A repeated parameter stays a list, which the schema refuses. */
function numberIn(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value
}

/** An object of texts; in a form or a query as JSON. */
function namedTexts(meaning: string) {
  const object = z.record(z.string().max(100), z.string().max(MAX_TOKEN_CHARS))
  const json = z.string().max(MAX_TOKEN_CHARS).transform(parsedJson).pipe(object)
  return z.union([object, json]).describe(meaning)
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so not an object: the schema says so.
    return text
  }
}

export function givenTokens(input: z.output<typeof tokenFields>): GivenTokens {
  return {
    token: input.token,
    tokenSecret: input.token_secret,
    refreshToken: input.refresh_token,
    expiresAt: input.expires_at,
    scope: input.scope,
    instance: input.instance,
    fields: input.fields,
  }
}

const tokens = tokenFields
  .strict()
  .refine((given) => (given.token ?? given.refresh_token ?? given.fields) !== undefined)
const FAULT =
  'must be {"token", "token_secret"?, "refresh_token"?, "expires_at"?, "scope"?, "instance"?, "fields"?}, with a token, a refresh_token or fields.'

/** One entry of a batch: the caller's id, and what it has at each service. */
export const batchEntry = z.looseObject({ id: z.string().min(1).max(200) })

export function readEntries(entries: z.output<typeof batchEntry>[]): BatchEntry[] {
  if (new Set(entries.map(({ id }) => id)).size < entries.length)
    throw invalidInput('bad_body', 'accounts', 'an id occurs twice.')
  return entries.map(({ id, ...services }, index) => ({
    id,
    tokens: Object.entries(services).map(([service, value]) => {
      const parsed = tokens.safeParse(value)
      if (!parsed.success) throw invalidInput('bad_body', `accounts.${index}.${service}`, FAULT)
      return { service, ...givenTokens(parsed.data) }
    }),
  }))
}

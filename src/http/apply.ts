import { z } from 'zod'
import { applyToken } from '#flows/authorize/apply.ts'
import { applyBatch, type BatchEntry } from '#flows/authorize/apply-batch.ts'
import type { GivenTokens } from '#flows/authorize/apply-input.ts'
import { invalidInput } from '#model/errors.ts'
import { profileName } from '#model/profile-name.ts'
import { appFrom } from './access-token.ts'
import type { HttpDeps } from './deps.ts'
import { text } from './parameters.ts'
import { type Call, route } from './route.ts'

/** An object of texts; in a form or a query as JSON. */
function namedTexts(meaning: string) {
  const object = z.record(z.string().max(100), z.string().max(10_000))
  return z.preprocess(parsedJson, object).describe(meaning)
}

function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    // Not JSON, so not an object: the schema says so.
    return value
  }
}

const path = z.object({ service: z.string() })
const fields = z.object({
  client_id: text("The app's client id; or HTTP Basic.").optional(),
  client_secret: text("The app's secret; or HTTP Basic.").optional(),
  token: text(
    'An access token of the service. May be missing if there is a `refresh_token`, or `fields`.',
    10_000,
  ).optional(),
  token_secret: text('For services based on OAuth 1; the password for HTTP Basic.', 10_000).optional(),
  refresh_token: text(
    'To renew the token. It is used at once if the token is missing, has expired or is refused.',
    10_000,
  ).optional(),
  expires_at: z.coerce
    .number()
    .int()
    .min(0)
    .max(8.64e15)
    .optional()
    .describe('When the token expires, in epoch milliseconds.'),
  scope: text('The scope that was granted.').optional(),
  instance: namedTexts('Addresses of the person’s own server by name: `api_url`, `base_url`, `token_url`.').optional(),
  fields: namedTexts(
    'What a person types, for a service without a login page; `GET /services` names the fields.',
  ).optional(),
  account: text('An existing account to attach the profile to. Default: a new account.').optional(),
})
const response = z.object({
  access_token: z.string(),
  account: z.string(),
  profile: z.string(),
  app_verified: z
    .boolean()
    .describe('Whether the service confirmed that the token was issued to this app; false if it cannot.'),
})
const reasons = [
  'app_secret_invalid',
  'too_many_attempts',
  'service_unknown',
  'no_service_keys',
  'service_refused',
  'app_unproven',
  'service_limited',
  'service_unreachable',
  'service_timeout',
  'not_found',
] as const

/** With the secret in the query, as the specification requires. */
export const applyByQuery = route({
  auth: 'none',
  emptyIsAbsent: true,
  // A misspelt `account` would create a new one.
  ignoresUnknown: false,
  hasSideEffects: true,
  summary: 'Attach a profile with a token that the app already has; prefer POST, which keeps secrets out of URLs',
  path,
  query: fields,
  response,
  reasons: [...reasons],
  run: (deps, call) => apply(deps, call, call.query),
})

/** A parameter may also be in the query; the one in the body wins. */
export const applyByBody = route({
  auth: 'none',
  emptyIsAbsent: true,
  // A misspelt `account` would create a new one.
  ignoresUnknown: false,
  summary: 'Attach a profile with a token that the app already has; prefer the body, which keeps secrets out of URLs',
  path,
  query: fields.partial(),
  body: fields.partial(),
  response,
  reasons: [...reasons],
  run: (deps, call) => apply(deps, call, { ...call.query, ...call.body }),
})

async function apply(
  deps: HttpDeps,
  call: Pick<Call<object, typeof path>, 'path' | 'request'>,
  input: z.output<typeof fields>,
) {
  const app = await appFrom(deps, call.request, input)
  const attached = await applyToken(deps, app, {
    service: call.path.service,
    ...givenIn(input),
    account: input.account,
  })
  call.request.server.forgetAccount(attached.account.id)
  return {
    access_token: attached.token,
    account: attached.account.id,
    profile: profileName(attached.profile),
    app_verified: attached.appVerified,
  }
}

/** Limit: profiles in one batch of `apply`; more is answered with 400. */
const MAX_PROFILES = 1000

export const batch = route({
  auth: 'none',
  summary: `Attach profiles of up to ${MAX_PROFILES} people; results are keyed by the caller's own ids`,
  body: z.object({
    client_id: text("The app's client id; or HTTP Basic.").optional(),
    client_secret: text("The app's secret; or HTTP Basic.").optional(),
    accounts: z
      .array(z.looseObject({ id: z.string().min(1).max(200) }))
      .max(MAX_PROFILES)
      .describe(
        '`{"id": "<your id>", "<service>": {"token", "token_secret"?, "refresh_token"?, "expires_at"?, "scope"?, "instance"?, "fields"?}}`',
      ),
  }),
  reasons: ['app_secret_invalid', 'too_many_attempts'],
  run: async (deps, { body, request }) => {
    const app = await appFrom(deps, request, body)
    if (new Set(body.accounts.map(({ id }) => id)).size < body.accounts.length)
      throw invalidInput('bad_body', 'accounts', 'an id occurs twice.')
    return applyBatch(deps, app, body.accounts.map(readEntry))
  },
})

const tokens = fields
  .omit({ client_id: true, client_secret: true, account: true })
  .strict()
  .refine(({ token, refresh_token: refreshToken, fields: typed }) => (token ?? refreshToken ?? typed) !== undefined)
const TOKENS_FAULT =
  'must be {"token", "token_secret"?, "refresh_token"?, "expires_at"?, "scope"?, "instance"?, "fields"?}, with a token, a refresh_token or fields.'

function givenIn(input: z.output<typeof tokens>): GivenTokens {
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

/** Entries of the batch command, as in the body of the request. */
function readEntry({ id, ...services }: { id: string; [service: string]: unknown }, index: number): BatchEntry {
  return {
    id,
    tokens: Object.entries(services).map(([service, value]) => {
      const parsed = tokens.safeParse(value)
      if (!parsed.success) throw invalidInput('bad_body', `accounts.${index}.${service}`, TOKENS_FAULT)
      return { service, ...givenIn(parsed.data) }
    }),
  }
}

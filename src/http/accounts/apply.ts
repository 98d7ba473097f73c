import { z } from 'zod'
import { applyToken } from '#flows/apply/apply.ts'
import { applyBatch } from '#flows/apply/apply-batch.ts'
import { batchEntry, givenTokens, readEntries, tokenFields } from '#flows/apply/apply-entries.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { text } from '../request/parameters.ts'
import type { HttpDeps } from '../server/deps.ts'
import { appCaller } from '../server/idempotency.ts'
import { type Call, route } from '../server/route.ts'
import { batchResult } from '../shapes/sign-in.ts'
import { appFrom } from '../sign-in/access-token.ts'

const path = z.object({ service: z.string() })
const fields = tokenFields.extend({
  client_id: text("The app's client id; or HTTP Basic.").optional(),
  client_secret: text("The app's secret; or HTTP Basic.").optional(),
  account: text('An existing account to attach the profile to. Default: a new account.').optional(),
})
const response = z
  .object({
    access_token: z.string(),
    account: z.string(),
    profile: z.string(),
    app_verified: z
      .boolean()
      .describe('Whether the service confirmed that the token was issued to this app; false if it cannot.'),
  })
  .meta({ id: 'AppliedProfile', description: 'The account to which a profile was attached.' })
const reasons = [
  'app_secret_invalid',
  'too_many_attempts',
  'service_unknown',
  'no_service_keys',
  'service_refused',
  'app_unproven',
  'service_limited',
  'service_unreachable',
  'address_refused',
  'connector_failed',
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
  idempotencyKey: {
    caller: async (deps, { request, query, body }) => appCaller(await appFrom(deps, request, { ...query, ...body })),
  },
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
    ...givenTokens(input),
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

/** Limit (sign-in): profiles in one batch of `apply`; more is answered with 400. */
const MAX_PROFILES = 1000

export const batch = route({
  auth: 'none',
  idempotencyKey: { caller: async (deps, { request, body }) => appCaller(await appFrom(deps, request, body)) },
  summary: `Attach profiles of up to ${MAX_PROFILES} people; results are keyed by the caller's own ids`,
  body: z.object({
    client_id: text("The app's client id; or HTTP Basic.").optional(),
    client_secret: text("The app's secret; or HTTP Basic.").optional(),
    accounts: z
      .array(batchEntry)
      .max(MAX_PROFILES)
      .describe(
        '`{"id": "<your id>", "<service>": {"token", "token_secret"?, "refresh_token"?, "expires_at"?, "scope"?, "instance"?, "fields"?}}`',
      ),
  }),
  response: z.record(z.string(), batchResult),
  reasons: ['app_secret_invalid', 'too_many_attempts'],
  run: async (deps, { body, request }) => {
    const app = await appFrom(deps, request, body)
    return applyBatch(deps, app, readEntries(body.accounts))
  },
})

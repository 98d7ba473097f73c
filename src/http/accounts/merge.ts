import { z } from 'zod'
import type { Caller } from '#flows/requests/idempotency.ts'
import { accountOf } from '#identity/accounts.ts'
import { mergeAccounts } from '#identity/merge.ts'
import { presentProfiles } from '#identity/profiles.ts'
import { ApiError } from '#model/errors.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { text } from '../request/parameters.ts'
import type { HttpDeps } from '../server/deps.ts'
import { accountCaller } from '../server/idempotency.ts'
import { route } from '../server/route.ts'
import { profiles } from '../shapes/people.ts'

const fields = z.object({
  source: text('Access token of the account to merge; it ends.'),
  dest: text('Access token of the account to merge into.'),
})
const reasons = ['token_invalid', 'other_app', 'same_account'] as const

export const mergeByQuery = route({
  auth: 'none',
  hasSideEffects: true,
  summary: 'Move all profiles of one account into another; prefer POST',
  query: fields,
  response: profiles,
  reasons: [...reasons],
  run: (deps, { query, request }) => merge(deps, query, request),
})

export const mergeByBody = route({
  auth: 'none',
  idempotencyKey: { caller: (deps, { body }) => callerOf(deps, body.dest) },
  summary: 'Move all profiles of one account into another',
  body: fields,
  response: profiles,
  reasons: [...reasons],
  run: (deps, { body, request }) => merge(deps, body, request),
})

async function merge(deps: HttpDeps, { source, dest }: z.output<typeof fields>, request: HttpRequest) {
  const account = await mergeAccounts(deps, source, dest)
  for (const id of [account.id, account.endedId]) request.server.forgetAccount(id)
  return presentProfiles(deps, account, { auth: false, full: false })
}

/** The account that stays: the token of the other one has ended when the request is repeated. */
async function callerOf(deps: HttpDeps, dest: string): Promise<Caller> {
  const account = await accountOf(deps, dest)
  if (account === undefined)
    throw new ApiError(
      'token_invalid',
      'dest: the access token is unknown or revoked, or its account was merged into another.',
      { param: 'dest' },
    )
  return accountCaller(account)
}

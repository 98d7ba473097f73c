import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mergeAccounts } from '#flows/authorize/merge.ts'
import { presentProfiles } from '#flows/authorize/profiles.ts'
import type { HttpDeps } from './deps.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'
import { profiles } from './shapes/people.ts'

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
  summary: 'Move all profiles of one account into another',
  body: fields,
  response: profiles,
  reasons: [...reasons],
  run: (deps, { body, request }) => merge(deps, body, request),
})

async function merge(deps: HttpDeps, { source, dest }: z.output<typeof fields>, request: FastifyRequest) {
  const account = await mergeAccounts(deps, source, dest)
  request.server.forgetAccount(account.id)
  return presentProfiles(deps, account, { auth: false, full: false })
}

import { z } from 'zod'
import { mergeAccounts } from '#flows/authorize/merge.ts'
import { presentProfiles } from '#flows/authorize/profiles.ts'
import type { HttpDeps } from './deps.ts'
import { text } from './parameters.ts'
import { route } from './route.ts'

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
  reasons: [...reasons],
  run: (deps, { query }) => merge(deps, query),
})

export const mergeByBody = route({
  auth: 'none',
  summary: 'Move all profiles of one account into another',
  body: fields,
  reasons: [...reasons],
  run: (deps, { body }) => merge(deps, body),
})

async function merge(deps: HttpDeps, { source, dest }: z.output<typeof fields>) {
  return presentProfiles(deps, await mergeAccounts(deps, source, dest), { auth: false, full: false })
}

import type { IdentityDeps } from '#identity/deps.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError, type Reason } from '#model/errors.ts'
import { createSemaphore } from '#platform/waiting/semaphore.ts'
import { applyToken } from './apply.ts'
import type { GivenTokens } from './apply-input.ts'

export interface BatchEntry {
  id: string
  tokens: ({ service: string } & GivenTokens)[]
}

export type BatchResult =
  | {
      account: string
      access_token: string
      profiles: string[]
      /** True if the service confirmed the app for every accepted token. */
      app_verified: boolean
      errors?: Record<string, string>
    }
  /** By service, why its token was not accepted. */
  | { error: Record<string, string> }
  | { error: string; reason: Reason }

/** Kept low, because every entry calls an outside service. */
const CONCURRENT_ENTRIES = 5

/**
 * Applies each entry independently: a failure does not affect other entries. The services of one entry are applied in
 * series, and the first success determines the account.
 */
export async function applyBatch(
  deps: IdentityDeps,
  app: App,
  entries: BatchEntry[],
): Promise<Record<string, BatchResult>> {
  const semaphore = createSemaphore(CONCURRENT_ENTRIES)
  const results = entries.map(async (entry): Promise<[string, BatchResult]> => {
    const result = await semaphore.run(() => applyEntry(deps, app, entry))
    return [entry.id, result]
  })
  return Object.fromEntries(await Promise.all(results))
}

async function applyEntry(deps: IdentityDeps, app: App, entry: BatchEntry): Promise<BatchResult> {
  if (entry.tokens.length === 0) return { error: 'The entry names no service.', reason: 'bad_body' }
  const errors: Record<string, string> = {}
  const profiles: string[] = []
  let account: string | undefined
  let accessToken = ''
  let appVerified = true
  for (const { service, ...given } of entry.tokens) {
    try {
      const connected = await applyToken(deps, app, { service, ...given, account })
      account = connected.account.id
      accessToken = connected.token
      appVerified &&= connected.appVerified
      profiles.push(profileName(connected.profile))
    } catch (error) {
      if (!(error instanceof ApiError)) deps.log.error('a token of a batch failed', { service, error })
      errors[service] = error instanceof ApiError ? error.reason : 'internal'
    }
  }
  if (account === undefined) return { error: errors }
  const failed = Object.keys(errors).length > 0 ? { errors } : {}
  return { account, access_token: accessToken, profiles, app_verified: appVerified, ...failed }
}

import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { profileName } from '#model/profile-name.ts'
import { createSemaphore } from '#platform/semaphore.ts'
import { applyToken } from './apply.ts'
import type { AuthorizeDeps } from './deps.ts'

export interface BatchEntry {
  id: string
  tokens: { service: string; token: string; tokenSecret?: string | undefined }[]
}

export type BatchResult =
  | {
      account: string
      access_token: string
      profiles: string[]
      /** Of every token that was taken. */
      app_verified: boolean
      errors?: Record<string, string>
    }
  | { error: Record<string, string> }

/** Kept low, because every entry asks an outside service. */
const AT_ONCE = 5

/** Each entry on its own: services in series, the first success decides the account, a failure never touches another entry. */
export async function applyBatch(
  deps: AuthorizeDeps,
  app: App,
  entries: BatchEntry[],
): Promise<Record<string, BatchResult>> {
  const semaphore = createSemaphore(AT_ONCE)
  const responses = entries.map(async (entry): Promise<[string, BatchResult]> => {
    const response = await semaphore.run(() => applyEntry(deps, app, entry))
    return [entry.id, response]
  })
  return Object.fromEntries(await Promise.all(responses))
}

async function applyEntry(deps: AuthorizeDeps, app: App, entry: BatchEntry): Promise<BatchResult> {
  const errors: Record<string, string> = {}
  const profiles: string[] = []
  let account: string | undefined
  let accessToken = ''
  let appVerified = true
  for (const { service, token, tokenSecret } of entry.tokens) {
    try {
      const attached = await applyToken(deps, app, { service, token, tokenSecret, account })
      account = attached.account.id
      accessToken = attached.token
      appVerified &&= attached.appVerified
      profiles.push(profileName(attached.profile))
    } catch (error) {
      if (!(error instanceof ApiError)) deps.log.error('an entry of a batch failed', { service, error })
      errors[service] = error instanceof ApiError ? error.reason : 'internal'
    }
  }
  if (account === undefined) return { error: errors }
  const failed = Object.keys(errors).length > 0 ? { errors } : {}
  return { account, access_token: accessToken, profiles, app_verified: appVerified, ...failed }
}

import { createSemaphore } from '#base/semaphore.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { profileName } from '#model/profile-name.ts'
import { applyToken } from './apply.ts'
import type { AuthorizeNeed } from './need.ts'

export interface BatchEntry {
  id: string
  tokens: { service: string; token: string; tokenSecret?: string | undefined }[]
}

export type BatchAnswer =
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
  need: AuthorizeNeed,
  app: App,
  entries: BatchEntry[],
): Promise<Record<string, BatchAnswer>> {
  const semaphore = createSemaphore(AT_ONCE)
  const answers = entries.map(async (entry): Promise<[string, BatchAnswer]> => {
    const answer = await semaphore.run(() => applyEntry(need, app, entry))
    return [entry.id, answer]
  })
  return Object.fromEntries(await Promise.all(answers))
}

async function applyEntry(need: AuthorizeNeed, app: App, entry: BatchEntry): Promise<BatchAnswer> {
  const errors: Record<string, string> = {}
  const profiles: string[] = []
  let account: string | undefined
  let accessToken = ''
  let appVerified = true
  for (const { service, token, tokenSecret } of entry.tokens) {
    try {
      const attached = await applyToken(need, app, { service, token, tokenSecret, account })
      account = attached.account.id
      accessToken = attached.token
      appVerified &&= attached.appVerified
      profiles.push(profileName(attached.profile))
    } catch (error) {
      if (!(error instanceof ApiError)) need.log.error('an entry of a batch failed', { service, error })
      errors[service] = error instanceof ApiError ? error.reason : 'internal'
    }
  }
  if (account === undefined) return { error: errors }
  const failed = Object.keys(errors).length > 0 ? { errors } : {}
  return { account, access_token: accessToken, profiles, app_verified: appVerified, ...failed }
}

import type { Api, Hook } from '#kit/connector.ts'
import { signedBody } from '#kit/hook.ts'
import { rateFrom } from '#kit/rate.ts'

const told = rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', of: 'person' })

/** Counted for the person, over all apps together; searches apart from the rest. */
export const rate: NonNullable<Api['rate']> = (headers) => {
  const info = told(headers)
  const isApart = (headers['x-ratelimit-resource'] ?? 'core') !== 'core'
  return info && isApart ? { ...info, of: 'endpoint' } : info
}

/** “Slow down” comes as 403 or 429: the hourly limit with nothing remaining, the secondary one with words or `Retry-After`. */
export const recovery: NonNullable<Api['recovery']> = ({ status, body, headers }) => {
  if (status !== 403 && status !== 429) return undefined
  const { message } = (body ?? {}) as { message?: unknown }
  const limited =
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    (typeof message === 'string' && /rate limit|abuse/i.test(message))
  return limited ? 'retry' : undefined
}

interface Delivery {
  sender?: { id?: number }
  repository?: { owner?: { id?: number } }
}

/** A webhook that a repository, an organization or a GitHub App sends here. */
export const hook: Hook = {
  verify: signedBody({ header: 'x-hub-signature-256', algorithm: 'sha256', prefix: 'sha256=' }),
  people: (body) => {
    const { sender, repository } = body as Delivery
    const ids = [sender?.id, repository?.owner?.id].filter((id) => id !== undefined)
    return [...new Set(ids)].map(String)
  },
}

import type { Api, Hook } from '#kit/connector/connector.ts'
import { signedBody } from '#kit/connector/hook.ts'
import { rateFrom } from '#kit/connector/rate.ts'

const readRate = rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', of: 'person' })

/** Limits are per person, for all apps together; searches have their own. */
export const rate: NonNullable<Api['rate']> = (headers) => {
  const info = readRate(headers)
  const isApart = (headers['x-ratelimit-resource'] ?? 'core') !== 'core'
  return info && isApart ? { ...info, of: 'endpoint' } : info
}

/**
 * Rate limits have status 403 or 429: the primary with nothing remaining, the secondary with a message or
 * `Retry-After`. Other refusals name the scopes of which one is needed.
 */
export const recovery: NonNullable<Api['recovery']> = ({ status, body, headers }) => {
  if (status !== 403 && status !== 429) return undefined
  const { message } = (body ?? {}) as { message?: unknown }
  const limited =
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    (typeof message === 'string' && /rate limit|abuse/i.test(message))
  if (limited) return 'retry'
  const [accepted, held] = [scopesIn(headers['x-accepted-oauth-scopes']), scopesIn(headers['x-oauth-scopes'])]
  const isMissing =
    headers['x-oauth-scopes'] !== undefined && accepted.length > 0 && !accepted.some((each) => held.includes(each))
  return status === 403 && isMissing ? 'not_granted' : undefined
}

function scopesIn(header = ''): string[] {
  return header.split(/[\s,]+/).filter((each) => each !== '')
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

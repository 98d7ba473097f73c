import type { Api, Hook, RateLimitInfo } from '#kit/connector/connector.ts'
import { hubChallenge, signedBody } from '#kit/connector/hook.ts'
import { linkPages } from '#kit/endpoints/pages.ts'

export const VERSION = 'v26.0'

/** A list of the Graph API. */
export interface Edge<Raw> {
  data?: Raw[]
  paging?: { next?: string }
}

/** The last page has no `next`. The token in the URL of `next` is dropped. */
export const pagesOf = (limit: number) =>
  linkPages({
    from: (body: Edge<unknown>) => body.paging?.next,
    query: { limit: String(limit) },
    drop: ['access_token'],
  })

interface GraphError {
  code?: number
  is_transient?: boolean
}

interface Usage {
  call_count?: number
  total_cputime?: number
  total_time?: number
  /** In minutes. */
  estimated_time_to_regain_access?: number
}

const HOUR_MS = 3_600_000

/** The headers have the used percentage per Instagram account; one percent is always more than one call. */
function rate(headers: Record<string, string>, nowMs: number): RateLimitInfo | undefined {
  const usages = usagesIn(headers['x-business-use-case-usage'])
  if (usages.length === 0) return undefined
  const percents = usages.flatMap((one) => [one.call_count ?? 0, one.total_cputime ?? 0, one.total_time ?? 0])
  const minutes = Math.max(0, ...usages.map((one) => one.estimated_time_to_regain_access ?? 0))
  return {
    remaining: minutes > 0 ? 0 : Math.max(0, 100 - Math.max(...percents)),
    resetAtMs: nowMs + (minutes > 0 ? minutes * 60_000 : HOUR_MS),
    of: 'person',
  }
}

function usagesIn(header: string | undefined): Usage[] {
  try {
    return header === undefined ? [] : Object.values(JSON.parse(header) as Record<string, Usage[]>).flat()
  } catch {
    // A header that is not JSON has no limits.
    return []
  }
}

export const api: Api = {
  baseUrl: `https://graph.instagram.com/${VERSION}`,
  // Fields of a record may be lists with pages of their own.
  links: ['**.paging.next', '**.paging.previous'],
  tokenPlaces: { form: ['access_token'] },
  // 4800 times the impressions of a day, of which at least ten count.
  limits: { person: { calls: 2000, perS: 3600 } },
  rate,
  // Refusals have status 400 and an error code.
  recovery: ({ body }) => {
    const { code, is_transient: transient } = (body as { error?: GraphError } | null | undefined)?.error ?? {}
    if (code === undefined) return undefined
    if (code === 102 || code === 190) return 'reauthorize'
    // 4 and 341: the app; 17, 32, 613 and 80002: the account.
    if (code === 4 || code === 341) return 'pause_app'
    if ([17, 32, 613, 80_002].includes(code)) return 'pause_person'
    if (code === 1 || code === 2) return 'retry'
    // 10 and 200 to 299: “Permission is either not granted or has been removed”. 3: the app lacks the capability.
    if (code === 10 || (code >= 200 && code <= 299)) return 'not_granted'
    if (code === 3) return 'skip'
    return transient === true ? 'retry' : undefined
  },
}

interface Notice {
  entry?: { id?: string }[]
}

/**
 * Comments, mentions and messages. The documentation shows notices in a list, the service sends them without. The
 * hook's secret is the verify token.
 */
export const hook: Hook = {
  handshake: hubChallenge,
  signedWith: 'key',
  verify: signedBody({ header: 'x-hub-signature-256', algorithm: 'sha256', prefix: 'sha256=' }),
  people: (body) =>
    (Array.isArray(body) ? (body as Notice[]) : [body as Notice | null])
      .flatMap((notice) => notice?.entry ?? [])
      .map(({ id }) => id)
      .filter((id) => id !== undefined),
}

import type { Api, Hook, RateLimitInfo } from '#kit/connector.ts'
import { hubChallenge, signedBody } from '#kit/hook.ts'
import { linkPages } from '#kit/pages.ts'

export const VERSION = 'v26.0'

/** A list as the Graph API gives it. */
export interface Edge<Raw> {
  data?: Raw[]
  paging?: { next?: string }
  summary?: { total_count?: number }
}

/** Pages end where there is no `next`; before that one may be empty, as what others hid is left out. */
export const pagesOf = (limit: number) =>
  linkPages({
    from: (body: Edge<unknown>) => body.paging?.next,
    query: { limit: String(limit) },
    drop: ['access_token', 'appsecret_proof'],
  })

type Recovery = ReturnType<NonNullable<Api['recovery']>>

/** Refusals come as 400 with a code of their own. */
function recovery({ body }: { body: unknown }): Recovery {
  const { code, is_transient: transient } =
    (body as { error?: { code?: number; is_transient?: boolean } } | null | undefined)?.error ?? {}
  if (code === undefined) return undefined
  // 102 and 190: the token ended, or the person took the grant back, changed the password or was checkpointed.
  if (code === 102 || code === 190) return 'reauthorize'
  // 1 and 2: an outage; 4, 17, 32, 341, 613 and 80000 to 80014: too many calls.
  if ([1, 2, 4, 17, 32, 341, 613].includes(code) || (code >= 80_000 && code <= 80_014)) return 'retry'
  // 3, 10 and 200 to 299: the app or the person did not allow this one thing.
  if (code === 3 || code === 10 || (code >= 200 && code <= 299)) return 'skip'
  return transient === true ? 'retry' : undefined
}

interface Usage {
  call_count?: number
  total_cputime?: number
  total_time?: number
  /** In minutes. */
  estimated_time_to_regain_access?: number
}

const HOUR_MS = 3_600_000

/**
 * Both headers tell how many percent are used. An app may make at least 200 calls in an hour, so that a percent is at
 * least one call.
 */
function rate(headers: Record<string, string>, nowMs: number): RateLimitInfo | undefined {
  const ofApp = parsed(headers['x-app-usage']) as Usage | undefined
  const ofBusiness = parsed(headers['x-business-use-case-usage']) as Record<string, Usage[]> | undefined
  const usages = [...(ofApp ? [ofApp] : []), ...Object.values(ofBusiness ?? {}).flat()]
  if (usages.length === 0) return undefined
  const percents = usages.flatMap((one) => [one.call_count ?? 0, one.total_cputime ?? 0, one.total_time ?? 0])
  const minutes = Math.max(0, ...usages.map((one) => one.estimated_time_to_regain_access ?? 0))
  return {
    remaining: minutes > 0 ? 0 : Math.max(0, 100 - Math.max(...percents)),
    resetAtMs: nowMs + (minutes > 0 ? minutes * 60_000 : HOUR_MS),
  }
}

function parsed(header: string | undefined): unknown {
  try {
    return header === undefined ? undefined : JSON.parse(header)
  } catch {
    // A header that is no JSON says nothing of limits.
    return undefined
  }
}

export const api: Api = {
  baseUrl: `https://graph.facebook.com/${VERSION}`,
  // Counted for the app as 200 times its people, in a window of an hour that moves.
  limits: { person: { calls: 200, perS: 3600 } },
  rate,
  recovery,
}

interface Notice {
  entry?: { id?: string; uid?: string }[]
}

/** Webhooks of the object `user`. The verify token of the app's dashboard is the hook's secret; notices are signed with the app's. */
export const hook: Hook = {
  handshake: hubChallenge,
  signedWith: 'key',
  verify: signedBody({ header: 'x-hub-signature-256', algorithm: 'sha256', prefix: 'sha256=' }),
  people: (body) =>
    ((body as Notice | null)?.entry ?? []).map(({ uid, id }) => uid ?? id).filter((id) => id !== undefined),
}

import type { Api, Hook, RateLimitInfo } from '#kit/connector/connector.ts'
import { hubChallenge, signedBody } from '#kit/connector/hook.ts'
import { linkPages } from '#kit/endpoints/pages.ts'

export const VERSION = 'v26.0'

/** A list of the Graph API. */
export interface Edge<Raw> {
  data?: Raw[]
  paging?: { next?: string }
  summary?: { total_count?: number }
}

/** The last page has no `next`. Earlier pages may be empty, because hidden records are omitted. */
export const pagesOf = (limit: number) =>
  linkPages({
    from: (body: Edge<unknown>) => body.paging?.next,
    size: { param: 'limit', value: limit },
    drop: ['access_token', 'appsecret_proof'],
  })

type Recovery = ReturnType<NonNullable<Api['recovery']>>

// “Application request limit reached” and “Application limit reached”.
const APP_LIMITS = [4, 341]
// Of a person (17), and of what a person calls: a page (32), one kind of call (613); 80000 to 80014 are business use cases.
const PERSON_LIMITS = [17, 32, 613]

/** Refusals have status 400 and an error code. */
function recovery({ body }: { body: unknown }): Recovery {
  const {
    code,
    message,
    is_transient: transient,
  } = (body as { error?: { code?: number; message?: unknown; is_transient?: boolean } } | null | undefined)?.error ?? {}
  if (code === undefined) return undefined
  // “Please reduce the amount of data you're asking for, then retry your request”, with status 500: the same page never succeeds.
  if (code === 1 && String(message).includes('reduce the amount of data')) return 'smaller'
  // 102 and 190: the token expired, or the person revoked the grant, changed the password or was checkpointed.
  if (code === 102 || code === 190) return 'reauthorize'
  if (APP_LIMITS.includes(code)) return 'pause_app'
  if (PERSON_LIMITS.includes(code) || (code >= 80_000 && code <= 80_014)) return 'pause_person'
  // 1 and 2: an outage.
  if (code === 1 || code === 2) return 'retry'
  // 10 and 200 to 299: “Permission is either not granted or has been removed”. 3: the app lacks the capability.
  if (code === 10 || (code >= 200 && code <= 299)) return 'not_granted'
  if (code === 3) return 'skip'
  return transient === true ? 'retry' : undefined
}

/** The person removed the app at the service, so that all its tokens ended. */
export function isAppRemoved({ body }: { body: unknown }): boolean {
  const { code, error_subcode: subcode } =
    (body as { error?: { code?: number; error_subcode?: number } } | null | undefined)?.error ?? {}
  return code === 190 && subcode === 458
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
 * Both headers have the used percentage. An app may make at least 200 calls in an hour, so one percent is at least one
 * call. `X-App-Usage` counts all people of the app; the other header counts one business of a person.
 */
function rate(headers: Record<string, string>, nowMs: number): RateLimitInfo | undefined {
  const ofApp = parseHeader(headers['x-app-usage']) as Usage | undefined
  const ofBusiness = parseHeader(headers['x-business-use-case-usage']) as Record<string, Usage[]> | undefined
  const app = ofApp && { ...usageOf([ofApp], nowMs), of: 'app' as const }
  const businesses = Object.values(ofBusiness ?? {}).flat()
  if (businesses.length === 0) return app
  const person = { ...usageOf(businesses, nowMs), of: 'person' as const }
  return app !== undefined && app.remaining <= person.remaining ? app : person
}

function usageOf(usages: Usage[], nowMs: number) {
  const percents = usages.flatMap((one) => [one.call_count ?? 0, one.total_cputime ?? 0, one.total_time ?? 0])
  const minutes = Math.max(0, ...usages.map((one) => one.estimated_time_to_regain_access ?? 0))
  return {
    remaining: minutes > 0 ? 0 : Math.max(0, 100 - Math.max(...percents)),
    resetAtMs: nowMs + (minutes > 0 ? minutes * 60_000 : HOUR_MS),
  }
}

function parseHeader(header: string | undefined): unknown {
  try {
    return header === undefined ? undefined : JSON.parse(header)
  } catch {
    // A header that is not JSON has no limits.
    return undefined
  }
}

export const api: Api = {
  baseUrl: `https://graph.facebook.com/${VERSION}`,
  // Fields of a record may be lists with pages of their own.
  links: ['**.paging.next', '**.paging.previous'],
  tokenPlaces: { form: ['access_token'] },
  // Per app: 200 calls times its users, in a sliding window of an hour. Shared out by person; refusals name the scope.
  limits: { person: { calls: 200, perS: 3600 } },
  rate,
  recovery,
  asksForSmallerPages: true,
}

interface Notice {
  entry?: { id?: string; uid?: string }[]
}

/**
 * Webhooks of the object `user`. The hook's secret is the verify token of the app's dashboard; notices are signed with
 * the app secret.
 */
export const hook: Hook = {
  handshake: hubChallenge,
  signedWith: 'key',
  verify: signedBody({ header: 'x-hub-signature-256', algorithm: 'sha256', prefix: 'sha256=' }),
  people: (body) =>
    ((body as Notice | null)?.entry ?? []).map(({ uid, id }) => uid ?? id).filter((id) => id !== undefined),
}

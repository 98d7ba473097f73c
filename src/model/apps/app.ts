import { hasUserInfo } from '#platform/user-info.ts'
import { isRefusedScheme } from '../accounts/redirect-scheme.ts'
import { invalidInput } from '../errors.ts'
import { type AgentSettings, presentAgents } from './agents.ts'
import { type Branding, presentBranding } from './branding.ts'

/** `proven`: only tokens that the service confirms it issued to this app. `any`: every token that the service accepts. */
export type ApplyPolicy = 'proven' | 'any'

export const APPLY_POLICIES = ['proven', 'any'] as const satisfies ApplyPolicy[]

/** A client application, with its secrets, redirect addresses and keys for services. */
export interface App {
  id: string
  name: string
  redirectUris: string[]
  /** Whether `response_type=token` is allowed. */
  tokenFlow: boolean
  /** A public client (RFC 6749 2.1) exchanges codes by PKCE, without its secret. */
  isPublic: boolean
  /** Which tokens `apply` accepts. */
  apply: ApplyPolicy
  /** What agents may do; absent: agents are off. */
  agents?: AgentSettings | undefined
  /** How it looks on pages; absent: nothing was set. */
  branding?: Branding | undefined
  /** Names of the services that its people may connect; absent: all that it has keys for. */
  services?: readonly string[] | undefined
  createdAt: number
  /** When its deletion started. */
  deletingAt?: number
}

export interface AppSecret {
  id: string
  createdAt: number
  /** Set once a newer secret replaces it. */
  expiresAt: number | undefined
}

/** An app's key for one service, with the addresses it overrides. The secret stays sealed in the store. */
export interface SealedServiceKey {
  service: string
  key: string
  scope: string | undefined
  overrides: Record<string, string>
  updatedAt: number
}

/** Addresses of a service that an app's keys may override, for self-hosted instances and tests. */
export const OVERRIDES = [
  'authorize_url',
  'token_url',
  'revoke_url',
  'request_token_url',
  'access_token_url',
  'api_url',
  'base_url',
] as const

/** Limit (sign-in): characters of a redirect address; a longer one is refused. */
const MAX_ADDRESS = 2000
const RESERVED_PARAMETERS = ['code', 'state', 'error', 'error_description', 'error_uri', 'access_token', 'iss']

/** Throws for a redirect address that could leak a code or be confused with a response of this service. */
export function checkRedirectUri(text: string): string {
  const bad = (why: string) => invalidInput('bad_parameter', 'redirect_uris', `“${text.slice(0, 200)}” ${why}.`)
  if (text.length > MAX_ADDRESS) throw bad(`has more than ${MAX_ADDRESS} characters`)
  if (!URL.canParse(text)) throw bad('is not an absolute address')
  const url = new URL(text)
  if (isRefusedScheme(url.protocol)) throw bad('has a scheme that belongs to browsers, systems or other programs')
  if (url.hash !== '' || text.includes('#')) throw bad('has a fragment')
  if (hasUserInfo(text)) throw bad('contains a user name')
  // Without both slashes and a host, browsers resolve it relative to the page that redirects.
  if (/^https?:/.test(url.protocol) && !/^https?:\/\/[^/\\]/i.test(text)) throw bad('must start with https://')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw bad('must use https (http is for loopback addresses only)')
  if (/[\s\\*\p{C}]/u.test(text)) throw bad('has a character that browsers interpret differently')
  const clash = RESERVED_PARAMETERS.find((name) => url.searchParams.has(name))
  if (clash !== undefined) throw bad(`has a parameter “${clash}”, which the redirect would add a second time`)
  return text
}

/** True for loopback hosts, on which native apps and development servers listen (RFC 8252). */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** Compares exactly, except for the port of a loopback address, which a native app cannot know beforehand (RFC 8252 7.3). */
export function matchesRedirectUri(registered: readonly string[], given: string): boolean {
  return registered.some((each) => each === given || sameLoopback(each, given))
}

function sameLoopback(registered: string, given: string): boolean {
  if (!URL.canParse(registered) || !URL.canParse(given)) return false
  const a = new URL(registered)
  const b = new URL(given)
  if (a.protocol !== 'http:' || !isLoopback(a.hostname)) return false
  const withPort = new URL(a)
  withPort.port = b.port
  return withPort.href === b.href && withoutPort(given) === withoutPort(registered)
}

// Compared as text too: the parser accepts spellings that an exact match must not.
function withoutPort(text: string): string {
  return text.replace(/^(http:\/\/(?:\[::1\]|[^/:?#]+)):\d+/, '$1')
}

/** An app as the API and the CLI show it. */
export function presentApp(app: App): Record<string, unknown> {
  return {
    client_id: app.id,
    name: app.name,
    redirect_uris: app.redirectUris,
    token_flow: app.tokenFlow,
    public: app.isPublic,
    apply: app.apply,
    ...(app.agents === undefined ? {} : { agents: presentAgents(app.agents) }),
    branding: presentBranding(app.id, app.branding ?? {}),
    ...(app.services === undefined ? {} : { services: app.services }),
    created_at: app.createdAt,
    ...(app.deletingAt === undefined ? {} : { deleting_at: app.deletingAt }),
  }
}

/** A service key as the API and the CLI show it, without its secret. */
export function presentServiceKey(key: SealedServiceKey): Record<string, unknown> {
  return {
    service: key.service,
    key: key.key,
    overrides: key.overrides,
    ...(key.scope === undefined ? {} : { scope: key.scope }),
    updated_at: key.updatedAt,
  }
}

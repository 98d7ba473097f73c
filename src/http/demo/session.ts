import { DEMO_SERVICES } from '#flows/operations/demo-services.ts'
import { chooseProfile } from '#flows/sync/progress.ts'
import { accountOf } from '#identity/accounts.ts'
import type { OpenedAccount } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { cookieName, readCookie, setCookie } from '../server/cookies.ts'
import type { HttpDeps } from '../server/deps.ts'

/** Limit: lifetime of the demo's cookie, in seconds; then the person connects again. */
const MAX_AGE_S = 30 * 24 * 3600
/** Limit: sign-ins that the cookie remembers as redeemed. */
const MAX_REDEEMED = 8

const CELL = { table: 'demo_session', row: 'cookie', column: 'value' }

/** What the demo app remembers of a browser, sealed in a cookie. */
interface Remembered {
  token: string
  /** Nonces of sign-ins whose code was redeemed: a reload of their callback must not redeem it again. */
  redeemed: string[]
}

export interface DemoSession extends Remembered {
  account: OpenedAccount
}

type SessionDeps = Pick<HttpDeps, 'config' | 'keyring' | 'database' | 'hasher'>

const nameIn = (deps: Pick<HttpDeps, 'config'>): string => cookieName(deps, 'tributary-demo-session')

/** The demo, or the refusal of a server that runs without it. */
export function requireDemo(deps: HttpDeps): NonNullable<ReturnType<HttpDeps['demo']>> {
  const demo = deps.demo()
  if (demo === undefined) throw new ApiError('not_found')
  return demo
}

export function readRemembered(
  deps: Pick<HttpDeps, 'config' | 'keyring'>,
  request: HttpRequest,
): Remembered | undefined {
  const value = readCookie(request, nameIn(deps))
  if (value === undefined) return undefined
  try {
    return JSON.parse(deps.keyring.open(Buffer.from(value, 'base64url'), CELL)) as Remembered
  } catch {
    // Damaged, or sealed with a key that is no longer in the keyring: the person connects again.
    return undefined
  }
}

/** The browser's demo account; undefined if it has none, or if its token was revoked or its account deleted. */
export async function openSession(deps: HttpDeps, request: HttpRequest): Promise<DemoSession | undefined> {
  const remembered = readRemembered(deps, request)
  if (remembered === undefined) return undefined
  const account = await accountOf(deps, remembered.token)
  return account?.appId === deps.demo()?.clientId && account !== undefined ? { ...remembered, account } : undefined
}

export function rememberSession(deps: SessionDeps, reply: HttpReply, { token, redeemed }: Remembered): void {
  const value = deps.keyring.seal(JSON.stringify({ token, redeemed: redeemed.slice(-MAX_REDEEMED) }), CELL)
  setCookie(deps, reply, nameIn(deps), value.toString('base64url'), { maxAgeS: MAX_AGE_S })
}

export function forgetSession(deps: SessionDeps, reply: HttpReply): void {
  setCookie(deps, reply, nameIn(deps), '', { maxAgeS: 0 })
}

export interface ShownService {
  service: string
  title: string
  summary: string
  /** Its profile can be read: a profile that has to sign in again is not connected. */
  connected: boolean
}

/** The demo services, and which of them the account uses. */
export async function shownServices(deps: HttpDeps, account: OpenedAccount | undefined): Promise<ShownService[]> {
  return Promise.all(
    DEMO_SERVICES.map(async ({ service, title, summary }) => {
      const has = account?.profiles.some((profile) => profile.service === service) ?? false
      const connected = has && (await chooseProfile(deps, account!, service)).state !== 'needs_auth'
      return { service, title, summary, connected }
    }),
  )
}

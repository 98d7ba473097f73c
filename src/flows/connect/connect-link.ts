import { timingSafeEqual } from 'node:crypto'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { servicesOf } from '#identity/services.ts'
import { ticketShard } from '#model/accounts/access-token.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { type App, matchesRedirectUri } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import { findApp } from '#store/apps/apps.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { claimConnectSession, findConnectSessionByHash, type StoredSession } from '#store/identity/connect-sessions.ts'
import { hasSignedIn } from '#store/identity/consents.ts'
import { findProfile, listProfiles } from '#store/identity/profiles.ts'
import type { OutcomeOf } from '../sign-in/outcome.ts'
import type { ReturnTo } from '../sign-in/return-to.ts'
import { startSignIn } from '../sign-in/start.ts'
import { requestIn, type SessionRequest, stateOf } from './connect-session.ts'

/** What a link shows. Reading it changes nothing, so that a preview or a prefetch does not use it up. */
export type OpenedSession =
  | {
      kind: 'open'
      app: App
      to: ReturnTo
      request: SessionRequest
      /** Names of the services that the account has already; empty for a new account, and for a browser that only has the link. */
      connected: ReadonlySet<string>
      expiresAt: number
    }
  | {
      kind: 'done'
      app: App
      to: ReturnTo
      /** Title of the service that was connected. */
      service: string
      profile: Profile | undefined
    }
  | { kind: 'elsewhere' | 'expired' | 'revoked'; app: App; to: ReturnTo }
  | { kind: 'unknown' }

/** The cookies of a browser: that of links, which says who may go on, and that of sign-ins, which says who was here before. */
export interface LinkBrowser {
  link: Buffer | undefined
  signIn: Buffer | undefined
}

export async function openConnectLink(
  deps: IdentityDeps,
  ticket: string,
  browser: LinkBrowser,
): Promise<OpenedSession> {
  const found = await findByTicket(deps, ticket)
  if (found === undefined) return { kind: 'unknown' }
  const { session, app } = found
  const request = requestIn(session)
  const to: ReturnTo = { redirectUri: request.redirectUri, state: request.state, locale: request.locale }
  const state = stateOf(session, deps.clock.now())
  if (state === 'revoked' || !matchesRedirectUri(app.redirectUris, to.redirectUri)) return { kind: 'revoked', app, to }
  if (!isFor(session, browser.link)) return { kind: 'elsewhere', app, to }
  if (state === 'done') {
    const service = deps.registry.find(session.service ?? '')?.title ?? session.service ?? ''
    return { kind: 'done', app, to, service, profile: await profileOf(deps, session) }
  }
  if (state === 'expired') return { kind: 'expired', app, to }
  const connected = await connectedIn(deps, session, browser)
  if (connected === undefined) return { kind: 'revoked', app, to }
  return { kind: 'open', app, to, request, connected, expiresAt: session.expiresAt }
}

/** The person chose a service: from now on the link belongs to this browser. Undefined when it has ended, or belongs to another. */
export async function startConnectLink(
  deps: SignInDeps,
  ticket: string,
  service: string,
  browsers: { link: Buffer; signIn: Buffer },
  ip: string,
): Promise<OutcomeOf<'started'> | undefined> {
  const found = await findByTicket(deps, ticket)
  if (found === undefined) return undefined
  const { session, app } = found
  const { redirectUri, state, locale, scope, services, codeChallenge } = requestIn(session)
  if (!matchesRedirectUri(app.redirectUris, redirectUri)) return undefined
  const offered = await servicesOf(deps, app, services)
  if (!offered.some((each) => each.service === service))
    throw new ApiError('service_unknown', undefined, { param: 'service' })
  if (!(await claimConnectSession(deps.database, session.id, browsers.link, deps.clock.now()))) return undefined
  const input = {
    service,
    scope,
    ...(codeChallenge === undefined ? {} : { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
    session: { id: session.id, accountId: session.accountId },
  }
  return startSignIn(deps, app, { redirectUri, state, locale }, input, browsers.signIn, ip)
}

async function findByTicket(
  { database, keyring, hasher }: IdentityDeps,
  ticket: string,
): Promise<{ session: StoredSession; app: App } | undefined> {
  const shard = ticketShard('tro', ticket)
  if (shard === undefined) return undefined
  const session = await findConnectSessionByHash(database, keyring, shard, hasher.hash('connect_session', ticket))
  const app = session && (await findApp(database, session.appId))
  return session && app && { session, app }
}

async function profileOf({ database }: IdentityDeps, { profileId }: StoredSession): Promise<Profile | undefined> {
  return profileId === undefined ? undefined : findProfile(database, shardIn(profileId), profileId)
}

function isFor(session: StoredSession, browser: Buffer | undefined): boolean {
  if (session.browser === undefined) return true
  return browser !== undefined && timingSafeEqual(session.browser, browser)
}

/**
 * Undefined when the account no longer exists. A link may be forwarded or read by others, so what the account has is shown only to a
 * browser that uses the link or signed in to the account before.
 */
async function connectedIn(
  { database }: IdentityDeps,
  { accountId, browser }: StoredSession,
  { signIn }: LinkBrowser,
): Promise<ReadonlySet<string> | undefined> {
  if (accountId === undefined) return new Set()
  const account = await findAccountById(database, accountId)
  if (account === undefined) return undefined
  const isKnown = browser !== undefined || (signIn !== undefined && (await hasSignedIn(database, signIn, account)))
  return new Set(isKnown ? (await listProfiles(database, account)).map(({ service }) => service) : [])
}

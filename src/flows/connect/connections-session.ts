import { type IdentityDeps, TEN_MINUTES_MS } from '#identity/deps.ts'
import { requireRedirect } from '#identity/known-app.ts'
import { newTicket, ticketShard } from '#model/accounts/access-token.ts'
import type { Account } from '#model/accounts/account.ts'
import { type App, matchesRedirectUri } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import { auditAccount } from '#store/audit.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import {
  type ConnectionsSession,
  findConnectionsLink,
  findConnectionsSession,
  insertConnectionsLink,
  openConnectionsSession,
} from '#store/identity/connections-sessions.ts'

/** How long a person may use the page after they opened it. */
export const SESSION_TTL_MS = 30 * 60_000

/** Who acts on the page, for the audit log and for events. */
export const PERSON = 'person'

export interface NewConnectionsLink {
  /** An address of the app that the page leads back to. Default: the first one. */
  redirectUri?: string | undefined
  language?: string | undefined
}

/** Creates a link to the page of connections. The first browser that opens it may use the page, so the app gives it to the person only. */
export async function createConnectionsLink(
  deps: IdentityDeps,
  account: Account,
  { redirectUri, language }: NewConnectionsLink,
  actor: string,
): Promise<{ url: string; expires_at: number }> {
  const { database, hasher, clock, config } = deps
  const app = await findApp(database, account.appId)
  if (app === undefined) throw new ApiError('client_unknown')
  const ticket = newTicket('trv', account.shard)
  const now = clock.now()
  const link = {
    shard: account.shard,
    hash: hasher.hash('connections_link', ticket),
    appId: app.id,
    accountId: account.id,
    redirectUri: requireRedirect(app, redirectUri ?? app.redirectUris[0]),
    language,
    expiresAt: now + TEN_MINUTES_MS,
  }
  await database.transaction(async (tx) => {
    await insertConnectionsLink(tx, link)
    await auditAccount(tx, account, { at: now, actor, action: 'connections.link' })
  })
  const url = `${config.baseUrl}/connections?${new URLSearchParams({ ticket }).toString()}`
  return { url, expires_at: link.expiresAt }
}

/** What a browser sees that has a link: nothing of the account before the link is used. */
export type ConnectionsLink =
  | { kind: 'unused'; app: App; link: ConnectionsSession }
  /** Used in this browser, whose session is still open. */
  | { kind: 'own' }
  | { kind: 'elsewhere' | 'expired'; app: App; link: ConnectionsSession }

export async function readConnectionsLink(
  deps: IdentityDeps,
  ticket: string,
  session: string | undefined,
): Promise<ConnectionsLink> {
  const { database, clock } = deps
  const key = linkKey(deps, ticket)
  const link = key && (await findConnectionsLink(database, key.shard, key.hash))
  const app = link && (await findApp(database, link.appId))
  if (link === undefined || app === undefined) throw new ApiError('link_invalid')
  if (link.sessionHash === undefined) return { kind: link.expiresAt < clock.now() ? 'expired' : 'unused', app, link }
  const isOwn = session !== undefined && deps.hasher.matches('connections_session', session, link.sessionHash)
  if (!isOwn) return { kind: 'elsewhere', app, link }
  return link.expiresAt < clock.now() ? { kind: 'expired', app, link } : { kind: 'own' }
}

/** Uses a link up. Returns the value of the cookie, by which only this browser goes on. */
export async function openConnections(
  deps: IdentityDeps,
  ticket: string,
): Promise<{ session: string; app: App; link: ConnectionsSession }> {
  const { database, hasher, clock } = deps
  const key = linkKey(deps, ticket)
  if (key === undefined) throw new ApiError('link_invalid')
  const session = newTicket('trw', key.shard)
  const nowMs = clock.now()
  return database.transaction(async (tx) => {
    const sessionHash = hasher.hash('connections_session', session)
    const link = await openConnectionsSession(tx, key, { sessionHash, expiresAt: nowMs + SESSION_TTL_MS, nowMs })
    const app = link && (await findApp(tx, link.appId))
    const account = link && (await findAccountById(tx, link.accountId))
    if (link === undefined || app === undefined || account === undefined) throw new ApiError('link_invalid')
    await auditAccount(tx, account, { at: nowMs, actor: PERSON, action: 'connections.open' })
    return { session, app, link }
  })
}

/** An open page of connections. */
export interface OpenConnections {
  app: App
  account: Account
  session: ConnectionsSession
}

/** The session of a cookie. It ends with its time, and with the account. */
export async function requireConnections(deps: IdentityDeps, cookie: string | undefined): Promise<OpenConnections> {
  const { database, hasher, clock } = deps
  const shard = cookie === undefined ? undefined : ticketShard('trw', cookie)
  const session =
    cookie === undefined || shard === undefined
      ? undefined
      : await findConnectionsSession(database, shard, hasher.hash('connections_session', cookie))
  const isOpen = session !== undefined && session.expiresAt >= clock.now()
  const app = isOpen ? await findApp(database, session.appId) : undefined
  const account = isOpen ? await findAccountById(database, session.accountId) : undefined
  if (session === undefined || app === undefined || account === undefined) throw new ApiError('connections_closed')
  return { app, account, session }
}

/** Where the page leads back to: the start page of the app, or the app itself where it is not on the web. */
export function wayBack({ app, session }: { app: App; session: ConnectionsSession }): string | undefined {
  // The app may have removed the address since.
  if (!matchesRedirectUri(app.redirectUris, session.redirectUri)) return undefined
  const { protocol, origin } = new URL(session.redirectUri)
  return /^https?:$/.test(protocol) ? origin : session.redirectUri
}

function linkKey({ hasher }: IdentityDeps, ticket: string): { shard: number; hash: Buffer } | undefined {
  const shard = ticketShard('trv', ticket)
  return shard === undefined ? undefined : { shard, hash: hasher.hash('connections_link', ticket) }
}

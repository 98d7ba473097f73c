import { registrationOf } from '#access/register-app.ts'
import { storedInstance } from '#access/service-access.ts'
import { keyFor } from '#access/service-key.ts'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { mustAsk, readAnswers, requireService } from '#identity/sign-in-access.ts'
import { newTicket, ticketShard } from '#model/accounts/access-token.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import type { App } from '#model/apps/app.ts'
import { matchesRedirectUri } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findApp } from '#store/apps/apps.ts'
import { writeAudit } from '#store/audit.ts'
import { findDuplicate, findProfile } from '#store/identity/profiles.ts'
import { findReconnectLink, insertReconnectLink, type ReconnectLink } from '#store/identity/reconnect-links.ts'
import type { OutcomeOf } from '../sign-in/outcome.ts'
import { askPerson, type SignInStart } from '../sign-in/question.ts'
import type { ReturnTo } from '../sign-in/return-to.ts'
import { sendToService } from '../sign-in/start.ts'

/** How long a link may wait for its first click. */
const LINK_TTL_MS = 3_600_000

export interface NewLink {
  /** Returns to our page of connections instead of the app. */
  returnsHere?: boolean | undefined
  redirectUri?: string | undefined
  scope?: string | undefined
}

/** Creates a link by which the person of a profile signs in again. Only the same service user can use it. */
export async function createReconnectLink(
  deps: IdentityDeps,
  profile: Profile,
  { redirectUri, scope, returnsHere }: NewLink,
  actor: string,
): Promise<{ url: string; expires_at: number }> {
  const { database, hasher, clock, config } = deps
  const app = await findApp(database, profile.appId)
  if (app === undefined) throw new ApiError('client_unknown')
  const connector = deps.registry.find(profile.service)
  const hasKeys =
    connector !== undefined &&
    (registrationOf(connector) !== undefined || (await keyFor(deps, app.id, connector)) !== undefined)
  if (!hasKeys) throw new ApiError('no_service_keys')
  const ticket = newTicket('trl', profile.shard)
  const now = clock.now()
  const link: ReconnectLink = {
    shard: profile.shard,
    hash: hasher.hash('reconnect', ticket),
    appId: app.id,
    profileId: profile.id,
    redirectUri: returnsHere === true ? ownPage(deps) : redirectOf(app, redirectUri),
    scope,
    expiresAt: now + LINK_TTL_MS,
  }
  await database.transaction(async (tx) => {
    await insertReconnectLink(tx, link)
    await writeAudit(tx, {
      shard: profile.shard,
      at: now,
      actor,
      action: 'profile.reconnect_link',
      appId: app.id,
      accountId: profile.accountId,
      detail: { profile: profileName(profile) },
    })
  })
  return {
    url: `${config.baseUrl}/oauth/reconnect?${new URLSearchParams({ ticket }).toString()}`,
    expires_at: link.expiresAt,
  }
}

/** Where a person returns who came from the page of connections. No app has it as its own. */
function ownPage({ config }: Pick<IdentityDeps, 'config'>): string {
  return `${config.baseUrl}/connections/reconnected`
}

/** The only registered address need not be given. */
function redirectOf({ redirectUris }: App, given: string | undefined): string {
  if (given === undefined) {
    const [only, ...others] = redirectUris
    if (only !== undefined && others.length === 0) return only
    throw new ApiError('redirect_unregistered', 'redirect_uri: must be given, because the app has several.', {
      param: 'redirect_uri',
    })
  }
  if (matchesRedirectUri(redirectUris, given)) return given
  throw new ApiError('redirect_unregistered', undefined, { param: 'redirect_uri' })
}

export interface OpenedLink {
  app: App
  to: ReturnTo
  profile: Profile
  link: ReconnectLink
}

/** Finds a valid link and its profile. A click changes nothing, so that a preview of the link does not use it up. */
export async function openReconnectLink(deps: IdentityDeps, ticket: string): Promise<OpenedLink> {
  const { database, hasher, clock } = deps
  const shard = ticketShard('trl', ticket)
  const link =
    shard === undefined ? undefined : await findReconnectLink(database, shard, hasher.hash('reconnect', ticket))
  const profile = link && (await visibleProfile(database, link))
  const app = link && (await findApp(database, link.appId))
  if (link === undefined || link.expiresAt < clock.now() || profile === undefined || app === undefined)
    throw new ApiError('link_invalid')
  // The app may have removed the address since.
  if (link.redirectUri !== ownPage(deps) && !matchesRedirectUri(app.redirectUris, link.redirectUri))
    throw new ApiError('redirect_unregistered')
  const reconnect = { profile: profileName(profile), account: profile.accountId }
  return { app, profile, link, to: { redirectUri: link.redirectUri, state: undefined, reconnect } }
}

/** Sends the person to the service again. The instance is that of the profile; it is asked for only if it is not known. */
export async function startReconnect(
  deps: SignInDeps,
  { app, to, profile, link }: OpenedLink,
  browser: Buffer,
  ip: string,
): Promise<OutcomeOf<'started'>> {
  deps.trace.of({ appId: app.id, service: profile.service, accountId: profile.accountId, profileId: profile.id })
  const service = await requireService(deps, app, profile.service)
  const start: SignInStart = {
    app,
    connector: service.connector,
    browser,
    ip,
    options: { scope: link.scope, forceLogin: false },
    request: {
      began: 'reconnect',
      redirectUri: to.redirectUri,
      responseType: 'code',
      state: undefined,
      codeChallenge: undefined,
      accountId: profile.accountId,
      operation: deps.trace.id,
      reconnect: {
        shard: link.shard,
        link: link.hash.toString('hex'),
        profileId: profile.id,
        profile: profileName(profile),
        account: profile.accountId,
      },
    },
  }
  const given = readAnswers(service, (await storedInstance(deps, profile)) ?? {})
  if (mustAsk(service, given)) return askPerson(deps, start, {})
  return sendToService(deps, { ...start, ...service, answers: given.answers })
}

/** The profile that people see: a merge may have merged the one of the link into another of the same service user. */
async function visibleProfile(queries: Queries, { shard, profileId }: ReconnectLink): Promise<Profile | undefined> {
  const into = await findDuplicate(queries, { shard, id: profileId })
  return into === undefined ? findProfile(queries, shard, profileId) : findProfile(queries, into.shard, into.profileId)
}

import { timingSafeEqual } from 'node:crypto'
import { partIn, randomPart } from '#base/ids.ts'
import type { SignedIn } from '#kit/auth.ts'
import { newTicket } from '#model/access-token.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { findAccountById } from '#store/accounts.ts'
import { findApp } from '#store/apps.ts'
import { auditApp } from '#store/audit.ts'
import { hasSignedIn, insertConsent } from '#store/consents.ts'
import { type Pending, takePending } from '#store/pending.ts'
import { findServiceKey } from '#store/service-keys.ts'
import { findServiceUser } from '#store/service-users.ts'
import { callbackParameters, type RawParameters } from '#upstream/callback-parameters.ts'
import { finishSignIn } from '#upstream/sign-in.ts'
import type { ConsentValue } from './consent-value.ts'
import { AuthorizeError } from './errors.ts'
import { type AuthorizeNeed, callbackUrl, TEN_MINUTES_MS } from './need.ts'
import { carryCounted, endCounted } from './open-sign-ins.ts'
import type { PendingValue, ReturnTo } from './start.ts'
import { failureOf } from './upstream-failure.ts'

/** The query with which a service sent the person back; a name that came twice has a list. */
export type CallbackQuery = RawParameters

export type CallbackResult =
  | { kind: 'redirect'; to: ReturnTo; code: string }
  /** The person is asked first, on a page that this ticket opens. */
  | { kind: 'confirm'; ticket: string }
  | { kind: 'failed'; to: ReturnTo; error: AuthorizeError }

/** The service sent the browser back. Whatever comes of it, this state is used up. */
export async function finishAtCallback(
  need: AuthorizeNeed,
  service: string,
  params: CallbackQuery,
  browser: Buffer | undefined,
): Promise<CallbackResult> {
  const { pending, app } = await take(need, service, params, browser)
  const value = JSON.parse(pending.value) as PendingValue
  const to: ReturnTo = { redirectUri: value.redirectUri, state: value.state }
  try {
    const connector = need.registry.find(pending.service)!
    const key = await findServiceKey(need.database, need.keyring, app.id, connector.service)
    if (key === undefined) throw new AuthorizeError('no_service_keys')
    const asks = value.responseType === 'token' || !(await mayJoinUnasked(need, value.accountId, pending.browser))
    const signedIn = await finishSignIn(need.upstream, {
      connector,
      key,
      callbackUrl: callbackUrl(need, connector.service),
      secrets: value.upstream,
      params,
    })
    const ticket = await keep(need, pending, value, signedIn, asks ? 'confirm' : 'code')
    return asks ? { kind: 'confirm', ticket } : { kind: 'redirect', to, code: ticket }
  } catch (error) {
    await endCounted(need, app.id, value.counted)
    return { kind: 'failed', to, error: failureOf(need, error, service) }
  }
}

/**
 * Only the browser that began may finish, at the address of the service it began with, within ten minutes.
 * Nothing is sent to the service before all of this holds.
 */
async function take(
  need: AuthorizeNeed,
  service: string,
  params: CallbackQuery,
  browser: Buffer | undefined,
): Promise<{ pending: Pending; app: App }> {
  const [state, token, denied] = ['state', 'oauth_token', 'denied'].map((name) => onlyValue(params, name))
  const requestToken = token ?? denied
  const name =
    state !== undefined ? `state ${state}` : requestToken === undefined ? undefined : `token ${service} ${requestToken}`
  const pending =
    name === undefined ? undefined : await takePending(need.database, need.keyring, need.hasher.hash('pending', name))
  const fits =
    pending !== undefined &&
    pending.service === service &&
    pending.expiresAt >= need.clock.now() &&
    browser !== undefined &&
    timingSafeEqual(pending.browser, browser)
  const app = fits ? await findApp(need.database, pending.appId) : undefined
  if (app === undefined || pending === undefined) {
    if (pending !== undefined) await tellRefused(need, service, pending)
    need.log.warn('a callback was refused', {
      service,
      known: pending !== undefined,
      right_service: pending?.service === service,
      has_cookie: browser !== undefined,
    })
    throw new ApiError('session_expired')
  }
  return { pending, app }
}

/** Before it is known which sign-in this is, there is only the person to tell. */
function onlyValue(params: CallbackQuery, name: string): string | undefined {
  try {
    return callbackParameters(params).get(name)
  } catch (error) {
    throw new ApiError('bad_parameter', `${name}: was given more than once.`, { cause: error })
  }
}

/**
 * Whoever sent the link chose the account. Only somebody who signed into it before, in this browser, knows whose it is;
 * others are asked first, whatever the app checks.
 */
async function mayJoinUnasked(
  { database }: AuthorizeNeed,
  accountId: string | undefined,
  browser: Buffer,
): Promise<boolean> {
  return accountId === undefined || hasSignedIn(database, browser, { part: partIn(accountId), id: accountId })
}

/** A sign-in that somebody tried to finish in the wrong place is worth a look. */
async function tellRefused({ database, clock }: AuthorizeNeed, service: string, pending: Pending): Promise<void> {
  await auditApp(database, pending.appId, {
    at: clock.now(),
    actor: 'person',
    action: 'callback.refused',
    detail: { began_at: pending.service, came_back_to: service },
  })
}

/** Nothing has changed for anybody yet: the sign-in waits, sealed, for its code to be redeemed. */
async function keep(
  need: AuthorizeNeed,
  pending: Pending,
  value: PendingValue,
  signedIn: SignedIn,
  kind: 'code' | 'confirm',
): Promise<string> {
  const user = { appId: pending.appId, service: pending.service, nativeId: signedIn.self.id }
  const part = await choosePart(need, value.accountId ?? (await findServiceUser(need.database, user))[0])
  const ticket = newTicket(kind === 'code' ? 'trc' : 'trf', part)
  const counted = await carryCounted(need, pending.appId, value.counted)
  const content: ConsentValue = { signedIn, state: value.state, responseType: value.responseType, counted }
  const kept = await insertConsent(need.database, need.keyring, {
    part,
    hash: need.hasher.hash(kind, ticket),
    kind,
    appId: pending.appId,
    service: pending.service,
    nativeId: signedIn.self.id,
    accountId: value.accountId,
    redirectUri: value.redirectUri,
    codeChallenge: value.codeChallenge,
    browser: pending.browser,
    value: JSON.stringify(content),
    expiresAt: need.clock.now() + TEN_MINUTES_MS,
  })
  if (!kept) throw new ApiError('session_expired')
  return ticket
}

/** Beside the account it will join, so that redeeming touches one part; anywhere when it will make a new one. */
async function choosePart({ database }: AuthorizeNeed, accountId: string | undefined): Promise<number> {
  const account = accountId === undefined ? undefined : await findAccountById(database, accountId)
  return account?.part ?? randomPart()
}

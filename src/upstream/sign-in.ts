import { appProofOf } from '#kit/auth/app-proof.ts'
import type { Credential, JsonObject, SignedIn } from '#kit/auth/auth.ts'
import { missingGrant } from '#kit/auth/granted.ts'
import type { TypedValues } from '#kit/auth/typed.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { grantedScopes } from '#model/accounts/profile.ts'
import { locateService } from './addresses/addresses.ts'
import { withFactAddress } from './addresses/fact-address.ts'
import { type BegunFor, checkBegunFor } from './begun-for.ts'
import { readSelf } from './call/read-self.ts'
import { callbackParameters, type RawParameters } from './callback-parameters.ts'
import type { LoginOptions } from './login-options.ts'
import { beginOAuth1, finishOAuth1, type OAuth1Secrets } from './oauth1/sign-in.ts'
import { withGrantedScope } from './oauth2/granted-scope.ts'
import { ownServerRule, withOwnServer } from './oauth2/resolve-own-server.ts'
import { beginOAuth2, finishOAuth2, type OAuth2Secrets } from './oauth2/sign-in.ts'
import { UnusableTokenError } from './oauth2/unusable-token.ts'
import { verifyApp } from './oauth2/verify-app.ts'
import { revokeAbandoned } from './renew-credential.ts'
import { excerpt, UpstreamError } from './request/errors.ts'
import type { Upstream } from './request/send.ts'
import type { ServiceKey } from './request/service-key.ts'
import { finishAppPassword } from './typed/app-password.ts'

export interface BeginSignIn extends LoginOptions {
  connector: Connector
  key: ServiceKey
  callbackUrl: string
  /** Returned by the callback (OAuth 2); random, single use. */
  state: string
  /** Replaces the key's scope. */
  scope?: string | undefined
  /** Addresses and answers of this person, where people have their own servers. */
  instance?: Readonly<Record<string, string>> | undefined
  /** Who wants to sign in, for the service's login page. */
  loginHint?: string | undefined
}

export interface BegunSignIn {
  /** The authorization URL for the browser. */
  url: string
  /** Must be stored, sealed, until the callback. */
  secrets: JsonObject
  /** OAuth 1: returned by the callback instead of `state`. */
  requestToken?: string
}

export async function beginSignIn(upstream: Upstream, input: BeginSignIn): Promise<BegunSignIn> {
  const { connector, key, instance } = input
  const { auth, service } = connector
  if (auth.kind !== 'oauth1' && auth.kind !== 'oauth2')
    throw new UpstreamError('stop', 'This service has no login page', { reason: 'not_supported' })
  const location = await locateService(upstream, { connector, key, instance })
  const begun =
    auth.kind === 'oauth1'
      ? await beginOAuth1(upstream, { ...input, auth, location })
      : await beginOAuth2(upstream, { ...input, auth, location })
  const begunFor = { service, client: key.key, callbackUrl: input.callbackUrl, tokenUrl: location.addresses.tokenUrl }
  return { ...begun, secrets: { ...begun.secrets, ...(begunFor satisfies BegunFor) } }
}

export interface FinishSignIn {
  connector: Connector
  key: ServiceKey
  callbackUrl: string
  /** As returned by `beginSignIn`. */
  secrets: JsonObject
  /** The query of the callback. */
  params: RawParameters
  /** As given to `beginSignIn`. */
  instance?: Readonly<Record<string, string>> | undefined
  /** The person that the sign-in began for; a token of another one is refused. */
  subject?: string | undefined
}

export async function finishSignIn(upstream: Upstream, input: FinishSignIn): Promise<SignedIn> {
  const { connector, key, callbackUrl, secrets, instance } = input
  const { auth, service } = connector
  const parameters = callbackParameters(input.params)
  if (auth.kind === 'app_password') {
    checkBegunFor(secrets, { service, client: key.key, callbackUrl, tokenUrl: '' })
    const credential = finishAppPassword(auth, secrets['values'] as TypedValues, parameters)
    return { credential, ...(await readSelf({ upstream, connector, key, credential })) }
  }
  if (auth.kind !== 'oauth1' && auth.kind !== 'oauth2')
    throw new UpstreamError('stop', 'This service has no login page', { reason: 'not_supported' })
  const location = await locateService(upstream, { connector, key, instance })
  checkBegunFor(secrets, { service, client: key.key, callbackUrl, tokenUrl: location.addresses.tokenUrl })
  const stored: unknown = secrets
  const issued =
    auth.kind === 'oauth1'
      ? await finishOAuth1(upstream, { auth, key, location, secrets: stored as OAuth1Secrets, parameters })
      : await finishOAuth2(upstream, {
          auth,
          key,
          location,
          callbackUrl,
          secrets: stored as OAuth2Secrets,
          parameters,
        }).catch(async (error: unknown) => {
          if (error instanceof UnusableTokenError)
            await revokeAbandoned(upstream, { connector, key, credential: error.credential })
          throw error
        })
  const credential: Credential =
    instance === undefined ? issued : { ...issued, instance: { ...instance, ...issued.instance } }
  try {
    checkSubject(input.subject, credential)
    const home = ownServerRule(auth, key)
    const issuer = secrets['issuer'] as string | undefined
    const located =
      home === undefined
        ? withFactAddress(connector, key, credential)
        : await withOwnServer(upstream, { home, credential, issuer })
    const identity = await readSelf({ upstream, connector, key, credential: located })
    if (auth.kind === 'oauth1') return { credential: located, ...identity }
    return { credential: await withGrantedScope(upstream, { auth, key, location, credential: located }), ...identity }
  } catch (error) {
    // The grant will not be stored, so it is revoked. The first error is the one to report.
    await revokeAbandoned(upstream, { connector, key, credential })
    throw withoutScope(error, connector, credential, secrets['scope'])
  }
}

/** The service refuses to say who the person is, and they granted less than was requested: that is the cause to report. */
function withoutScope(error: unknown, { auth }: Connector, credential: Credential, requested: unknown): unknown {
  if (!(error instanceof UpstreamError) || error.reason !== 'service_refused' || auth.kind !== 'oauth2') return error
  if (typeof requested !== 'string') return error
  const missing = missingGrant(auth, grantedScopes({ scope: requested }), credential)
  if (missing === undefined) return error
  const { status, said } = error
  const message = `The person did not grant ${excerpt(missing)}`
  return new UpstreamError('reauthorize', message, { reason: 'scope_missing', status, said, cause: error })
}

/** The person gave a handle, and only its owner may come back from the service. */
function checkSubject(expected: string | undefined, { subject }: Credential): void {
  if (expected !== undefined && subject !== expected)
    throw new UpstreamError('stop', 'Another person signed in than the handle names', { reason: 'subject_mismatch' })
}

export interface VerifiedCredential extends SignedIn {
  /** The service confirmed that it issued the token to this app. */
  appVerified: boolean
}

export interface VerifyCredential {
  connector: Connector
  key: ServiceKey
  credential: Credential
}

/**
 * Reads from the service whose credential this is and, if the service supports that, verifies that it was issued to
 * this app.
 */
export async function verifyCredential(upstream: Upstream, input: VerifyCredential): Promise<VerifiedCredential> {
  const { connector, key, credential } = input
  const { auth } = connector
  if (auth.kind !== 'oauth2') {
    const appVerified = appProofOf(auth) !== 'none'
    return { credential, appVerified, ...(await readSelf({ upstream, ...input })) }
  }
  const location = await locateService(upstream, { connector, key, instance: credential.instance })
  const appVerified = await verifyApp(upstream, { auth, key, location, credential })
  const identity = { appVerified, ...(await readSelf({ upstream, ...input })) }
  const home = ownServerRule(auth, key)
  if (home === undefined)
    return { credential: await withGrantedScope(upstream, { auth, key, location, credential }), ...identity }
  // No token response names the person, and the server may have been given with the token: so the person's public record must name
  // this issuer, and the person's own server must know the token.
  const owned = { ...credential, subject: identity.self.id }
  const { issuer, apiUrl } = location.addresses
  const located = await withOwnServer(upstream, { home, credential: owned, issuer })
  if (located.instance?.['api_url'] === apiUrl) return { credential: located, ...identity }
  return { credential: located, appVerified, ...(await readSelf({ ...input, upstream, credential: located })) }
}

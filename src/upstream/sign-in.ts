import { appProofOf } from '#kit/auth/app-proof.ts'
import type { Credential, JsonObject, SignedIn } from '#kit/auth/auth.ts'
import { missingGrant } from '#kit/auth/granted.ts'
import { tenantsOf } from '#kit/auth/tenants.ts'
import type { TypedValues } from '#kit/auth/typed.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Tenant } from '#kit/read/facts.ts'
import { grantedScopes } from '#model/accounts/profile.ts'
import { locateService, type ServiceLocation } from './addresses/addresses.ts'
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
import { type CredentialOfService, revokeAbandoned } from './renew-credential.ts'
import { excerpt, UpstreamError } from './request/errors.ts'
import type { Upstream } from './request/send.ts'
import type { ServiceKey } from './request/service-key.ts'
import { readTenants } from './tenants.ts'
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

/** A person who has several tenants, of which they choose one before anybody says who they are there. */
interface ChoosingTenant {
  tenants: readonly Tenant[]
  credential: Credential
  /** The scope that was requested. */
  scope: string | undefined
}

/** The sign-in cannot go on before the person has chosen. Their token is valid: it must be kept or ended. */
export class TenantChoice extends UpstreamError {
  readonly choice: ChoosingTenant

  constructor(choice: ChoosingTenant) {
    super('stop', 'The person has several tenants and must choose one', { reason: 'not_supported' })
    this.choice = choice
  }
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
    if (home !== undefined)
      return await identify(upstream, {
        connector,
        key,
        location,
        credential: await withOwnServer(upstream, { home, credential, issuer }),
      })
    const tenants = tenantsOf(auth)
    if (tenants === undefined) return await identify(upstream, { connector, key, location, credential })
    const found = await readTenants(upstream, { connector, tenants, key, location, credential })
    const scope = secrets['scope'] as string | undefined
    if (found.length > 1) throw new TenantChoice({ tenants: found, credential, scope })
    return await identify(upstream, { connector, key, location, credential: atTenant(credential, found[0]) })
  } catch (error) {
    if (error instanceof TenantChoice) throw error
    // The grant will not be stored, so it is revoked. The first error is the one to report.
    await revokeAbandoned(upstream, { connector, key, credential })
    throw withoutScope(error, connector, credential, secrets['scope'])
  }
}

const atTenant = (credential: Credential, { facts }: Tenant): Credential => ({
  ...credential,
  facts: { ...credential.facts, ...facts },
})

/** Says who the person is at the tenant that they chose. A token of a tenant that refuses it is not ended: they may choose another. */
export async function finishAtTenant(
  upstream: Upstream,
  { connector, key, credential, scope }: CredentialOfService & Pick<ChoosingTenant, 'scope'>,
  tenant: Tenant,
): Promise<SignedIn> {
  const location = await locateService(upstream, { connector, key, instance: credential.instance })
  try {
    return await identify(upstream, { connector, key, location, credential: atTenant(credential, tenant) })
  } catch (error) {
    throw withoutScope(error, connector, credential, scope)
  }
}

/** The credential with the person's API address, and who the person is. */
async function identify(
  upstream: Upstream,
  { connector, key, location, credential }: CredentialOfService & { location: ServiceLocation },
): Promise<SignedIn> {
  const { auth } = connector
  const located = ownServerRule(auth, key) === undefined ? withFactAddress(connector, key, credential) : credential
  const identity = await readSelf({ upstream, connector, key, credential: located })
  if (auth.kind !== 'oauth2') return { credential: located, ...identity }
  return { credential: await withGrantedScope(upstream, { auth, key, location, credential: located }), ...identity }
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
  const handed = await withOnlyTenant(upstream, { connector, key, location, credential })
  const identity = { appVerified, ...(await readSelf({ upstream, ...input, credential: handed })) }
  const home = ownServerRule(auth, key)
  if (home === undefined)
    return { credential: await withGrantedScope(upstream, { auth, key, location, credential: handed }), ...identity }
  // No token response names the person, and the server may have been given with the token: so the person's public record must name
  // this issuer, and the person's own server must know the token.
  const owned = { ...credential, subject: identity.self.id }
  const { issuer, apiUrl } = location.addresses
  const located = await withOwnServer(upstream, { home, credential: owned, issuer })
  if (located.instance?.['api_url'] === apiUrl) return { credential: located, ...identity }
  return { credential: located, appVerified, ...(await readSelf({ ...input, upstream, credential: located })) }
}

/** A token that was handed in came without the facts of a sign-in. Nobody can be asked here, so the person must have one tenant only. */
async function withOnlyTenant(
  upstream: Upstream,
  { connector, key, location, credential }: CredentialOfService & { location: ServiceLocation },
): Promise<Credential> {
  const tenants = tenantsOf(connector.auth)
  if (tenants === undefined || credential.facts?.[tenants.id] !== undefined) return credential
  const [only, ...others] = await readTenants(upstream, { connector, tenants, key, location, credential })
  if (others.length > 0)
    throw new UpstreamError('stop', `The person has several: ${tenants.title}. They choose one when they sign in`, {
      reason: 'not_supported',
    })
  return withFactAddress(connector, key, atTenant(credential, only))
}

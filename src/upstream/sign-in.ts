import type { Credential, JsonObject, SignedIn } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import { locateService } from './addresses.ts'
import { callbackParameters, type RawParameters } from './callback-parameters.ts'
import { UpstreamError } from './errors.ts'
import type { LoginOptions } from './login-options.ts'
import { beginOAuth1, finishOAuth1, type OAuth1Secrets } from './oauth1/sign-in.ts'
import { homeOf, withHome } from './oauth2/home.ts'
import { beginOAuth2, finishOAuth2, type OAuth2Secrets } from './oauth2/sign-in.ts'
import { verifyApp } from './oauth2/verify-app.ts'
import { readSelf } from './read-self.ts'
import { giveUp } from './renew-credential.ts'
import type { Upstream } from './send.ts'
import type { ServiceKey } from './service-key.ts'

export interface BeginSignIn extends LoginOptions {
  connector: Connector
  key: ServiceKey
  callbackUrl: string
  /** Comes back with the person (OAuth 2); unguessable, single use. */
  state: string
  /** Replaces the key's scope. */
  scope?: string | undefined
}

export interface BegunSignIn {
  /** Where the person goes now. */
  url: string
  /** To be kept sealed until the person comes back. */
  secrets: JsonObject
  /** OAuth 1: what comes back in place of `state`. */
  requestToken?: string
}

export async function beginSignIn(upstream: Upstream, input: BeginSignIn): Promise<BegunSignIn> {
  const { connector, key } = input
  const { auth, service } = connector
  if (auth.kind !== 'oauth1' && auth.kind !== 'oauth2')
    throw new UpstreamError('stop', 'This service has no login page to send people to', { reason: 'not_supported' })
  const location = await locateService(upstream, { connector, key })
  const begun =
    auth.kind === 'oauth1'
      ? await beginOAuth1(upstream, { ...input, auth, location })
      : await beginOAuth2(upstream, { ...input, auth, location })
  return { ...begun, secrets: { service, ...begun.secrets } }
}

export interface FinishSignIn {
  connector: Connector
  key: ServiceKey
  callbackUrl: string
  /** As `beginSignIn` gave them. */
  secrets: JsonObject
  /** The query with which the person came back. */
  params: RawParameters
}

export async function finishSignIn(upstream: Upstream, input: FinishSignIn): Promise<SignedIn> {
  const { connector, key, callbackUrl, secrets } = input
  const { auth } = connector
  if (secrets['service'] !== connector.service)
    throw new UpstreamError('stop', 'The answer belongs to a sign-in at another service', { reason: 'issuer_mismatch' })
  if (auth.kind !== 'oauth1' && auth.kind !== 'oauth2')
    throw new UpstreamError('stop', 'This service has no login page', { reason: 'not_supported' })
  const location = await locateService(upstream, { connector, key })
  const parameters = callbackParameters(input.params)
  const kept: unknown = secrets
  const credential =
    auth.kind === 'oauth1'
      ? await finishOAuth1(upstream, { auth, key, location, secrets: kept as OAuth1Secrets, parameters })
      : await finishOAuth2(upstream, { auth, key, location, callbackUrl, secrets: kept as OAuth2Secrets, parameters })
  try {
    const home = homeOf(auth, key)
    const issuer = secrets['issuer'] as string | undefined
    const atHome = home === undefined ? credential : await withHome(upstream, { home, credential, issuer })
    return { credential: atHome, ...(await readSelf({ upstream, connector, key, credential: atHome })) }
  } catch (error) {
    // Nobody will hold this grant, so that it should not live on at the service; the failure that counts is the first.
    await giveUp(upstream, { connector, key, credential })
    throw error
  }
}

export interface ProveCredential {
  connector: Connector
  key: ServiceKey
  credential: Credential
}

/** Asks the service whose credential this is and, where it can tell, whether this app got it. */
export async function proveCredential(upstream: Upstream, input: ProveCredential): Promise<SignedIn> {
  const { connector, key, credential } = input
  const { auth } = connector
  if (auth.kind !== 'oauth2') return { credential, ...(await readSelf({ upstream, ...input })) }
  const location = await locateService(upstream, { connector, key, instance: credential.instance })
  await verifyApp(upstream, { auth, key, location, credential })
  const named = await readSelf({ upstream, ...input })
  const home = homeOf(auth, key)
  if (home === undefined) return { credential, ...named }
  // Nothing beside the token says whose it is: the person whom the service names must name the service as well.
  const owned = { ...credential, subject: named.self.id }
  return {
    credential: await withHome(upstream, { home, credential: owned, issuer: location.addresses.issuer }),
    ...named,
  }
}

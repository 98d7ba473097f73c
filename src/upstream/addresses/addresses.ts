import { hostFieldOf } from '#kit/auth/ask.ts'
import type { OAuth2 } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Trust } from '#platform/egress/trust.ts'
import { UpstreamError } from '../request/errors.ts'
import { omitUndefined } from '../request/omit-undefined.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { discover } from './discover.ts'
import { locationTrust, templateTrust } from './location-trust.ts'
import { besideApi, onInstance, relocateWith } from './rebase.ts'
import { fillTypedAddress } from './typed-address.ts'

/** The effective addresses of a service for one app's key. */
export interface Addresses {
  authorizeUrl: string
  /** OAuth 2 token endpoint, or the OAuth 1 access token endpoint. */
  tokenUrl: string
  apiUrl: string
  requestTokenUrl?: string
  refreshUrl?: string
  revokeUrl?: string
  parUrl?: string
  /** Where apps register (RFC 7591), if the service publishes it. */
  registerUrl?: string
  issuer?: string
  /** Public keys of the issuer, where they were discovered. */
  jwksUrl?: string
  /** The server announces `iss` in every authorization response (RFC 9207). */
  issuerAnnounced?: boolean
}

/**
 * Moves a further address of the connector (login page, token exchange, app check, revocation) to the host of the
 * effective one. An address of the API's own host moves with the API.
 */
export type Relocate = (defaultUrl: string, anchor: 'authorizeUrl' | 'tokenUrl') => string

export interface ServiceLocation {
  addresses: Addresses
  relocate: Relocate
  /** Who chose the addresses. */
  trust: Trust
  /** The same for a further address of the connector that typed values are filled into. */
  trustOf: (template: string) => Trust
}

export interface LocationInput {
  connector: Connector
  key: ServiceKey
  /** Addresses of one grant, where people have their own servers. */
  instance?: Readonly<Record<string, string>> | undefined
}

/**
 * The effective addresses: the connector's, on the instance that `base_url` names, each replaced by its own override.
 * An address without an override moves to the host of one that has it, so that the keys of an instance are never sent to
 * the host of another.
 */
export async function locateService(
  upstream: Upstream,
  { connector, key, instance }: LocationInput,
): Promise<ServiceLocation> {
  const overrides = { ...key.overrides, ...instance }
  const { auth } = connector
  const base = overrides['base_url']
  const onBaseUrl = (url: string) => (base === undefined ? url : onInstance(url, base))
  const apiUrl = overrides['api_url'] ?? onBaseUrl(connector.api.baseUrl)
  const chosenBy = locationTrust(connector, key, instance)
  const trustOf = (template: string) => templateTrust(template, chosenBy)
  if (auth.kind !== 'oauth1' && auth.kind !== 'oauth2') {
    const filled = (url: string) => fillTypedAddress(auth, url, instance ?? {})
    const addresses = { authorizeUrl: '', tokenUrl: '', apiUrl: requireWebUrl(filled(apiUrl)) }
    return { addresses, relocate: (url) => requireWebUrl(filled(onBaseUrl(url))), trust: trustOf(apiUrl), trustOf }
  }
  // The person's own server must not choose which authorization server gets the client authentication and the refresh
  // token.
  const publisher = auth.kind === 'oauth2' && auth.home ? (key.overrides['api_url'] ?? connector.api.baseUrl) : apiUrl
  const fixed = auth.kind === 'oauth2' ? await oauth2Addresses(upstream, auth, overrides, publisher, chosenBy) : auth
  const discovered = fixed.kind === 'oauth2' && fixed.discovered
  // Without `home` nothing proves that two servers belong together: one could have us bring it the tokens of another.
  const isNamed = hostFieldOf(connector.ask) !== undefined && base === undefined
  if (discovered && isNamed && fixed.home === undefined && originOf(fixed.tokenUrl) !== originOf(apiUrl))
    throw new UpstreamError('stop', 'The server names a token endpoint of another one', { reason: 'discovery_failed' })
  // Discovered addresses are already those of the instance.
  const resolve = discovered ? (url: string) => url : onBaseUrl
  const vendorTokenUrl = 'tokenUrl' in fixed ? fixed.tokenUrl : fixed.accessTokenUrl
  const defaults = { authorizeUrl: resolve(fixed.authorizeUrl), tokenUrl: resolve(vendorTokenUrl) }
  const tokenUrl = overrides['token_url'] ?? overrides['access_token_url'] ?? tokenUrlWithoutOverride()
  const authorizeUrl = overrides['authorize_url'] ?? relocateWith(defaults.authorizeUrl, defaults.tokenUrl, tokenUrl)
  const movesWithApi = (url: string) =>
    overrides['api_url'] !== undefined &&
    originOf(url) === originOf(connector.api.baseUrl) &&
    originOf(url) !== originOf(vendorTokenUrl)
  const relocate: Relocate = (url, anchor) =>
    movesWithApi(url)
      ? besideApi(url, connector.api.baseUrl, publisher)
      : relocateWith(resolve(url), defaults[anchor], anchor === 'authorizeUrl' ? authorizeUrl : tokenUrl)
  const relocateToToken = (url: string | undefined) => (url === undefined ? undefined : relocate(url, 'tokenUrl'))

  /** Beside the first address that has an override. */
  function tokenUrlWithoutOverride(): string {
    const [requestToken, page] = [overrides['request_token_url'], overrides['authorize_url']]
    if (auth.kind === 'oauth1' && requestToken !== undefined)
      return relocateWith(defaults.tokenUrl, resolve(auth.requestTokenUrl), requestToken)
    if (discovered || base !== undefined) return defaults.tokenUrl
    // Not the API of one person's own server, which must not get the keys of the app.
    const api = key.overrides['api_url']
    const vendorApi = connector.api.baseUrl
    if (api !== undefined)
      return URL.parse(vendorApi)?.pathname === '/'
        ? relocateWith(defaults.tokenUrl, vendorApi, api)
        : besideApi(defaults.tokenUrl, vendorApi, api)
    return page === undefined ? defaults.tokenUrl : relocateWith(defaults.tokenUrl, defaults.authorizeUrl, page)
  }

  const addresses = omitUndefined({
    authorizeUrl: requireWebUrl(authorizeUrl),
    tokenUrl: requireWebUrl(tokenUrl),
    apiUrl: requireWebUrl(overrides['api_url'] ?? (discovered ? apiUrl : relocate(connector.api.baseUrl, 'tokenUrl'))),
    revokeUrl: overrides['revoke_url'] ?? relocateToToken(fixed.revokeUrl),
    requestTokenUrl:
      auth.kind === 'oauth1' ? (overrides['request_token_url'] ?? relocateToToken(auth.requestTokenUrl)) : undefined,
    ...(fixed.kind === 'oauth2'
      ? {
          refreshUrl: relocateToToken(fixed.refreshUrl),
          parUrl: relocateToToken(fixed.parUrl),
          registerUrl: fixed.registerUrl,
          issuer: discovered || fixed.issuer === undefined ? fixed.issuer : relocate(fixed.issuer, 'authorizeUrl'),
          issuerAnnounced: fixed.issuerAnnounced,
          jwksUrl: fixed.jwksUrl,
        }
      : {}),
  })
  return { addresses, relocate, trust: chosenBy, trustOf }
}

const originOf = (url: string): string | undefined => URL.parse(url)?.origin

type ResolvedOAuth2 = OAuth2 & {
  discovered: boolean
  issuerAnnounced: boolean
  jwksUrl?: string
  registerUrl?: string
}

/** The connector's addresses, completed by discovery if the connector declares it. */
async function oauth2Addresses(
  upstream: Upstream,
  auth: OAuth2,
  overrides: Readonly<Record<string, string>>,
  apiUrl: string,
  trust: Trust,
): Promise<ResolvedOAuth2> {
  const isComplete = overrides['authorize_url'] !== undefined && overrides['token_url'] !== undefined
  if (!auth.discover || isComplete) return { ...auth, discovered: false, issuerAnnounced: auth.issuer !== undefined }
  // The authorization server of this person, verified when they signed in.
  const { issuer } = overrides
  const base = issuer ?? overrides['base_url'] ?? new URL(requireWebUrl(apiUrl)).origin
  const how = { ...(issuer === undefined ? auth.discover : { resource: false }), trust }
  return { ...auth, ...(await discover(upstream, base, how)), discovered: true }
}

// The browser is redirected to it, so only http and https are allowed.
function requireWebUrl(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw new UpstreamError('stop', 'An address of this service is missing or is not an http or https URL', {
    reason: 'address_invalid',
  })
}

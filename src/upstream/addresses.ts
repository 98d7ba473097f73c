import type { OAuth2 } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import { UpstreamError } from './errors.ts'
import { discover } from './oauth2/discover.ts'
import { omitUndefined } from './omit-undefined.ts'
import { moveBeside, onInstance } from './rebase.ts'
import type { Upstream } from './send.ts'
import type { ServiceKey } from './service-key.ts'

/** Where one app's key finds a service. */
export interface Addresses {
  authorizeUrl: string
  /** OAuth 2 token endpoint, or the OAuth 1 access token endpoint. */
  tokenUrl: string
  apiUrl: string
  requestTokenUrl?: string
  refreshUrl?: string
  revokeUrl?: string
  parUrl?: string
  issuer?: string
  /** The server says that `iss` comes with every authorization response (RFC 9207). */
  issuerAnnounced?: boolean
}

/** Addresses that the connector declares and that move with the ones above: pages of variations, trades, checks. */
export type Move = (defaultUrl: string, beside: 'authorizeUrl' | 'tokenUrl') => string

export interface ServiceLocation {
  addresses: Addresses
  move: Move
}

export interface LocationInput {
  connector: Connector
  key: ServiceKey
  /** Addresses of one grant, where people live on different instances. */
  instance?: Readonly<Record<string, string>> | undefined
}

/** The effective addresses: the connector's, on the instance that `base_url` names, each replaced by its own override. */
export async function locateService(
  upstream: Upstream,
  { connector, key, instance }: LocationInput,
): Promise<ServiceLocation> {
  const overrides = { ...key.overrides, ...instance }
  const { auth } = connector
  const base = overrides['base_url']
  const placedOn = (url: string) => (base === undefined ? url : onInstance(url, base))
  const apiUrl = overrides['api_url'] ?? placedOn(connector.api.baseUrl)
  if (auth.kind === 'api_key' || auth.kind === 'basic')
    return { addresses: { authorizeUrl: '', tokenUrl: '', apiUrl: webAddress(apiUrl) }, move: placedOn }
  // A person's own instance does not choose which server gets the app's proof and the refresh token.
  const publisher = auth.kind === 'oauth2' && auth.home ? (key.overrides['api_url'] ?? connector.api.baseUrl) : apiUrl
  const fixed = auth.kind === 'oauth2' ? await oauth2Addresses(upstream, auth, overrides, publisher) : auth
  const discovered = fixed.kind === 'oauth2' && fixed.discovered
  // What an instance published is already where it belongs.
  const placed = discovered ? (url: string) => url : placedOn
  const defaults = {
    authorizeUrl: placed(fixed.authorizeUrl),
    tokenUrl: placed('tokenUrl' in fixed ? fixed.tokenUrl : fixed.accessTokenUrl),
  }
  const authorizeUrl = overrides['authorize_url'] ?? defaults.authorizeUrl
  const tokenUrl = overrides['token_url'] ?? overrides['access_token_url'] ?? besideRequestToken()
  const move: Move = (url, beside) =>
    moveBeside(placed(url), defaults[beside], beside === 'authorizeUrl' ? authorizeUrl : tokenUrl)
  const back = (url: string | undefined) => (url === undefined ? undefined : move(url, 'tokenUrl'))

  function besideRequestToken(): string {
    const requestToken = overrides['request_token_url']
    if (auth.kind !== 'oauth1' || requestToken === undefined) return defaults.tokenUrl
    return moveBeside(defaults.tokenUrl, placed(auth.requestTokenUrl), requestToken)
  }

  const addresses = omitUndefined({
    authorizeUrl: webAddress(authorizeUrl),
    tokenUrl: webAddress(tokenUrl),
    apiUrl: webAddress(overrides['api_url'] ?? (discovered ? apiUrl : move(connector.api.baseUrl, 'tokenUrl'))),
    revokeUrl: overrides['revoke_url'] ?? back(fixed.revokeUrl),
    requestTokenUrl:
      auth.kind === 'oauth1' ? (overrides['request_token_url'] ?? back(auth.requestTokenUrl)) : undefined,
    ...(fixed.kind === 'oauth2'
      ? {
          refreshUrl: back(fixed.refreshUrl),
          parUrl: back(fixed.parUrl),
          issuer: discovered || fixed.issuer === undefined ? fixed.issuer : move(fixed.issuer, 'authorizeUrl'),
          issuerAnnounced: fixed.issuerAnnounced,
        }
      : {}),
  })
  return { addresses, move }
}

type Found = OAuth2 & { discovered: boolean; issuerAnnounced: boolean }

/** The connector's own addresses, completed by what the instance publishes where the connector asks for that. */
async function oauth2Addresses(
  upstream: Upstream,
  auth: OAuth2,
  overrides: Readonly<Record<string, string>>,
  apiUrl: string,
): Promise<Found> {
  const complete = overrides['authorize_url'] !== undefined && overrides['token_url'] !== undefined
  if (!auth.discover || complete) return { ...auth, discovered: false, issuerAnnounced: auth.issuer !== undefined }
  const base = overrides['base_url'] ?? new URL(apiUrl).origin
  return { ...auth, ...(await discover(upstream, base, auth.discover)), discovered: true }
}

// The browser is sent there, so that nothing but a web address may pass.
function webAddress(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw new UpstreamError('stop', 'An address of this service is missing or is no web address', {
    reason: 'address_invalid',
  })
}

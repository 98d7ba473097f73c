import { generateKeyPairSync } from 'node:crypto'
import type { Connector } from '#kit/connector/connector.ts'
import type { ServiceKeys } from '../../../harness/app.ts'
import { newSecret } from './secrets.ts'

/** Which addresses the keys of the apps have in a walk. */
export interface Variant {
  /** The key of H has the honest addresses as overrides, and so a callback of its own. */
  honestOverrides: boolean
  /** The address of everything, of each endpoint, of each but the login page, or of the API alone. */
  hostileOverrides: 'base' | 'each' | 'token' | 'api'
  /** The key of D has the client id of H, which everybody can read. */
  stolenKey: boolean
}

const JWK = JSON.stringify({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid: 'test',
  alg: 'ES256',
})

/** The keys of both apps at one service: H's lead to the honest server, D's to the hostile one. */
export function makeKeys({ auth, service }: Connector, honest: string, hostile: string) {
  const hKey = newSecret('APPH', service, 'key')
  const secretOf = (owner: 'APPH' | 'APPD') =>
    auth.kind === 'oauth2' && auth.tokenAuth === 'private_key_jwt' ? JWK : newSecret(owner, service, 'secret')

  function hostileAddresses(which: Variant['hostileOverrides']): Record<string, string> {
    const isOAuth = auth.kind === 'oauth1' || auth.kind === 'oauth2'
    // Where a person's record names the authorization server, the address of the API alone does not lead elsewhere.
    const hasHome = auth.kind === 'oauth2' && auth.home !== undefined
    if (!isOAuth || which === 'base' || (which === 'api' && hasHome)) return { base_url: hostile }
    const api = { api_url: `${hostile}/api` }
    if (which === 'api') return api
    const page = { authorize_url: `${which === 'token' ? honest : hostile}/page` }
    return auth.kind === 'oauth1'
      ? { ...page, ...api, request_token_url: `${hostile}/request`, access_token_url: `${hostile}/token` }
      : { ...page, ...api, token_url: `${hostile}/token` }
  }

  return {
    hKey,
    honestKeys: (hasOverrides: boolean): ServiceKeys => {
      const overrides = hasOverrides ? { overrides: { base_url: `${honest}/own` } } : {}
      return { key: hKey, secret: secretOf('APPH'), ...overrides }
    },
    hostileKeys: (which: Variant['hostileOverrides'], key: string): ServiceKeys => ({
      key,
      secret: secretOf('APPD'),
      overrides: hostileAddresses(which),
    }),
  }
}

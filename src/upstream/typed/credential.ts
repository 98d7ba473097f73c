import { type Credential, typedFieldsOf } from '#kit/auth/auth.ts'
import type { TypedValues } from '#kit/auth/typed.ts'
import { publicValues } from '#kit/auth/typed-values.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { UpstreamError } from '../request/errors.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { discoverApi } from './discover.ts'
import { discoverSource } from './discover-source.ts'
import { exchangeTyped, withSignedToken } from './exchange.ts'

export interface TypedSignIn {
  connector: Connector
  key: ServiceKey
  /** Read by `readTyped`. */
  values: TypedValues
}

/** The credential that typed values make; with an exchange, the service is asked for a token. */
export async function credentialOfTyped(upstream: Upstream, input: TypedSignIn): Promise<Credential> {
  const { connector, key, values } = input
  const { auth } = connector
  const fields = typedFieldsOf(auth)
  if (fields === undefined)
    throw new UpstreamError('stop', 'Nothing is typed for this service', { reason: 'not_supported' })
  const shown = publicValues(fields, values)
  const instance = Object.keys(shown).length === 0 ? {} : { instance: shown }
  switch (auth.kind) {
    case 'api_key':
      return { token: values['token'] ?? '' }
    case 'basic':
      return { token: values['name'] ?? '', tokenSecret: values['password'] ?? '' }
    case 'none':
      return { token: '', instance: await discoverSource(upstream, auth, shown) }
    case 'typed': {
      const given: Credential = { token: secretOf(fields, values), fields: values, ...instance }
      const typed =
        auth.discover === undefined
          ? given
          : await discoverApi(upstream, { auth, key, credential: given }, auth.discover)
      if (auth.exchange === undefined && auth.jwt !== undefined) return withSignedToken(upstream, auth, auth.jwt, typed)
      return auth.exchange === undefined
        ? typed
        : exchangeTyped(upstream, { connector, key, credential: typed, exchange: auth.exchange })
    }
    case 'file':
    case 'app_password':
    case 'oauth1':
    case 'oauth2':
      throw new UpstreamError('stop', 'This service has a page of its own', { reason: 'not_supported' })
    default:
      return auth satisfies never
  }
}

/** What stands for the token where calls carry the typed values themselves: compared when a credential is replaced. */
function secretOf(fields: Readonly<Record<string, { secret?: boolean }>>, values: TypedValues): string {
  const [secret] = Object.keys(fields).filter((name) => fields[name]?.secret === true && values[name] !== undefined)
  return values[secret ?? ''] ?? Object.values(values)[0] ?? ''
}

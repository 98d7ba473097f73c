import { type Credential, typedFieldsOf } from '#kit/auth/auth.ts'
import type { TypedFields, TypedValues } from '#kit/auth/typed.ts'
import { describeFault, readTyped } from '#kit/auth/typed-values.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { OVERRIDES } from '#model/apps/app.ts'
import { invalidInput } from '#model/errors.ts'
import type { OpenServiceKey } from '#store/apps/service-keys.ts'
import { isOfService } from '#upstream/addresses/fact-address.ts'
import { hasOwnServers } from '#upstream/addresses/own-server.ts'

/** What an app has of one person at one service. */
export interface GivenTokens {
  token?: string | undefined
  tokenSecret?: string | undefined
  refreshToken?: string | undefined
  /** Epoch milliseconds. */
  expiresAt?: number | undefined
  scope?: string | undefined
  /** The person's own server, where people have one: addresses by name. */
  instance?: Record<string, string> | undefined
  /** What a person would type, where the service has no login page. */
  fields?: Record<string, string> | undefined
}

/** Checks that the service can use what was given. */
export function credentialOf(
  connector: Connector,
  key: Pick<OpenServiceKey, 'overrides'>,
  given: GivenTokens,
  named?: Credential['instance'],
): Credential {
  const { auth } = connector
  const isPassword = auth.kind === 'app_password'
  if (given.fields !== undefined && !isPassword)
    throw refused('fields', 'are not used by this service; give its token.')
  if (given.refreshToken !== undefined && auth.kind !== 'oauth2')
    throw refused('refresh_token', 'is not used by this service.')
  if (given.token === undefined && given.refreshToken === undefined) throw refused('token', 'is missing.')
  if (auth.kind === 'oauth1' && given.tokenSecret === undefined)
    throw refused('token_secret', 'must be given for this service.')
  const instance = isPassword ? fieldsOf(auth.fields, given) : (named ?? instanceOf(connector, key, given.instance))
  return {
    token: given.token ?? '',
    ...(given.tokenSecret === undefined ? {} : { tokenSecret: given.tokenSecret }),
    ...(given.refreshToken === undefined ? {} : { refreshToken: given.refreshToken }),
    ...(given.expiresAt === undefined ? {} : { expiresAt: given.expiresAt }),
    ...(given.scope === undefined ? {} : { scope: given.scope }),
    ...(instance === undefined ? {} : { instance }),
  }
}

/**
 * Addresses of one person's server, where people have servers of their own. A service that has one for all is called where its
 * connector and the operator say: it gets the secret of the app's key, which the app itself may not know.
 */
function instanceOf(
  connector: Connector,
  { overrides }: Pick<OpenServiceKey, 'overrides'>,
  instance: Record<string, string> | undefined,
): Record<string, string> | undefined {
  const { baseUrlFrom } = connector.api
  const hasHome = connector.auth.kind === 'oauth2' && connector.auth.home !== undefined
  for (const [name, value] of Object.entries(instance ?? {})) {
    if (!OVERRIDES.some((known) => known === name))
      throw refused(`instance.${name}`, `is not known; allowed are ${OVERRIDES.join(', ')}.`)
    if (!/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
      throw refused(`instance.${name}`, 'must be an http or https address.')
    const isKnown =
      value === overrides[name] || (name === 'api_url' && isOfService(baseUrlFrom?.hosts ?? [], new URL(value)))
    if (!isKnown && hasHome && name !== 'api_url' && name !== 'base_url')
      throw refused(
        `instance.${name}`,
        'is not used: the issuer at base_url names its own addresses, and no other one gets what proves the app.',
      )
    if (!isKnown && !hasOwnServers(connector))
      throw refused(
        `instance.${name}`,
        `is not an address of ${connector.service}; people have no servers of their own there. An operator sets other addresses with the app’s key (overrides).`,
      )
  }
  return instance
}

/** What a person would type on the page of the service; undefined for a service with a login page. */
export function typedValuesOf({ auth }: Connector, given: GivenTokens): TypedValues | undefined {
  const fields = typedFieldsOf(auth)
  if (auth.kind === 'file') throw refused('service', 'has no tokens: upload a file instead (POST /uploads/:service).')
  if (fields === undefined || auth.kind === 'app_password') return undefined
  // A single token, as for every other service.
  const only =
    auth.kind === 'api_key'
      ? { token: given.token }
      : auth.kind === 'basic'
        ? { name: given.token, password: given.tokenSecret }
        : {}
  const isToken = given.fields === undefined && (auth.kind === 'api_key' || auth.kind === 'basic')
  return fieldsOf(fields, given, only, isToken ? { token: 'token', password: 'token_secret', name: 'token' } : {})
}

/** What is typed, also where it only names the server of a password: the server is a part of people's ids. */
function fieldsOf(
  fields: TypedFields,
  given: GivenTokens,
  only: Readonly<Record<string, string | undefined>> = {},
  /** Names of fields as the app gave them. */
  names: Readonly<Record<string, string>> = {},
): TypedValues {
  const { values, faults } = readTyped(fields, { ...only, ...given.instance, ...given.fields })
  const [fault] = Object.keys(faults)
  if (fault === undefined) return values
  throw refused(names[fault] ?? `fields.${fault}`, describeFault(fields[fault]!, faults[fault]!))
}

const refused = (name: string, sentence: string) => invalidInput('bad_parameter', name, sentence)

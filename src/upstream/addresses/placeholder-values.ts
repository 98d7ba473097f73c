import type { Credential, Parameters } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { PlaceholderValues } from '#kit/endpoints/placeholders.ts'
import { placeholdersIn } from '#kit/endpoints/placeholders.ts'
import { fillParameters } from '../request/fill-placeholders.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { hasOwnServers } from './own-server.ts'

/** The values of `{key}` and `{setting.NAME}`. */
export function appValues({ key, settings }: ServiceKey): PlaceholderValues {
  const entries = Object.entries(settings ?? {}).map(([name, value]) => [`setting.${name}`, value])
  return { key, ...(Object.fromEntries(entries) as Record<string, string>) }
}

/** The values of `{fact.NAME}`. */
export function factValues({ facts }: Pick<Credential, 'facts'>): PlaceholderValues {
  return Object.fromEntries(Object.entries(facts ?? {}).map(([name, value]) => [`fact.${name}`, value]))
}

/**
 * The headers or parameters that the connector adds to every call. Those with placeholders belong to the service: a server that a
 * person chose does not get them.
 */
export function addedToCalls(
  connector: Connector,
  declared: Parameters | undefined,
  { key, credential }: { key: ServiceKey; credential: Credential },
): Parameters | undefined {
  if (declared === undefined) return undefined
  const isPersonsServer = hasOwnServers(connector) && credential.instance !== undefined
  const texts = isPersonsServer
    ? Object.fromEntries(Object.entries(declared).filter(([, text]) => placeholdersIn(text).length === 0))
    : declared
  return fillParameters(texts, { ...appValues(key), ...factValues(credential) })
}

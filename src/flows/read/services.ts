import { type ProxyAddressConfig, proxyAddressOf } from '#config/proxy-origin.ts'
import { withCatalogued } from '#identity/services.ts'
import { appProofOf } from '#kit/auth/app-proof.ts'
import { type Auth, needsKeys, typedFieldsOf } from '#kit/auth/auth.ts'
import { foreseenFault } from '#kit/auth/callback-rule.ts'
import type { Condition, Connector } from '#kit/connector/connector.ts'
import { docsAddress, type ServiceAddresses, serviceAddresses } from '#kit/connector/service-addresses.ts'
import { storedTypes } from '#model/items/types.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { ReadDeps } from './find.ts'
import { requireReadingApp, type ServicesReader, visibleTo } from './search-services.ts'

export interface ServiceCard {
  title: string
  docs: string
  auth: string
  category?: string
  /** What the vendor demands on the first day. */
  conditions: Condition[]
  aliases: string[]
  endpoints: Record<string, { types: string[]; class: string; every_seconds: number; scope: string[] }>
  /** What a sign-in requests unless the app or its key says otherwise. */
  scope: string[]
  /** The documented rate limits of the service. */
  limits: ServiceLimit[]
  types: string[]
  /** Whether the service confirms to `apply` that it issued a token to this app. */
  apply: 'proven' | 'unproven'
  /** Whether `force_login` has an effect. */
  force_login: boolean
  /** Values of `flag` that have an effect. */
  flags: string[]
  /** Values that an app sets with its keys. */
  settings: { name: string; title: string; required: boolean; secret: boolean }[]
  /** What the person types on the page of the sign-in, or the app gives to `apply`; only where something is typed. */
  fields?: Record<string, { title: string; format: string; secret: boolean; optional: boolean; help?: string }>
  /** The address at which an app calls the service's own API. */
  proxy: string
  has_keys?: boolean
  /** The addresses to enter at the service, with an app. */
  addresses?: ServiceAddresses
  /** Why the service refuses the callback address, where that can be foreseen. */
  callback_fault?: string
  /** Whether the app must have keys of its own; otherwise it is registered at the first sign-in. */
  needs_keys: boolean
  /** What the person is asked before the sign-in, by the name of the parameter with which the app may answer itself. */
  asks: Record<string, { title: string; example: string; required: boolean }>
}

/** So many calls in so many seconds. */
interface ServiceLimit {
  of: 'app' | 'person' | 'service'
  calls: number
  per_seconds: number
  /** Counts only the calls of this group of endpoints. */
  group?: string
  /** Counts only calls that read. */
  reads?: true
}

/**
 * Describes every service that syncs; with an app also those of the catalogue that it has keys for, and whether it has keys. With
 * names, those services only, whatever they are.
 */
export async function listServices(
  { database, registry, config }: ReadDeps & { config: ProxyAddressConfig },
  reader: ServicesReader | undefined,
  names?: readonly string[],
): Promise<Record<string, ServiceCard>> {
  const app = reader && (await requireReadingApp({ database }, reader))
  const appId = app?.id
  const keys =
    appId === undefined
      ? undefined
      : new Map((await listServiceKeys(database, appId)).map(({ service, overrides }) => [service, overrides]))
  const described =
    names === undefined
      ? withCatalogued(registry, [...(keys?.keys() ?? [])])
      : [...new Set(names.map((name) => registry.find(name)))].filter((each) => each !== undefined)
  return Object.fromEntries(
    described.filter(visibleTo(reader, app)).map((connector) => {
      const { service, title, auth, aliases, endpoints, settings, category, conditions = [] } = connector
      const read = Object.fromEntries(
        Object.entries(endpoints).map(([name, endpoint]) => [
          name,
          {
            types: storedTypes(endpoint.types, endpoint.feed),
            class: endpoint.class,
            // Files are read when they are uploaded.
            every_seconds: auth.kind === 'file' ? 0 : endpoint.everyMs / 1000,
            scope: endpoint.scope,
          },
        ]),
      )
      const types = [...new Set(Object.values(read).flatMap((endpoint) => endpoint.types))].sort()
      return [
        service,
        {
          title,
          docs: docsAddress(config.baseUrl, connector),
          auth: auth.kind,
          ...(category === undefined ? {} : { category }),
          conditions: [...conditions],
          aliases,
          endpoints: read,
          types,
          scope: 'scope' in auth ? auth.scope.default : [],
          limits: limitsOf(connector),
          apply: appProofOf(auth) === 'none' ? 'unproven' : 'proven',
          ...loginOptions(auth),
          settings: settings.map(({ name, title: label, required = false, secret = false }) => ({
            name,
            title: label,
            required,
            secret,
          })),
          needs_keys: needsKeys(auth),
          asks: asksOf(connector),
          ...describedFields(auth),
          proxy: proxyAddressOf(config, service),
          ...(keys === undefined ? {} : { has_keys: keys.has(service) }),
          ...(appId === undefined ? {} : addressesOf(config.baseUrl, connector, appId, keys?.get(service))),
        },
      ]
    }),
  )
}

function addressesOf(
  baseUrl: string,
  connector: Connector,
  appId: string,
  overrides: Readonly<Record<string, string>> = {},
): Pick<ServiceCard, 'addresses' | 'callback_fault'> {
  const addresses = serviceAddresses(baseUrl, connector, appId, overrides)
  const fault = foreseenFault(connector, overrides, addresses.callback)
  return { addresses, ...(fault === undefined ? {} : { callback_fault: fault }) }
}

function loginOptions(auth: Auth): Pick<ServiceCard, 'force_login' | 'flags'> {
  if (auth.kind !== 'oauth1' && auth.kind !== 'oauth2') return { force_login: false, flags: [] }
  return { force_login: auth.forceLogin !== undefined, flags: Object.keys(auth.flags) }
}

function asksOf({ ask = {} }: Connector): ServiceCard['asks'] {
  return Object.fromEntries(
    Object.entries(ask).map(([name, { title, example, optional, default: left }]) => [
      name,
      { title, example, required: optional !== true && left === undefined },
    ]),
  )
}

function describedFields(auth: Auth): Pick<ServiceCard, 'fields'> {
  const fields = typedFieldsOf(auth)
  if (fields === undefined) return {}
  const described = Object.entries(fields).map(
    ([name, { title, format = 'text', secret = false, optional = false, help }]) => [
      name,
      { title, format, secret, optional, ...(help === undefined ? {} : { help }) },
    ],
  )
  return { fields: Object.fromEntries(described) }
}

function limitsOf({ api: { limits = {} } }: Connector): ServiceLimit[] {
  return (['app', 'person', 'service'] as const).flatMap((of) =>
    [limits[of] ?? []].flat().map(({ calls, perS, group, reads }) => ({
      of,
      calls,
      per_seconds: perS,
      ...(group === undefined ? {} : { group }),
      ...(reads === undefined ? {} : { reads }),
    })),
  )
}

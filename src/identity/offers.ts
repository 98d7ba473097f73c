import { decidesByFlag, type Given, missingGrant } from '#kit/auth/granted.ts'
import type { Category } from '#kit/connector/catalogue-words.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { App } from '#model/apps/app.ts'
import type { BaseType } from '#model/items/types.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { IdentityDeps } from './deps.ts'
import { servicesOf } from './services.ts'

/** What an app gets to see of a service: who the person is, types of items, and what others made (`feed`). */
export type Shared = 'profile' | BaseType | 'feed'

/** A service that a person may connect. */
export interface Offer {
  service: string
  title: string
  /** What it is found by, beside its name and title. */
  aliases?: readonly string[]
  category?: Category | undefined
  shares: Shared[]
  /** The person uploads a file. */
  isFile?: boolean
}

/** The services that an app offers, with what each shares under the scope that will be requested. */
export async function offersOf(
  deps: IdentityDeps,
  app: App,
  {
    services,
    scope,
    flag,
  }: { services?: readonly string[] | undefined; scope?: string | undefined; flag?: string | undefined },
): Promise<Offer[]> {
  const keys = new Map((await listServiceKeys(deps.database, app.id)).map((key) => [key.service, key.scope]))
  return (await servicesOf(deps, app, services)).map((connector) => ({
    service: connector.service,
    title: connector.title,
    aliases: connector.aliases,
    category: connector.category,
    shares: sharesOf(connector, (scope ?? keys.get(connector.service)) || undefined, flag),
    isFile: connector.auth.kind === 'file',
  }))
}

/** Endpoints without a scope of their own are read in any case, those that cost money only if the app switches them on. */
export function sharesOf({ auth, endpoints }: Connector, scope: string | undefined, flag?: string): Shared[] {
  const requested = requestedScopes(auth, scope, flag)
  const read = Object.values(endpoints).filter((each) => missingGrant(auth, each.scope, requested) === undefined)
  const own = read.filter(({ feed }) => !feed).flatMap(({ types }) => types)
  // A file says nothing about who uploads it.
  const profile: Shared[] = auth.kind === 'file' ? [] : ['profile']
  return [...new Set<Shared>([...profile, ...own, ...(read.some(({ feed }) => feed) ? ['feed' as const] : [])])]
}

/** Undefined where a service has no scopes. */
function requestedScopes(
  auth: Connector['auth'],
  scope: string | undefined,
  flag: string | undefined,
): Given | undefined {
  if (auth.kind !== 'oauth2' && auth.kind !== 'oauth1') return undefined
  const flagged = flag === undefined ? [] : (auth.flags[flag]?.scope ?? [])
  const isNamed = scope !== undefined || auth.scope.default.length > 0 || decidesByFlag(auth)
  return isNamed ? { scope: [scope ?? auth.scope.default.join(' '), ...flagged].join(' ') } : undefined
}

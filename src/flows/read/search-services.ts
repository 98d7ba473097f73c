import { mayConnect, servicesInReach } from '#identity/services.ts'
import type { Auth } from '#kit/auth/auth.ts'
import type { Category } from '#kit/connector/catalogue-words.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { docsAddress } from '#kit/connector/service-addresses.ts'
import { comparePlaces, type IndexedService, rankOf } from '#kit/connector/service-index.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { findApp } from '#store/apps/apps.ts'
import type { ReadDeps } from './find.ts'

/** Which services to find; without anything, all of them. */
export interface ServiceSearch {
  q?: string | undefined
  category?: Category | undefined
  auth?: Auth['kind'] | undefined
  /** Whether something is synced. */
  synced?: boolean | undefined
  /** Whether the people of the app can choose it. */
  offered?: boolean | undefined
}

/** The app in whose name services are read, and who reads: an operator also sees what the app does not let its people connect. */
export interface ServicesReader {
  appId: string
  isOperator: boolean
}

export interface FoundService {
  service: string
  title: string
  docs: string
  aliases: string[]
  auth: string
  category?: string
  synced: boolean
  needs_keys: boolean
  certainty?: string
  checked?: string
  /** Only with an app. */
  has_keys?: boolean
  offered?: boolean
}

export interface FoundServices {
  services: FoundService[]
  total: number
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined
}

/** Finds services, the best match first, then by title. Reads the index only: no entry of the catalogue is expanded. */
export async function findServices(
  deps: ReadDeps & { config: { baseUrl: string } },
  reader: ServicesReader | undefined,
  { offered, ...search }: ServiceSearch,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<FoundServices> {
  const app = reader && (await requireReadingApp(deps, reader))
  if (offered !== undefined && app === undefined)
    throw invalidInput('bad_parameter', 'offered', 'needs an app: add client_id or an access token.')
  const reach = app && (await servicesInReach(deps, app))
  const isOffered = ({ service }: IndexedService) => reach?.offered.has(service) === true
  const isVisible = visibleTo(reader, app)
  const all = matching(deps.registry, search).filter(
    ({ entry }) => (offered === undefined || isOffered(entry) === offered) && isVisible(entry),
  )
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const rest = after === undefined ? all : all.filter((each) => compare(each, after) > 0)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  return {
    services: page.map(({ entry }) => ({
      ...described(deps.config.baseUrl, entry),
      ...(reach === undefined ? {} : { has_keys: reach.keys.has(entry.service), offered: isOffered(entry) }),
    })),
    total: all.length,
    next: last === undefined || rest.length === page.length ? undefined : writeCursor(last),
  }
}

interface Match {
  rank: number
  entry: Pick<IndexedService, 'order' | 'service'>
}

/** What an app does not let its people connect is shown to its operators only. */
export function visibleTo(reader: ServicesReader | undefined, app: App | undefined) {
  return (service: { service: string }): boolean =>
    app === undefined || reader?.isOperator === true || mayConnect(app, service)
}

/** The app of a reader. */
export async function requireReadingApp(
  { database }: Pick<ReadDeps, 'database'>,
  { appId }: ServicesReader,
): Promise<App> {
  const app = await findApp(database, appId)
  if (app === undefined) throw new ApiError('client_unknown', undefined, { param: 'client_id' })
  return app
}

/** What matches, in its order. */
export function matching(
  registry: Pick<Registry, 'index'>,
  { q = '', category, auth, synced }: Omit<ServiceSearch, 'offered'>,
): { rank: number; entry: IndexedService }[] {
  return registry
    .index()
    .filter(
      (each) =>
        (category === undefined || each.category === category) &&
        (auth === undefined || each.auth === auth) &&
        (synced === undefined || each.isSynced === synced),
    )
    .flatMap((entry) => {
      const rank = rankOf(entry, q)
      return rank === undefined ? [] : [{ rank, entry }]
    })
    .sort(compare)
}

function compare(one: Match, other: Match): number {
  return one.rank - other.rank || comparePlaces(one.entry, other.entry)
}

function described(baseUrl: string, entry: IndexedService): FoundService {
  const { service, title, docs, aliases, auth, category, isSynced, needsKeys, certainty, checked } = entry
  return {
    service,
    title,
    docs: docsAddress(baseUrl, { service, docs }),
    aliases: [...aliases],
    auth,
    ...(category === undefined ? {} : { category }),
    synced: isSynced,
    needs_keys: needsKeys,
    ...(certainty === undefined ? {} : { certainty }),
    ...(checked === undefined ? {} : { checked }),
  }
}

/** The place of the last service of a page: a service that is added or removed later moves no other one. */
function writeCursor({ rank, entry }: Match): string {
  return Buffer.from(JSON.stringify([rank, entry.order, entry.service])).toString('base64url')
}

function readCursor(text: string): Match {
  try {
    const [rank, order, service] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]
    if (typeof rank === 'number' && typeof order === 'string' && typeof service === 'string')
      return { rank, entry: { order, service } }
  } catch {
    // Refused below, like JSON of another shape.
  }
  throw invalidInput('bad_parameter', 'cursor', 'is not from the `Link` header of a page.')
}

import type { Account } from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { globalId, parseIdr, partitionOf } from '#model/items/idr.ts'
import type { Query } from '#model/items/query.ts'
import type { TypeName } from '#model/items/types.ts'
import { typesFromBits } from '#model/items/types.ts'
import type { PersonPosition } from '#model/people/people-index.ts'
import { listReadable, type ReadableProfile } from '#store/identity/readable-profiles.ts'
import { countAppearances } from '#store/items/appearances.ts'
import { filterByServicesParameter } from '../filter-profiles.ts'
import type { ItemScope, ReadDeps } from '../find.ts'
import { type PeopleQuery, pagePeople } from './page-people.ts'
import type { PeopleIndexes } from './people-indexes.ts'
import { type PersonView, presentPeople } from './present-people.ts'

export interface PeopleDeps extends ReadDeps {
  people: PeopleIndexes
}

export interface PeopleList {
  people: PersonView[]
  /** The last person, when more come after them. */
  next: PersonPosition | undefined
  total: number | undefined
}

/** `/people`: the contacts of an account, grouped into people. */
export async function listPeople(
  deps: PeopleDeps,
  account: Account,
  query: PeopleQuery,
  services: readonly string[] | undefined,
): Promise<PeopleList> {
  const readable = await listReadable(deps.database, account)
  const partitions =
    services === undefined
      ? undefined
      : new Set(filterByServicesParameter(deps.registry, readable, services).map(partitionOf))
  const index = await deps.people.of(account, readable)
  const page = await pagePeople(index, query, partitions)
  return {
    people: await presentPeople(deps, readable, page.people),
    next: page.more ? page.people.at(-1) : undefined,
    total: page.total,
  }
}

/** A person, and the profiles in whose items they may appear. */
export interface FoundPerson {
  person: PersonView
  readable: ReadableProfile[]
}

/** Finds the person of any of their contacts, by the contact's global id or IDR. */
export async function findPerson(deps: PeopleDeps, account: Account, id: string): Promise<FoundPerson> {
  const readable = await listReadable(deps.database, account)
  const index = await deps.people.of(account, readable)
  const indexed = index.byContact.get(toGlobalId(id))
  const [person] = indexed === undefined ? [] : await presentPeople(deps, readable, [indexed])
  if (person === undefined) throw new ApiError('not_found', 'The account has no contact with this id.')
  return { person, readable }
}

export function toGlobalId(id: string): string {
  const idr = parseIdr(id)
  return idr?.item === undefined ? id : globalId(idr)
}

/** The items in which a person appears, as author or participant: of one type, or of all. */
export function itemsOfPerson(
  { registry }: ReadDeps,
  account: Account,
  { person, readable }: FoundPerson,
  { type, services }: { type?: TypeName | undefined; services?: readonly string[] | undefined } = {},
): { scope: ItemScope; narrow: (query: Query) => Query } {
  const users = usersOf(person)
  const known = filterByServicesParameter(registry, readable, services).filter(({ service }) => users.has(service))
  // No index has all items in order of time: what the person made and what came from feeds are two parts.
  const parts = known.flatMap((profile) =>
    (['all', 'all_feed'] as const).map((part) => ({ ...profile, selection: { type: part } })),
  )
  return {
    scope: { account, readable: type === undefined ? parts : known, selection: { type: type ?? 'all' } },
    narrow: (query) => ({ ...query, participants: [...query.participants, { rule: 'any_of', users }] }),
  }
}

/** Counts the items in which a person appears, by service and type. */
export async function appearancesOf(
  { database }: ReadDeps,
  { person, readable }: FoundPerson,
): Promise<Record<string, Record<string, number>>> {
  const counts: Record<string, Record<string, number>> = {}
  const users = usersOf(person)
  for (const profile of readable) {
    const ids = users.get(profile.service)
    if (ids === undefined) continue
    const ofService = (counts[profile.service] ??= {})
    for (const { types, n } of await countAppearances(database.background, profile, ids))
      for (const type of typesFromBits(types)) ofService[type] = (ofService[type] ?? 0) + n
  }
  return counts
}

function usersOf({ services }: PersonView): Map<string, string[]> {
  return new Map(
    Object.entries(services).map(([service, contacts]) => [service, [...new Set(contacts.map(({ user }) => user))]]),
  )
}

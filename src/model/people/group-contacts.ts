import { createVeto, type NamedUser } from './apart.ts'
import { type Clusters, createClusters } from './clusters.ts'
import { type ContactIdentity, contactKeys, nameOf, readKey } from './contact-keys.ts'
import { applyDecisions, type PeopleDecision, type UserRef } from './decisions.ts'
import type { Join, Strength } from './join.ts'

/** Limit: service users of one service that one key joins; a key that more of them have, such as the site of a company, joins nobody. */
export const MAX_USERS_OF_KEY = 3
/** Limit: different names of one service user that are compared; further ones are ignored. */
const MAX_NAMES = 8

/** Joins service users who are one person. The result does not depend on the order in which users and contacts were added. */
export interface UserGroups {
  /** Returns the number of the user: the same for all contacts that name them. */
  add(user: UserRef, contact: ContactIdentity): number
  /** Yields between steps, so that the caller can pause. */
  join(decisions: readonly PeopleDecision[]): Generator<undefined, JoinedUsers>
}

export interface JoinedUsers {
  /** For each user a number that users of one person share. */
  people: number[]
  joins: Join<number>[]
}

/** The users that have a key, or `false` when it joins nobody. A single user needs no list: most keys have only one. */
type Carriers = number | number[] | false

export function createUserGroups(): UserGroups {
  const users: NamedUser[] = []
  const numbers = new Map<string, number>()
  const carriers = new Map<string, Carriers>()

  const numberOf = ({ service, user }: UserRef) => numbers.get(`${service} ${user}`)
  const withCarrier = (known: number[], user: number): Carriers => {
    if (known.includes(user)) return known
    const ofService = known.filter((each) => users[each]!.service === users[user]!.service).length
    return ofService < MAX_USERS_OF_KEY && [...known, user]
  }
  const addUser = (ref: UserRef): number => {
    const number = users.push({ service: ref.service, names: new Set() }) - 1
    numbers.set(`${ref.service} ${ref.user}`, number)
    return number
  }

  return {
    add: (ref, contact) => {
      const user = numberOf(ref) ?? addUser(ref)
      const { names } = users[user]!
      const name = nameOf(contact)
      if (name !== undefined) names.add(name)
      for (const key of contactKeys(contact)) {
        const known = carriers.get(key)
        if (known === undefined) carriers.set(key, user)
        else if (known !== false && known !== user) carriers.set(key, withCarrier([known].flat(), user))
      }
      return user
    },
    *join(decisions) {
      for (const user of users)
        if (user.names.size > MAX_NAMES) user.names = new Set([...user.names].sort().slice(0, MAX_NAMES))
      const shared: SharedKey[] = []
      for (const [key, known] of carriers) {
        if (Array.isArray(known)) shared.push({ ...readKey(key), users: known })
        yield
      }
      const units = applyDecisions(decisions, numberOf)
      const clusters = createClusters(units, createVeto(users, units))
      const joins: Join<number>[] = units.joins.map((join) => ({
        by: 'app',
        strength: 'certain',
        value: undefined,
        ...join,
      }))
      for (const strength of ['strong', 'good', 'fair'] as const)
        joins.push(...(yield* joinBy(strength, shared, users, clusters)))
      return { people: users.map((_, user) => clusters.of(user)), joins: withoutRepeated(joins) }
    },
  }
}

/** What joins the same users by the same value more than once is told with its greatest strength, which comes first. */
function withoutRepeated(joins: readonly Join<number>[]): Join<number>[] {
  const known = new Set<string>()
  return joins.filter(({ by, value, decision, users }) => {
    const size = known.size
    return known.add(JSON.stringify([by, value, decision, users])).size > size
  })
}

interface SharedKey {
  by: 'email' | 'link' | 'handle_and_name'
  value: string
  users: number[]
}

function* joinBy(
  strength: Exclude<Strength, 'certain'>,
  shared: readonly SharedKey[],
  users: readonly NamedUser[],
  clusters: Clusters,
): Generator<undefined, Join<number>[]> {
  const found: Join<number>[] = []
  for (const { by, value, users: all } of shared) {
    for (const group of candidates(strength, by, all, users))
      for (const part of clusters.agreeing(group)) found.push({ by, strength, value, decision: undefined, users: part })
    yield
  }
  return yield* clusters.unite(found)
}

/** Users of a key that evidence of this strength joins. A name that they share as well makes it strong. */
function candidates(
  strength: Exclude<Strength, 'certain'>,
  by: SharedKey['by'],
  all: readonly number[],
  users: readonly NamedUser[],
): (readonly number[])[] {
  if (strength === 'good') return by === 'email' ? [all] : []
  // A page may be that of a family or a company, so a user without a name is not known by it.
  if (strength === 'fair') return by === 'link' ? [all.filter((user) => users[user]!.names.size > 0)] : []
  if (by === 'handle_and_name') return [all]
  const byName = new Map<string, number[]>()
  for (const user of all) for (const name of users[user]!.names) byName.set(name, [...(byName.get(name) ?? []), user])
  return [...byName.values()].filter((group) => group.length > 1)
}

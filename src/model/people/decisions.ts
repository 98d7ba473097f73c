/** A user at a service: whom a contact names. */
export interface UserRef {
  service: string
  /** The native id. */
  user: string
}

/** What an app decided about people. It wins over everything that contacts say, and a newer decision wins over an older one. */
export interface PeopleDecision {
  id: string
  kind: 'join' | 'split'
  decidedAt: number
  /** They are one person. */
  users: UserRef[]
  /** Of a split: none of them is that person. */
  others: UserRef[]
}

/** Users whom an app joined count as one user, with the names of all of them. */
export interface Units {
  /** The unit of each user that is not alone in its own: the number of one of its users. */
  of: Map<number, number>
  /** The users of each such unit. */
  members: Map<number, number[]>
  /** Units that an app told apart, both ways. */
  apart: Map<number, Set<number>>
  /** The decisions that keep users together, with these users. */
  joins: { decision: string; users: number[] }[]
}

/**
 * Applies decisions, the newest first: an older one changes nothing that a newer one says. Users who are not among the contacts, because
 * a service no longer lists them, are ignored until they return.
 */
export function applyDecisions(
  decisions: readonly PeopleDecision[],
  numberOf: (user: UserRef) => number | undefined,
): Units {
  const of = new Map<number, number>()
  const members = new Map<number, number[]>()
  const toldApart = new Map<number, Set<number>>()
  const unitOf = (user: number) => of.get(user) ?? user
  const usersOf = (unit: number) => members.get(unit) ?? [unit]
  const numbersOf = (refs: readonly UserRef[]) => refs.map(numberOf).filter((number) => number !== undefined)
  const areApart = (a: number, b: number) =>
    usersOf(a).some((user) => usersOf(b).some((other) => toldApart.get(user)?.has(other) === true))

  const together: Units['joins'] = []
  for (const { id, kind, users, others } of decisions.toSorted(newestFirst)) {
    const known = numbersOf(users.toSorted(byName))
    for (const [i, user] of known.entries())
      for (const other of known.slice(0, i)) {
        const [a, b] = [unitOf(other), unitOf(user)]
        if (a === b || areApart(a, b)) continue
        const all = [...usersOf(a), ...usersOf(b)]
        members.delete(b)
        members.set(a, all)
        for (const each of all) of.set(each, a)
      }
    if (known.length > 1) together.push({ decision: id, users: known })
    if (kind === 'split')
      for (const user of known)
        for (const other of numbersOf(others)) {
          if (unitOf(user) === unitOf(other)) continue
          addTo(toldApart, user, other)
          addTo(toldApart, other, user)
        }
  }
  const apart: Units['apart'] = new Map()
  for (const [user, others] of toldApart) for (const other of others) addTo(apart, unitOf(user), unitOf(other))
  const joins = together.flatMap(({ decision, users }) =>
    [...Map.groupBy(users, unitOf).values()]
      .filter((group) => group.length > 1)
      .map((group) => ({ decision, users: group })),
  )
  return { of, members, apart, joins }
}

function addTo(map: Map<number, Set<number>>, key: number, value: number): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, new Set([value]))
  else known.add(value)
}

function newestFirst(a: PeopleDecision, b: PeopleDecision): number {
  return b.decidedAt - a.decidedAt || (a.id < b.id ? 1 : -1)
}

function byName(a: UserRef, b: UserRef): number {
  const [one, other] = [`${a.service} ${a.user}`, `${b.service} ${b.user}`]
  return one < other ? -1 : one > other ? 1 : 0
}

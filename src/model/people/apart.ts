import type { Units } from './decisions.ts'
import { handleContradicts, namesContradict } from './person-names.ts'

/** What tells users apart. */
export interface NamedUser {
  service: string
  /** Folded names, and handles with an `@` where the service gives no name. */
  names: Set<string>
}

/** Returns whether two units are told apart, so that nothing that contacts say may make them one person. */
export function createVeto(users: readonly NamedUser[], { members, apart }: Units): (a: number, b: number) => boolean {
  const joined = new Map([...members].map(([unit, all]) => [unit, describe(all.map((user) => users[user]!))]))
  const described = (unit: number) => joined.get(unit) ?? describe([users[unit]!])
  return (a, b) => apart.get(a)?.has(b) === true || areDifferent(described(a), described(b))
}

interface Unit {
  services: string[]
  names: Set<string>
}

/** The app vouches for users that it joined, so each of them has the names of all. */
function describe(users: readonly NamedUser[]): Unit {
  const [only, ...others] = users
  if (only !== undefined && others.length === 0) return { services: [only.service], names: only.names }
  return {
    services: users.map(({ service }) => service),
    names: new Set(users.flatMap(({ names }) => [...names])),
  }
}

/**
 * A service that lists two users with different names, or one of them without a name, tells them apart, and so do names that cannot be those of one person, as in a
 * family with one mailbox whose members are at different services.
 */
function areDifferent(a: Unit, b: Unit): boolean {
  const areNamed = a.names.size > 0 && b.names.size > 0
  if (areNamed ? !a.names.isDisjointFrom(b.names) : a.names.size === b.names.size) return false
  if (a.services.some((service) => b.services.includes(service))) return true
  if (!areNamed) return false
  return [...a.names].every((one) => [...b.names].every((other) => contradict(one, other)))
}

function contradict(one: string, other: string): boolean {
  const [handle, name] = one.startsWith('@') ? [one, other] : [other, one]
  if (!handle.startsWith('@')) return namesContradict(one, other)
  return !name.startsWith('@') && handleContradicts(handle, name)
}

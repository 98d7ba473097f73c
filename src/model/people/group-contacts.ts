/** Limit: service users of one service that one key joins; a key that more of them have, such as `info@…`, joins nobody. */
export const MAX_USERS_OF_KEY = 3
/** Limit: service users that are one person; a longer chain of equal keys is not a person, so its users stay separate. */
export const MAX_USERS_OF_PERSON = 32

/** Joins service users who are one person. The result does not depend on the order in which users and keys were added. */
export interface UserGroups {
  /** Returns the number of the new user. */
  add(service: string): number
  /** Users with an equal key are one person (`contactKeys`). */
  addKeys(user: number, keys: readonly string[]): void
  /** Returns for each user the first one of the same person. Yields between steps, so that the caller can pause. */
  join(): Generator<undefined, number[]>
}

/** The users that have a key, or `false` when it joins nobody. A single user needs no list: most keys have only one. */
type Carriers = number | number[] | false

export function createUserGroups(): UserGroups {
  const services: string[] = []
  const carriers = new Map<string, Carriers>()

  const withCarrier = (known: number[], user: number): Carriers => {
    if (known.includes(user)) return known
    const ofService = known.filter((each) => services[each] === services[user]).length
    return ofService < MAX_USERS_OF_KEY && [...known, user]
  }

  return {
    add: (service) => services.push(service) - 1,
    addKeys: (user, keys) => {
      for (const key of keys) {
        const known = carriers.get(key)
        if (known === undefined) carriers.set(key, user)
        else if (known !== false && known !== user) carriers.set(key, withCarrier([known].flat(), user))
      }
    },
    *join() {
      const roots = services.map((_, user) => user)
      for (const users of carriers.values()) {
        if (Array.isArray(users)) for (const user of users) unite(roots, users[0]!, user)
        yield
      }
      const sizes = new Map<number, number>()
      for (let user = 0; user < roots.length; user += 1) {
        const root = rootOf(roots, user)
        sizes.set(root, (sizes.get(root) ?? 0) + 1)
        yield
      }
      return roots.map((_, user) => {
        const root = rootOf(roots, user)
        return sizes.get(root)! > MAX_USERS_OF_PERSON ? user : root
      })
    },
  }
}

function rootOf(roots: number[], user: number): number {
  let root = user
  while (roots[root] !== root) {
    // Halves the path, so that chains stay short.
    roots[root] = roots[roots[root]!]!
    root = roots[root]!
  }
  return root
}

/** The smaller number becomes the root: the first user of a person. */
function unite(roots: number[], one: number, other: number): void {
  const [a, b] = [rootOf(roots, one), rootOf(roots, other)]
  if (a !== b) roots[Math.max(a, b)] = Math.min(a, b)
}

import type { Units } from './decisions.ts'

/** Limit: service users that evidence makes one person; what would join more joins nobody. */
export const MAX_USERS_OF_PERSON = 32

/** Users that share something, by which they may be one person. */
export interface Group {
  users: readonly number[]
}

/** Units that are known to be one person so far. */
export interface Clusters {
  /** The same number for users of one person. */
  of(user: number): number
  /** The parts of a group in which nobody is told apart: those who could belong to two of them are in none. */
  agreeing(users: readonly number[]): number[][]
  /**
   * Makes the users of each group one person, and returns the groups for which it did. Groups that are connected, and together would
   * make one person of users who are told apart, or of too many, are left out together: so the order of groups changes nothing.
   * Yields between steps, so that the caller can pause.
   */
  unite<Each extends Group>(groups: readonly Each[]): Generator<undefined, Each[]>
}

export function createClusters(
  { of, members }: Pick<Units, 'of' | 'members'>,
  areApart: (unit: number, other: number) => boolean,
): Clusters {
  const clusterOf = new Map<number, number>()
  const unitsOf = new Map<number, number[]>()
  const clusterOfUser = (user: number) => {
    const unit = of.get(user) ?? user
    return clusterOf.get(unit) ?? unit
  }
  const unitsIn = (cluster: number) => unitsOf.get(cluster) ?? [cluster]
  const sizeOf = (clusters: readonly number[]) =>
    clusters.flatMap(unitsIn).reduce((sum, unit) => sum + (members.get(unit)?.length ?? 1), 0)
  const conflict = (a: number, b: number) =>
    unitsIn(a).some((unit) => unitsIn(b).some((other) => areApart(unit, other)))
  const haveConflict = (clusters: readonly number[]) =>
    clusters.some((a, i) => clusters.slice(0, i).some((b) => conflict(a, b)))

  return {
    of: clusterOfUser,
    agreeing: (users) => {
      const clusters = [...new Set(users.map(clusterOfUser))]
      if (clusters.length === 1) return [[...users]]
      if (sizeOf(clusters) > MAX_USERS_OF_PERSON) return []
      const parts = createUnion()
      for (const [i, a] of clusters.entries())
        for (const b of clusters.slice(0, i)) if (!conflict(a, b)) parts.unite(a, b)
      // A cluster that everybody contradicts is in no part, and one that has several of the users is one by itself.
      for (const cluster of clusters) parts.unite(cluster, cluster)
      return parts
        .parts()
        .filter((part) => !haveConflict(part))
        .map((part) => users.filter((user) => part.includes(clusterOfUser(user))))
        .filter((part) => part.length > 1)
    },
    *unite(groups) {
      const touched = createUnion()
      for (const { users } of groups) {
        for (const user of users) touched.unite(clusterOfUser(users[0]!), clusterOfUser(user))
        yield
      }
      const refused = new Set<number>()
      const accepted: number[][] = []
      for (const part of touched.parts()) {
        yield
        if (part.length === 1) continue
        if (sizeOf(part) > MAX_USERS_OF_PERSON || haveConflict(part)) for (const cluster of part) refused.add(cluster)
        else accepted.push(part)
      }
      const isMade = ([first, ...others]: readonly number[]) => {
        const cluster = clusterOfUser(first!)
        return !refused.has(cluster) || others.every((user) => clusterOfUser(user) === cluster)
      }
      const made = groups.filter(({ users }) => isMade(users))
      for (const part of accepted) {
        const units = part.flatMap(unitsIn)
        for (const cluster of part) unitsOf.delete(cluster)
        const [first] = units
        unitsOf.set(first!, units)
        for (const unit of units) clusterOf.set(unit, first!)
        yield
      }
      return made
    },
  }
}

/** Sets of numbers that grow together. */
function createUnion() {
  const parent = new Map<number, number>()
  const rootOf = (node: number): number => {
    let root = node
    for (let above = parent.get(root); above !== root; above = parent.get(root)) {
      if (above === undefined) {
        parent.set(root, root)
        break
      }
      // Halves the path, so that chains stay short.
      parent.set(root, parent.get(above)!)
      root = parent.get(root)!
    }
    return root
  }
  return {
    unite: (a: number, b: number) => {
      const [one, other] = [rootOf(a), rootOf(b)]
      if (one !== other) parent.set(one, other)
    },
    parts: () => [...Map.groupBy([...parent.keys()], rootOf).values()],
  }
}

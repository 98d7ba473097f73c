import { type Chance, systemChance } from '#platform/chance.ts'

/** Limit: statements at once in several shards; the other connections of the pool are for others. */
const MAX_AT_ONCE = 4

/** Limit: candidates per row that is wanted. Other processes find the same rows; the more there are, the fewer are lost to them. */
export const CANDIDATES_PER_ROW = 2

/**
 * Takes up to `max` of the rows that were found without a lock: in random order, because other processes find the same
 * rows, one statement per shard. `take` repeats the condition by which they were found, and returns what nobody else took.
 */
export async function takeInShards<Key extends { shard: number }, Taken>(
  candidates: readonly Key[],
  max: number,
  take: (shard: number, keys: Key[]) => Promise<Taken[]>,
  chance: Chance = systemChance,
): Promise<Taken[]> {
  const waiting = [...Map.groupBy(shuffle(candidates, chance), ({ shard }) => shard)]
  const taken: Taken[] = []
  while (waiting.length > 0 && taken.length < max) {
    const running: Promise<Taken[]>[] = []
    let left = max - taken.length
    while (running.length < MAX_AT_ONCE && left > 0) {
      const [shard, keys] = waiting.pop() ?? []
      if (shard === undefined || keys === undefined) break
      const wanted = keys.slice(0, left)
      left -= wanted.length
      running.push(take(shard, wanted))
    }
    taken.push(...(await Promise.all(running)).flat())
  }
  return taken
}

export function shuffle<Element>(list: readonly Element[], chance: Chance = systemChance): Element[] {
  const shuffled = [...list]
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const j = Math.floor(chance() * (i + 1))
    ;[shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!]
  }
  return shuffled
}

import type { Database, Queries, Statement } from '#platform/postgres/database.ts'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { EVERY_SHARD, NOT_ON_SHARDS } from '../../store/every-shard.ts'

const sweeps = new Set(Object.values(EVERY_SHARD).flat())
const notOnShards = new Set(NOT_ON_SHARDS)
const LISTS = /\bshard = any ?\(\$(\d+)/g
const NAMED = /\bshard = \$(\d+)/g

/**
 * Rejects every statement that names several shards by its values. An account has profiles in several shards after a merge;
 * they are read shard by shard, because a sharded server would ask all nodes. On divided tables it also rejects the statements
 * that exist for others only.
 */
export function refuseSeveralShards(database: Database): void {
  const plain = { ...database }
  const isDivided = isSharded({ ...plain })
  // Known long before the first transaction.
  let refuses = false
  isDivided.then(
    (divided) => (refuses = divided),
    // Those who wait for it get the error.
    () => {},
  )
  const checked = (queries: Queries): Queries => ({
    rows: async (statement, values) => {
      if (notOnShards.has(statement.name) && (await isDivided)) throw new Error(`${statement.name} on divided tables`)
      return queries.rows(check(statement, values), values)
    },
    count: async (statement, values) => {
      if (notOnShards.has(statement.name) && (await isDivided)) throw new Error(`${statement.name} on divided tables`)
      return queries.count(check(statement, values), values)
    },
    send:
      queries.send === undefined
        ? undefined
        : (statement) => {
            if (refuses && notOnShards.has(statement.name)) throw new Error(`${statement.name} on divided tables`)
            queries.send!(check(statement))
          },
  })
  Object.assign(database, checked(plain), { background: checked(plain.background) })
  database.transaction = (work) => plain.transaction((tx) => work(checked(tx)))
}

function check(statement: Statement, values: readonly unknown[] = statement.values ?? []): Statement {
  const { name, text } = statement
  const valuesAt = (pattern: RegExp) => [...text.matchAll(pattern)].flatMap(([, number]) => values[Number(number) - 1])
  const shards = new Set([...valuesAt(LISTS), ...valuesAt(NAMED)])
  if (shards.size > 1 && !sweeps.has(name))
    throw new Error(`${name} names the shards ${[...shards].join(', ')}: ${text}`)
  return statement
}

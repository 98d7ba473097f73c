import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connector } from '#kit/connector/connector.ts'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'

type Path = string[]

/** Combinations of missing fields that are tried for a record or response, the same in every run. */
const RUNS = 25
/** Limit: records with different fields that are tested per endpoint. */
const MAX_SAMPLES = 6
/** Limit: fields of a whole response that are removed at once, so that something is left. */
const MAX_GAPS = 30
const FILLINGS = ['absent', null, undefined] as const

// Simulators run in this process: a check that blocks it for seconds makes them drop idle connections, so each run yields.

/**
 * A record with an id must be read without a fault, whatever else is missing: absent fields, null, or gaps in lists.
 */
export async function checkGapsInRecords(
  connector: Connector,
  name: string,
  owner: string,
  records: unknown[],
): Promise<void> {
  const endpoint = connector.endpoints[name]!
  const read = itemReader(connector, name, endpoint, owner)
  assert.throws(() => read({}), 'a record without an id')
  const idOf = (raw: unknown) => attempt(() => String(endpoint.kind.id(raw)))
  for (const record of samplesOf(records)) {
    const { nativeId } = read(record)
    const copy = structuredClone(record)
    const paths = pathsOf(record).filter((path) => whileAbsent(copy, path, () => idOf(copy)) === nativeId)
    assert.ok(paths.length > 0, 'nothing can be missing')
    const draw = sequence()
    for (let run = 0; run < RUNS; run += 1) {
      await nextTurn()
      const share = draw()
      const gaps = paths.filter(() => draw() < share)
      const filling = FILLINGS[run % FILLINGS.length]
      const raw = filling === 'absent' ? without(record, gaps) : filled(record, gaps, filling)
      // Some ids consist of several fields, of which one is enough.
      if (idOf(raw) !== nativeId) continue
      mapOf(endpoint, raw, owner)
      const draft = read(raw)
      assert.equal(draft.nativeId, nativeId)
      if (filling === 'absent')
        assert.deepEqual(draft.faults, [], `without ${gaps.map((path) => path.join('.')).join(', ')}`)
    }
  }
}

/**
 * The same for missing fields around the records: a response has its records or none, and those with an id are read.
 */
export async function checkGapsInResponse(
  connector: Connector,
  name: string,
  owner: string,
  body: unknown,
): Promise<void> {
  const endpoint = connector.endpoints[name]!
  const read = itemReader(connector, name, endpoint, owner)
  const paths = pathsOf(body)
  const draw = sequence()
  for (let run = 0; run < RUNS && paths.length > 0; run += 1) {
    await nextTurn()
    const count = Math.floor(draw() * MAX_GAPS)
    const torn = without(
      body,
      Array.from({ length: count }, () => paths[Math.floor(draw() * paths.length)]!),
    )
    const from = { parent: { id: 'parent', record: {} }, parents: [{ id: 'parent', record: {} }] }
    for (const raw of endpoint.items(torn, from) ?? []) {
      const draft = attempt(() => read(raw))
      if (draft !== undefined) assert.deepEqual(draft.faults, [])
    }
  }
}

/** Numbers from 0 to 1, the same in every run. */
function sequence(): () => number {
  let state = 12
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

function samplesOf(records: unknown[]): unknown[] {
  const byFields = new Map(records.map((record) => [[...new Set(pathsOf(record).map(shape))].sort().join(), record]))
  return [...byFields.values()].slice(0, MAX_SAMPLES)
}

/** Indexes of a list count as equal. */
const shape = (path: Path) => path.map((key) => (/^\d+$/.test(key) ? '#' : key)).join('.')

/** All paths in a record, any of which can be removed. */
function pathsOf(value: unknown, at: Path = []): Path[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...pathsOf(inner, [...at, key])])
}

/** Without these fields; lists keep their length, because JSON has no gaps in lists. */
function without(record: unknown, paths: Path[]): unknown {
  const copy = structuredClone(record)
  for (const path of paths) {
    const holder = holderOf(copy, path)
    if (holder !== undefined && !Array.isArray(holder)) delete holder[path.at(-1)!]
  }
  return copy
}

/** Does some work while a field is missing: to copy a record for each of its fields takes most of a check. */
function whileAbsent<Result>(record: unknown, path: Path, work: () => Result): Result {
  const holder = holderOf(record, path)
  const key = path.at(-1)!
  if (holder === undefined || Array.isArray(holder)) return work()
  const value = holder[key]
  delete holder[key]
  try {
    return work()
  } finally {
    holder[key] = value
  }
}

function filled(record: unknown, paths: Path[], filling: null | undefined): unknown {
  const copy = structuredClone(record)
  for (const path of paths) Object.assign(holderOf(copy, path) ?? {}, { [path.at(-1)!]: filling })
  return copy
}

function holderOf(record: unknown, path: Path): Record<string, unknown> | undefined {
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], record)
  return typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>) : undefined
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    // A record that cannot be read goes to the quarantine, which is not what is checked here.
    return undefined
  }
}

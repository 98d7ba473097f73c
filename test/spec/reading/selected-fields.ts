import assert from 'node:assert/strict'

/** Limit of the API: paths of one request. */
const MAX_PATHS = 64
/** Beside the paths that items have, these are asked of each. */
const MISSING = [
  'nothing',
  'data.nothing.deeper',
  'map.nothing',
  'map.counts.shares',
  'map.author.nothing',
  'id.deeper',
]

type Ask = (query: string) => Promise<object[]>

/**
 * Asks every item of a list for every path that one of them has, and for paths that none has. The rules are written anew here:
 * each path is a key, a list keeps its positions, and what is missing is null.
 */
export async function checkSelectedFields(ask: Ask): Promise<number> {
  const items = await ask('map=true')
  const paths = [...new Set([...items.flatMap((item) => pathsOf(item, [])), ...MISSING])].filter(isWritable)
  for (let from = 0; from < paths.length; from += MAX_PATHS) {
    const wanted = paths.slice(from, from + MAX_PATHS)
    const selected = await ask(`fields=${encodeURIComponent(wanted.join(','))}`)
    const expected = items.map((item) =>
      Object.fromEntries(wanted.map((path) => [path, at(item, path.split('.')) ?? null])),
    )
    assert.deepEqual(selected, expected, wanted.join(' '))
  }
  return paths.length
}

const isWritable = (path: string) => /^[\w.-]+$/.test(path) && path.length < 200 && path.split('.').length <= 16

function pathsOf(value: unknown, path: string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => pathsOf(entry, path))
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path.join('.')]
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '' || key.includes('.') ? [] : [[...path, key].join('.'), ...pathsOf(inner, [...path, key])],
  )
}

/** Undefined when the value does not have the path. */
function at(value: unknown, steps: readonly string[]): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return value
  if (Array.isArray(value)) {
    const entries = value.map((entry) => at(entry, steps))
    return entries.every((entry) => entry === undefined) ? undefined : entries.map((entry) => entry ?? null)
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return at((value as Record<string, unknown>)[step], rest)
}

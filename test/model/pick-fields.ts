/** What `fields` returns of an item: each path as it was written, and null where the item does not have it. */
export function pickFields(item: unknown, paths: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(paths.map((path) => [path, at(item, path.split('.')) ?? null]))
}

/** Undefined when the value does not have the path. A list keeps its positions, unless no entry has the path. */
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

/** Every path that a value has and that can be written in a query. */
export function pathsIn(value: unknown, path: readonly string[] = []): string[] {
  if (path.length > 12) return []
  if (Array.isArray(value)) return value.flatMap((entry) => pathsIn(entry, path))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    /^[\w-]+$/.test(key) ? [[...path, key].join('.'), ...pathsIn(inner, [...path, key])] : [],
  )
}

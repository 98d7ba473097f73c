/** The value at a path of keys and indexes, separated by dots: `data.0.id`. Undefined where it leads nowhere. */
export function valueAt(value: unknown, path: string): unknown {
  let current = value
  for (const step of path === '' ? [] : path.split('.')) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, step)) return undefined
    current = (current as Record<string, unknown>)[step]
  }
  return current
}

/** The same as text: of texts and numbers; undefined for everything else and for an empty text. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path)
  if (typeof found === 'number' || typeof found === 'bigint') return String(found)
  return typeof found === 'string' && found !== '' ? found : undefined
}

const WRITE = /\b(?:insert into|update|delete from) ([a-z_]+)/g
const NONE: readonly string[] = []

/** By name: only hand-written statements have one, so this does not grow with what people ask for. */
const byName = new Map<string, readonly string[]>()

/**
 * The tables that a statement writes; also some other words, such as “skip” of “for update skip locked”. Statements that are composed
 * for a request only read.
 */
export function tablesWrittenBy({ name, text }: { name: string; text: string }): readonly string[] {
  if (name === '' || name.startsWith('auto-')) return NONE
  const known = byName.get(name)
  if (known !== undefined) return known
  const tables = [...new Set([...text.matchAll(WRITE)].map((match) => match[1]!))]
  byName.set(name, tables)
  return tables
}

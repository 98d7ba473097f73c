import type { Finding } from './contract.ts'

/** The first characters of what a server says about itself. */
export function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 100) : undefined
}

/** A hint and not a failure: the other destinations may be deleted, and only their rows are left. */
export function sharedTables(others: { id: unknown }[]): Finding[] {
  if (others.length === 0) return []
  const ids = others.slice(0, 5).map(({ id }) => shortText(id) ?? 'another destination')
  const detail = `${ids.join(', ')} wrote into these tables too: with different filters they delete each other's rows. Give each its own schema or database.`
  return [{ check: 'alone', ok: true, detail }]
}

import { createHash } from 'node:crypto'
import type { Statement } from './database.ts'

/** Limit: query texts that become prepared statements, which stay in every connection until it closes. */
const MAX_NAMED = 256
const USES_BEFORE_NAMED = 8
/** Limit: query texts whose uses are counted; then counting starts again. */
const MAX_COUNTED = 4096

const uses = new Map<string, number>()
const names = new Map<string, string>()

/** For composed SQL: a text that is used often becomes a prepared statement, others do not. */
export function autoPrepare(text: string): Statement {
  const known = names.get(text)
  if (known !== undefined) return { name: known, text }
  const used = (uses.get(text) ?? 0) + 1
  if (used > USES_BEFORE_NAMED && names.size < MAX_NAMED) {
    uses.delete(text)
    names.set(text, `auto-${createHash('sha1').update(text).digest('hex').slice(0, 20)}`)
  } else {
    if (uses.size >= MAX_COUNTED) uses.clear()
    uses.set(text, used)
  }
  return { name: '', text }
}

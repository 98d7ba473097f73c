import type { DeliveryRow } from '#model/destination.ts'
import { type Checkpoint, DeliveryError, type Finding } from './contract.ts'

/** Of each item the newest row only, by id: statements of several runs then take their locks in the same order. */
export function newestById<Row extends DeliveryRow>(rows: Row[]): Row[] {
  const newest = new Map<string, Row>()
  for (const row of rows) {
    const other = newest.get(row.id)
    if (other === undefined || other.seq <= row.seq) newest.set(row.id, row)
  }
  return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Databases hold neither NUL nor half a character; both become U+FFFD there, and stay as they are in our own store. */
export function clean<Text extends string | undefined>(text: Text): Text {
  return text?.replaceAll('\0', '\ufffd').toWellFormed() as Text
}

/** The same inside the escapes of a JSON text. */
export function cleanJson(text: string): string {
  if (!/\\u(0000|d[89a-f])/i.test(text)) return text
  return text.replaceAll(
    /(\\\\)|\\u0000|\\ud[89ab][0-9a-f]{2}(?:\\ud[c-f][0-9a-f]{2})?|\\ud[c-f][0-9a-f]{2}/gi,
    (found, escaped: string | undefined) => (escaped !== undefined || found.length === 12 ? found : String.raw`\ufffd`),
  )
}

/** A few characters of what a server says of itself. */
export function shown(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 100) : undefined
}

/** No mistake for sure: the other may be gone, and its rows were left. */
export function sharing(others: { id: unknown }[]): Finding[] {
  if (others.length === 0) return []
  const ids = others.slice(0, 5).map(({ id }) => shown(id) ?? 'somebody')
  const detail = `${ids.join(', ')} wrote into these tables too: with another filter they take back each other's rows. Give each its own place.`
  return [{ check: 'alone', ok: true, detail }]
}

/** Limit: numbers of a destination's checkpoint, which our own numbers may have to go on from. Beyond it the delivery fails. */
const MAX_CHECKPOINT = 2 ** 48

/** What a destination says of its checkpoint, if it can be true. */
export function checkpointOf(row: Record<'seq' | 'epoch' | 'at', unknown>): Checkpoint {
  return { seq: checkpointNumber(row.seq), epoch: checkpointNumber(row.epoch), updatedAtMs: checkpointNumber(row.at) }
}

function checkpointNumber(value: unknown): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= -1 && number <= MAX_CHECKPOINT)
    return number
  throw new DeliveryError('retry', 'The checkpoint at the destination is none that was written there.')
}

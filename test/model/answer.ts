import { withoutCopies } from './copies.ts'
import { kilometres } from './distance.ts'
import type { Known } from './known-item.ts'
import { pickFields } from './pick-fields.ts'
import { nameOf, type Question } from './question.ts'
import { isFound } from './words.ts'

const DEFAULT_WITHIN_KM = 10
export const DEFAULT_LIMIT = 20

/** Every item that a question finds, in order, however many it asks for: a scan over everything. */
export function findAll(items: readonly Known[], question: Question, nowMs: number): Known[] {
  const { since = 0, until = nowMs, updatedSince = -Infinity, sort, terms, people, near, services } = question
  const within = question.within ?? DEFAULT_WITHIN_KM
  const found = items.filter(
    (item) =>
      isIn(item, question.of) &&
      (services === undefined || services.some((name) => name === item.service || name === nameOf(item))) &&
      item.at >= since &&
      item.at <= until &&
      item.updated >= updatedSince &&
      people.every((token) => takesPart(item, token)) &&
      (near === undefined || (item.place !== undefined && kilometres(item.place, near) <= within)) &&
      (terms.length === 0 || isFound(item.texts, terms)),
  )
  const sign = sort === 'asc' ? 1 : -1
  const shown = question.dedup ? withoutCopies(found) : found
  return shown.toSorted((a, b) => sign * (a.at - b.at || (a.id < b.id ? -1 : 1)))
}

/** A service means all its profiles. */
function isIn(item: Known, of: Question['of']): boolean {
  if ('type' in of) return item.listed.includes(of.type)
  return item.service === of.service && item.endpoint === of.endpoint && item.owner === (of.owner ?? item.owner)
}

function takesPart({ people, author, owner }: Known, token: string): boolean {
  if (token.startsWith('>')) return people.length >= Number(token.slice(1))
  const id = token.replace(/^\^/, '').replace(/^self$/, owner)
  return token.startsWith('^') ? author === id : people.includes(id)
}

/** The row of an item in the answer to a question. */
export function rowOf(item: Known, { of, fields, map }: Question): unknown {
  const { id, idr, at, updated, data, types, guid } = item
  const card = 'type' in of ? (item.cards.get(of.type) ?? item.oembed) : undefined
  // The card in `map` is the one that is shown, or the main one where none is.
  const withCard = { ...item.map, oembed: card ?? item.map['oembed'] }
  const whole = {
    id,
    idr,
    at,
    updated,
    data,
    types,
    ...(guid === undefined ? {} : { guid }),
    ...(card === undefined ? {} : { oembed: card }),
  }
  if (fields !== undefined) return pickFields({ ...whole, map: withCard }, fields)
  return map ? { ...whole, map: withCard } : whole
}

import { murmur3Hex } from '#model/items/murmur3.ts'
import type { Term } from '#model/items/text-query.ts'

/**
 * One index finds items by words and by people. Both are in one search vector, and every entry starts with a scope of its
 * profile: items of other profiles do not slow a search down, not even a search by prefix.
 */
const SCOPE_CHARS = 4
const HASH_CHARS = 10

function scopeOf(profileId: string): string {
  return profileId.slice(-SCOPE_CHARS)
}

// Ids are hashed because they may contain any character; the row holds the exact ids. Words never begin with @ or ^.
const person = (scope: string, id: string) => `'${scope}@${hashed(id)}'`
const author = (scope: string, id: string) => `'${scope}^${hashed(id)}'`

function hashed(id: string): string {
  return murmur3Hex(id).slice(0, HASH_CHARS)
}

export interface SearchableItem {
  /** The words of its texts, as a search vector. */
  words: string
  participants: string[]
  author: string | undefined
}

/** A search vector in PostgreSQL's syntax: words with their positions, then people. */
export function buildSearchVector(profileId: string, item: SearchableItem): string {
  const scope = scopeOf(profileId)
  return [
    scoped(scope, item.words),
    ...item.participants.map((id) => person(scope, id)),
    ...(item.author === undefined ? [] : [author(scope, item.author)]),
  ].join(' ')
}

// Words contain neither spaces nor quotes, so a space followed by a quote always starts one.
function scoped(scope: string, words: string): string {
  return words === '' ? '' : `'${scope}${words.slice(1).replaceAll(" '", ` '${scope}`)}`
}

export interface SearchTerms {
  terms: readonly Term[]
  people: readonly string[]
  authors: readonly string[]
  /** People of whom one is enough. */
  anyOf?: readonly string[]
}

/** Matches items that have all of these. */
export function buildSearchQuery(profileId: string, { terms, people, authors, anyOf = [] }: SearchTerms): string {
  const scope = scopeOf(profileId)
  return [
    ...terms.map((term) => `${term.isUnwanted ? '!' : ''}(${phrase(scope, term)})`),
    ...people.map((id) => person(scope, id)),
    ...authors.map((id) => author(scope, id)),
    ...(anyOf.length === 0 ? [] : [`(${anyOf.map((id) => person(scope, id)).join(' | ')})`]),
  ].join(' & ')
}

/** Matches items that have at least one of these, wanted or not. */
export function buildExclusion(profileId: string, terms: readonly Term[]): string {
  const scope = scopeOf(profileId)
  return terms.map((term) => `(${phrase(scope, term)})`).join(' | ')
}

function phrase(scope: string, { words, isBeginning }: Term): string {
  const last = words.length - 1
  return words.map((word, i) => `'${scope}${word}'${isBeginning && i === last ? ':*' : ''}`).join(' <-> ')
}

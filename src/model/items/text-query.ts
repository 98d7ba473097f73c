import { lastOf } from '#platform/formats/list-ends.ts'
import { isAlwaysPrefix, wordsOf } from './words.ts'

/** Consecutive words that an item must contain. `isBeginning`: the last one is a prefix. `isUnwanted`: it must not contain them. */
export interface Term {
  words: string[]
  isBeginning: boolean
  isUnwanted: boolean
}

/**
 * Parses a search: words that must all occur, `"phrases"`, `-excluded`, and prefixes (`cat*`). A term that contains punctuation (an
 * address, a handle) is a phrase of its words. A Korean word is a prefix, unless it is quoted. Empty when the search has no usable
 * word.
 */
export function parseTextQuery(text: string): Term[] {
  const terms: Term[] = []
  for (const [, minus, phrase, word] of text.matchAll(/(-)?(?:"([^"]*)"|(\S+))/g)) {
    const words = wordsOf(phrase ?? word ?? '')
    if (words.length === 0) continue
    const isBeginning = word !== undefined && (word.endsWith('*') || isAlwaysPrefix(lastOf(words)))
    terms.push({ words, isBeginning, isUnwanted: minus !== undefined })
  }
  return terms.some(({ isUnwanted }) => !isUnwanted) ? terms : []
}

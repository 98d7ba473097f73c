import { lastOf } from '#platform/formats/list-ends.ts'
import { askedWords } from './search-words.ts'
import { isAlwaysPrefix } from './words.ts'

/** Consecutive words that an item must contain. `isBeginning`: the last one is a prefix. `isUnwanted`: it must not contain them. */
export interface Term {
  words: string[]
  isBeginning: boolean
  isUnwanted: boolean
}

/**
 * Parses a search: words that must all occur, `"phrases"`, `-excluded`, and prefixes (`cat*`). A term that contains punctuation (an
 * address) is a phrase of its words; symbols that belong to a word (`C++`, `#tag`) are part of it. A Korean word is a prefix, unless
 * it is quoted. Empty when the search has no usable word.
 */
export function parseTextQuery(text: string): Term[] {
  const terms: Term[] = []
  for (const [, minus, phrase, word] of text.matchAll(/(-)?(?:"([^"]*)"|(\S+))/g)) {
    const asked = wordOf(word)
    const words = askedWords(phrase ?? asked.text)
    if (words.length === 0) continue
    const isBeginning = word !== undefined && (asked.isBeginning || isAlwaysPrefix(lastOf(words)))
    terms.push({ words, isBeginning, isUnwanted: minus !== undefined })
  }
  return terms
}

/** A final star makes a word a prefix; symbols alone have none. */
function wordOf(word = ''): { text: string; isBeginning: boolean } {
  const isBeginning = word.endsWith('*') && /[^!-~]|[a-z0-9]/i.test(word)
  return { text: isBeginning ? word.slice(0, -1) : word, isBeginning }
}

import { wordsOf } from './words.ts'

/** Words that stand one after another, the last perhaps only begun; or that must not be there. */
export interface Term {
  words: string[]
  isBeginning: boolean
  isUnwanted: boolean
}

/**
 * Words that must all be there, `"phrases"`, `-without`, and a last word that may be a beginning (`cat*`).
 * A term with punctuation in it (an address, a handle) is a phrase of its words. Empty when nothing can be searched for.
 */
export function parseTextQuery(text: string): Term[] {
  const terms: Term[] = []
  for (const [, minus, phrase, word] of text.matchAll(/(-)?(?:"([^"]*)"|(\S+))/g)) {
    const words = wordsOf(phrase ?? word ?? '')
    if (words.length === 0) continue
    terms.push({ words, isBeginning: word?.endsWith('*') === true, isUnwanted: minus !== undefined })
  }
  return terms.some(({ isUnwanted }) => !isUnwanted) ? terms : []
}

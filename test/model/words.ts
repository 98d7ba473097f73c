import { ASKED } from './asked.ts'

/** Scripts without spaces: any sequence of their characters is found. */
const UNSPACED_LETTER =
  '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]'
const UNSPACED = `${UNSPACED_LETTER}[\\p{M}\\p{Lm}]*`
const SPACED = `(?!${UNSPACED_LETTER})[\\p{L}\\p{N}]`
const EMOJI = '\\p{RI}\\p{RI}|(?![\\x00-\\x7f])[\\p{So}\\p{Sk}\\p{Sm}\\p{Sc}]'
const WORD =
  '[\\p{L}\\p{N}\\p{M}]+?(?=$|[^\\p{L}\\p{N}\\p{M}]|[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}])'
/** `C++`, `C#`, `.NET`, `#tag`: symbols that belong to a word; of `#東京` to its first sign. */
const WITH_SYMBOLS =
  `(?<![\\p{L}\\p{N}])[.#]${UNSPACED}|` +
  `(?<![\\p{L}\\p{N}])(?:[.#](?=\\p{L})(?:${SPACED})+|(?=\\p{L})(?:${SPACED})+[+#]+)(?!${SPACED}|[+#])`
const TOKENS = new RegExp(`${ASKED.symbols ? `${WITH_SYMBOLS}|` : ''}${UNSPACED}|${EMOJI}|${WORD}`, 'gu')
/** Skin tones, variants of display, joiners. */
const INVISIBLE = /[\u{1F3FB}-\u{1F3FF}\uFE0E\uFE0F\u200D\u200B\u2060\u00AD]/gu
/** Accents of Latin, Greek and Cyrillic letters, and the vowel signs of Arabic and Hebrew. */
const ACCENTS = /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u064B-\u065F\u0670]/gu

/** Letters that look like another with an accent, and are found by it. */
const ALIKE: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h' }

/** The words of a text as search compares them: without case and accents, each symbol a word. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(ACCENTS, '').replaceAll(INVISIBLE, '').toLowerCase()
  return (
    plain
      .replaceAll(/[ßæœøłđðþħ]/g, (letter) => ALIKE[letter]!)
      .normalize('NFC')
      .match(TOKENS) ?? []
  )
}

/** One term of a search. */
export interface Term {
  /** Words that follow each other, folded as in a text. */
  words: string[]
  /** The same as the question writes them. */
  written: string
  isExcluded: boolean
  /** `word*`: the last word may go on. */
  isPrefix: boolean
  isQuoted: boolean
}

/** Whether a search finds an item with these texts, each as its words. */
export function isFound(texts: readonly (readonly string[])[], terms: readonly Term[]): boolean {
  if (!ASKED.symbols && !terms.some(({ isExcluded, words }) => !isExcluded && words.length > 0)) return false
  return terms.every((term) => texts.some((words) => occurs(words, term)) !== term.isExcluded)
}

const STARTS_UNSPACED = new RegExp(`^${UNSPACED_LETTER}`, 'u')

export const isUnspaced = (word: string): boolean => STARTS_UNSPACED.test(word)

/** A word with symbols is found without them too, but for a single letter: `C++` is not `C`. */
export function spellings(word: string): string[] {
  const plain = word.replaceAll(/^[.#]|[+#]+$/g, '')
  return plain === word || (plain.length < 2 && !isUnspaced(plain)) ? [word] : [word, plain]
}

function occurs(text: readonly string[], { words, isPrefix, isQuoted }: Term): boolean {
  const isEqual = (found: string | undefined, wanted: string, isLast: boolean) =>
    found !== undefined &&
    (spellings(found).includes(wanted) ||
      ((isLast && isPrefix) || (!isQuoted && /\p{sc=Hangul}/u.test(wanted))
        ? spellings(found).some((one) => one.startsWith(wanted))
        : false))
  return text.some((_, from) => words.every((word, i) => isEqual(text[from + i], word, i === words.length - 1)))
}

import { fold, MAX_CHARS, MAX_TEXT, MAX_WORDS, splitRun, wordsOf } from './words.ts'

/**
 * A word with the symbols that belong to it. Texts are stored with both forms at one position; a search that names the symbols asks
 * for `marked`, another one for `bare`. So `tag` finds `#tag`, and `#tag` does not find `tag`.
 */
export interface SearchWord {
  /** Undefined for symbols alone, and for one letter with symbols: `c` does not find `C++`. */
  bare: string | undefined
  /** A stored word never begins with `@` or `^`, which mark people in the index. */
  marked: string | undefined
  /** The symbol also follows a word, as in an e-mail address: a search for the whole address does not need it. */
  isInside?: boolean
}

// What decides whether a text has any marked word; most have none, and are split at a fraction of the cost.
const MAYBE_MARKED = /[#@+＃＠＋﹟﹫﹢]|\.\p{L}|[!-/:-@[-`{-~]{2}/u
// Symbols alone, between spaces: `:)` and `<=`. Then words, with what stands before and after them.
const MARKED =
  /(?<!\S)(?<symbols>[!#$%&()*+,\-./:;<=>?@[\]^_`{|}~]{2,4})(?!\S)|(?<before>[#@.])?(?<run>[\p{L}\p{N}\p{M}]+)(?<after>\+\+|[+#](?![\p{L}\p{N}\p{M}]))?|\p{RI}{2}|(?![!-~\u2044\u2500-\u259F\u2800-\u28FF\uFFFC\uFFFD])[\p{So}\p{Sc}\p{Sm}][\u{E0020}-\u{E007F}]{0,16}/gu
const WORD_CHAR = /[\p{L}\p{N}\p{M}]/u
const LETTER = /^\p{L}/u
/** Lines, ellipses and marks of Markdown, and symbols that end a sentence. */
const SEPARATORS = /^(?:([-._*=~#`])\1+|[.,;:!?()[\]]+)$/

/** The words of a text in order, with their symbols. */
export function searchWords(text: string): SearchWord[] {
  if (!MAYBE_MARKED.test(text)) return wordsOf(text).map((bare) => ({ bare, marked: undefined }))
  const words: SearchWord[] = []
  const folded = fold(text.slice(0, MAX_TEXT))
  for (const { 0: whole, index, groups } of folded.matchAll(MARKED)) {
    words.push(...wordsIn(whole, groups ?? {}, folded[index - 1]))
    if (words.length >= MAX_WORDS) return words.slice(0, MAX_WORDS)
  }
  return words
}

function wordsIn(
  whole: string,
  groups: Record<string, string | undefined>,
  previous: string | undefined,
): SearchWord[] {
  const { symbols, before, run, after } = groups
  if (symbols !== undefined)
    return SEPARATORS.test(symbols) && !EMOTICONS.has(symbols) ? [] : [{ bare: undefined, marked: `=${symbols}` }]
  if (run === undefined) return [{ bare: whole, marked: undefined }]
  const words = splitRun(run).map((word): SearchWord => ({ bare: word.slice(0, MAX_CHARS), marked: undefined }))
  const [first, last] = [words[0]!, words.at(-1)!]
  if (after !== undefined && LETTER.test(last.bare!)) {
    last.marked = `${last.bare}${after}`
    if (last.bare!.length === 1) last.bare = undefined
  }
  if (before !== undefined && isMark(before, run, previous)) {
    first.marked = `${before === '@' ? '~' : before}${first.bare ?? first.marked}`
    first.isInside = previous !== undefined && WORD_CHAR.test(previous)
  }
  return words
}

/** These are of characters that also end sentences. */
const EMOTICONS = new Set([':)', ':(', ';)', ';(', ':))', ':((', '(:', '(;'])

/** After other words, a dot and a hash only separate. */
function isMark(mark: string, run: string, previous: string | undefined): boolean {
  if (mark === '.') return LETTER.test(run) && (previous === undefined || /[\s(]/.test(previous))
  return mark === '@' || previous === undefined || !WORD_CHAR.test(previous)
}

/** A handle of a person, so that a search with `@` finds it, also where the service leaves it out. */
export function asHandle(handle: string | undefined): string | undefined {
  return typeof handle === 'string' && WORD_CHAR.test(handle.slice(0, 1)) ? `@${handle}` : handle
}

/** The words of a search: with their symbols where it names them. */
export function askedWords(text: string): string[] {
  return searchWords(text).map(({ bare, marked, isInside }) => (isInside === true ? bare : marked) ?? bare ?? marked!)
}

/** Builds a `tsvector` literal of several texts. A gap in the positions keeps phrases from matching across texts. */
export function searchVector(texts: readonly string[]): string {
  const positions = new Map<string, number[]>()
  const add = (word: string | undefined, position: number): void => {
    if (word === undefined) return
    const known = positions.get(word)
    if (known === undefined) positions.set(word, [position])
    else if (known.length < 255) known.push(position)
  }
  let position = 1
  let count = 0
  for (const text of texts) {
    for (const { bare, marked } of searchWords(text)) {
      add(bare, position)
      add(marked, position)
      position = Math.min(position + 1, 16_383)
      count += 1
      if (count >= MAX_WORDS) return spell(positions)
    }
    position = Math.min(position + 10, 16_383)
  }
  return spell(positions)
}

// Words contain no quote, backslash or space, so nothing needs escaping.
function spell(positions: Map<string, number[]>): string {
  let vector = ''
  for (const [word, at] of positions) vector += `${vector === '' ? '' : ' '}'${word}':${at.join(',')}`
  return vector
}

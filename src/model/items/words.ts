/** Limit: words of one item that are indexed for search; further ones are not. */
export const MAX_WORDS = 4000
/** Limit: characters of one word that a search compares; further ones are ignored. */
export const MAX_CHARS = 64

// Scripts written without spaces: each character is a word, and a search for several is a search for a phrase.
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{Script=Yi}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Javanese}\p{Script=Balinese}]/u
// Korean writes particles and endings onto its words, so a word of a search is a prefix there.
const HANGUL = /\p{Script=Hangul}/u
// Emoji and other symbols are words of one character; a flag is one word of two letters, or of one character and its tags.
// Separators like punctuation: symbols of ASCII, which addresses and code are full of, the fraction slash (½ is 1 and 2),
// characters that draw lines and boxes, and those that stand for something lost.
const RUN =
  /[\p{L}\p{N}\p{M}]+|\p{RI}{2}|(?![!-~\u2044\u2500-\u259F\u2800-\u28FF\uFFFC\uFFFD])[\p{So}\p{Sc}\p{Sm}][\u{E0020}-\u{E007F}]{0,16}/gu
const PLAIN = /^[\t\n\r -~]*$/
const PLAIN_RUN = /[a-z0-9]+/g
const SHORT = 20_000
const SIGNS = new RegExp(`${UNSPACED.source}|[^\\s]`, 'gu')
// Accents, Hebrew points and Arabic vowel signs are ignored. In other scripts (Devanagari, Thai, kana) marks distinguish words and
// are kept.
const ACCENTS =
  /[\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F]/gu
// Skin tones are ignored: a search for a gesture finds it in each of them.
const SKIN_TONES = /\p{Emoji_Modifier}/gu
// Letters that people type differently and that NFKD does not decompose.
const ALIKE: Record<string, string> = {
  ß: 'ss',
  ı: 'i',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ħ: 'h',
  ς: 'σ',
  ى: 'ي',
  ة: 'ه',
}
const ALIKE_CHARS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'gu')

/** Limit: consecutive combining marks; normalizing sorts them in quadratic time, and no letter has as many. Further ones are left out. */
const MAX_MARKS = 30
// U+FF9E and U+FF9F become marks when they are normalized.
const MANY_MARKS = new RegExp(`([\\p{M}\uFF9E\uFF9F]{${MAX_MARKS}})[\\p{M}\uFF9E\uFF9F]+`, 'gu')
/** Limit: characters of one text that are searched; the rest is not indexed. */
export const MAX_TEXT = 512 * 1024

/** A text in the one form that its accented letters have. */
export function composed(text: string): string {
  return text.replaceAll(MANY_MARKS, '$1').normalize('NFC')
}

/** Removes case, accents, width and skin tones from a text, so that a search ignores them. */
export function fold(text: string): string {
  // ASCII has no accents: the same result as below at a fraction of the cost.
  if (PLAIN.test(text)) return text.toLowerCase()
  return text
    .replaceAll(MANY_MARKS, '$1')
    .normalize('NFKD')
    .replaceAll(ACCENTS, '')
    .replaceAll(SKIN_TONES, '')
    .toLowerCase()
    .replaceAll(ALIKE_CHARS, (letter) => ALIKE[letter] ?? letter)
    .normalize('NFC')
}

/**
 * Returns the words of a text in order. Web addresses, handles and e-mail addresses are split into their words; every emoji and
 * symbol is a word.
 */
export function wordsOf(text: string): string[] {
  if (text.length <= SHORT && PLAIN.test(text)) return plainWords(text)
  const words: string[] = []
  for (const [run] of fold(text.slice(0, MAX_TEXT)).matchAll(RUN)) {
    for (const word of splitRun(run)) {
      words.push(word.slice(0, MAX_CHARS))
      if (words.length >= MAX_WORDS) return words
    }
  }
  return words
}

/** Whether a word of a search also finds words that begin with it. */
export function isAlwaysPrefix(word: string): boolean {
  return HANGUL.test(word)
}

// ASCII needs no folding: the same result as below at a fraction of the cost.
function plainWords(text: string): string[] {
  const words: string[] = text.toLowerCase().match(PLAIN_RUN) ?? []
  return words.slice(0, MAX_WORDS).map((word) => (word.length > MAX_CHARS ? word.slice(0, MAX_CHARS) : word))
}

// A run may mix scripts ("东京tower"): letters of spaced scripts stay together, every other character is a word.
export function splitRun(run: string): string[] {
  if (!UNSPACED.test(run)) return [run]
  const words: string[] = []
  let spaced = ''
  for (const [sign] of run.matchAll(SIGNS)) {
    if (!UNSPACED.test(sign)) {
      spaced += sign
      continue
    }
    if (spaced !== '') words.push(spaced)
    spaced = ''
    words.push(sign)
  }
  if (spaced !== '') words.push(spaced)
  return words
}

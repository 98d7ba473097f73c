import { wordsOf } from '../items/words.ts'

// Two people in one name: “Hans & Greta Meier”.
const JOINT = /[&+/]| (?:and|und|et|och|og|en|и) /
// Names whose family name comes first, mostly written without a space.
const FAMILY_FIRST = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const SPACES = /\s+/g
const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Han}/u,
  /\p{Script=Hiragana}/u,
  /\p{Script=Katakana}/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Devanagari}/u,
]
/** Short forms that do not begin as the name does. */
const SHORT_NAMES: readonly string[] = [
  'robert bob bobby',
  'william bill billy',
  'richard dick rick',
  'margaret peggy meg maggie',
  'elizabeth liz beth betty lisa',
  'james jim jimmy',
  'john jack johnny',
  'anthony antonio tony toni',
  'katherine catherine kate katie kathy',
  'edward ted ned eddie',
  'henry harry hank',
  'charles chuck charlie',
  'alexander alexandra sasha sascha xander',
  'johannes johann hans hannes',
  'josef joseph sepp joe',
  'jose pepe',
  'francisco paco pancho',
  'vladimir vova',
  'mikhail michail misha mischa',
  'ivan vanya',
  'giuseppe beppe pino',
]
// What one letter becomes where names are written in Latin letters: Müller and Mueller, Sergei and Sergey, Ivanov and Iwanow.
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/ae/g, 'a'],
  [/oe/g, 'o'],
  [/ue/g, 'u'],
  [/tsch|sch|sh|zh|ch|cz/g, 's'],
  [/kh/g, 'h'],
  [/ph/g, 'f'],
  [/[ck]/g, 'k'],
  [/[wv]/g, 'v'],
  [/[yji]+/g, 'i'],
  [/(.)\1+/g, '$1'],
]

const GROUP_OF = new Map(SHORT_NAMES.flatMap((group, i) => group.split(' ').map((name) => [spelled(name), i])))

/**
 * Whether two folded names cannot be those of one person: names in one script of which neither is a form of the other. A form is another
 * order, an initial, a short form, a name left out, another spelling, or another family name after the same first name. Another script
 * may be a transliteration, and tells nothing.
 */
export function namesContradict(one: string, other: string): boolean {
  if (one === other || scriptsOf(one) !== scriptsOf(other)) return false
  if (FAMILY_FIRST.test(one)) return !isPartOf(one.replaceAll(SPACES, ''), other.replaceAll(SPACES, ''))
  const [a, b] = [wordsOf(inOrder(one)), wordsOf(inOrder(other))]
  if (a.length === 0 || b.length === 0 || a.join('') === b.join('')) return false
  if (JOINT.test(one) || JOINT.test(other)) return true
  const [shorter, longer] = (a.length <= b.length ? [a, b] : [b, a]).map((words) => words.map(spelled))
  return !isSameFirst(shorter!, longer!) && !isFormOf(shorter!, longer!)
}

/** “Lee, Ann” as “Ann Lee”. */
function inOrder(name: string): string {
  const [last = '', ...first] = name.split(',')
  return [...first, last].join(' ')
}

function scriptsOf(name: string): string {
  return SCRIPTS.map((script) => Number(script.test(name))).join('')
}

function isPartOf(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one)
}

function spelled(word: string): string {
  return SPELLINGS.reduce((text, [from, to]) => text.replaceAll(from, to), word)
}

function isSameFirst([one]: readonly string[], [other]: readonly string[]): boolean {
  return one === other && one !== undefined && one.length > 1
}

/** Whether each word of the shorter name is a word of the longer one, or a short form. An initial counts as the first word of several. */
function isFormOf(shorter: readonly string[], longer: readonly string[]): boolean {
  const left = [...longer]
  return shorter.every((word, i) => {
    const at = left.findIndex((each, j) => {
      if (each === '') return false
      const [short, whole] = each.length < word.length ? [each, word] : [word, each]
      if (short.length === 1) return i === 0 && j === 0 && shorter.length > 1 && whole.startsWith(short)
      return whole.startsWith(short) || (GROUP_OF.has(short) && GROUP_OF.get(short) === GROUP_OF.get(whole))
    })
    if (at >= 0) left[at] = ''
    return at >= 0
  })
}

/** Limit: letters of a word of a name that is looked for in a handle; a shorter one is in many. */
const MIN_WORD_OF_HANDLE = 3

/** Whether a handle belongs to somebody else than the name: it contains neither the first name, nor its initial and another word. */
export function handleContradicts(handle: string, name: string): boolean {
  if (scriptsOf(handle) !== scriptsOf(name)) return false
  if (JOINT.test(name)) return true
  const letters = spelled(wordsOf(handle).join(''))
  const [first = '', ...others] = wordsOf(inOrder(name))
  if ([first, ...others].some((word) => spelled(word) === letters)) return false
  const has = (word: string) => word.length >= MIN_WORD_OF_HANDLE && letters.includes(spelled(word))
  return !has(first) && !(letters.startsWith(spelled(first).slice(0, 1)) && others.some(has))
}

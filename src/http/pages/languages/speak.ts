import { type Html, html } from '../html.ts'
import { directionOf, type Language } from './languages.ts'
import type { Area, Given, Plural, Texts } from './texts.ts'

/** Writes the texts of an area in one language. */
export interface Speaker<T extends Texts> {
  language: Language
  direction: 'ltr' | 'rtl'
  /** For the body of a page. Values are isolated, so that a Latin name keeps its place in a right-to-left sentence. */
  say: <Key extends keyof T & string>(key: Key, ...values: Given<T[Key]>) => Html
  /** For titles, labels and attributes, which take no elements. */
  plain: <Key extends keyof T & string>(key: Key, ...values: Given<T[Key]>) => string
  number: (value: number) => string
  /** A day, for example 5 March 2026. */
  date: (ms: number) => string
  /** A time of day in UTC: the time zone of the person is unknown without scripts. */
  time: (ms: number) => string
  list: (values: readonly string[]) => string
}

// First strong isolate and its end: they do in plain text what `bdi` does in HTML.
const ISOLATE = '\u2068'
const END_OF_ISOLATE = '\u2069'

const VALUE = /\{(\w+)\}/
/** A letter of a script that runs from left to right. */
const LEFT_TO_RIGHT_LETTERS = /\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Han}/u
const RIGHT_TO_LEFT_LETTERS = /[\u0590-\u08ff\ufb1d-\ufefc]/

export function speaker<const T extends Texts>(area: Area<T>, language: Language): Speaker<T> {
  const texts: Texts = area[language]
  const { plurals, numbers, dates, times, lists } = formatsOf(language)
  const partsOf = (key: string, values: Record<string, string | number> | undefined) => {
    const text = texts[key] ?? ''
    const count = values?.['count']
    const form = typeof text === 'string' ? text : formOf(text, plurals, typeof count === 'number' ? count : 0)
    // Every second part is the name of a value.
    return form.split(VALUE).map((part, i) => {
      if (i % 2 === 0) return { text: part, isValue: false }
      const value = values?.[part] ?? ''
      return { text: typeof value === 'number' ? numbers.format(value) : value, isValue: true }
    })
  }
  const mayReorder = (value: string) => directionOf(language) === 'rtl' || RIGHT_TO_LEFT_LETTERS.test(value)
  const runsAgainst = (value: string) =>
    (directionOf(language) === 'rtl' ? LEFT_TO_RIGHT_LETTERS : RIGHT_TO_LEFT_LETTERS).test(value)
  return {
    language,
    direction: directionOf(language),
    say: (key, ...[values]) =>
      html`${partsOf(key, values).map(({ text, isValue }) => (isValue && mayReorder(text) ? html`<bdi>${text}</bdi>` : text))}`,
    plain: (key, ...[values]) =>
      partsOf(key, values)
        .map(({ text, isValue }) => (isValue && mayReorder(text) ? isolate(text) : text))
        .join(''),
    number: (value) => numbers.format(value),
    date: (ms) => dates.format(ms),
    time: (ms) => `${times.format(ms)} UTC`,
    // Each by itself: in a list as a whole, the first name would decide on the direction of all.
    list: (values) => lists.format(values.map((value) => (runsAgainst(value) ? isolate(value) : value))),
  }
}

function isolate(text: string): string {
  return `${ISOLATE}${text}${END_OF_ISOLATE}`
}

function formOf(text: Plural, plurals: Intl.PluralRules, count: number): string {
  return text[plurals.select(count)] ?? text.other
}

interface Formats {
  plurals: Intl.PluralRules
  numbers: Intl.NumberFormat
  dates: Intl.DateTimeFormat
  times: Intl.DateTimeFormat
  lists: Intl.ListFormat
}

// They are slow to make, and there are seven languages.
const formats = new Map<Language, Formats>()

function formatsOf(language: Language): Formats {
  const made = formats.get(language) ?? makeFormats(language)
  formats.set(language, made)
  return made
}

function makeFormats(language: Language): Formats {
  return {
    plurals: new Intl.PluralRules(language),
    numbers: new Intl.NumberFormat(language),
    dates: new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }),
    times: new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' }),
    lists: new Intl.ListFormat(language, { type: 'conjunction' }),
  }
}

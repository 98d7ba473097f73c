/** The languages of the pages that people see. The first is used if nothing else fits. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ja', 'ar'] as const

export type Language = (typeof LANGUAGES)[number]

const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set<Language>(['ar'])

/** Limit: languages that are read of an `Accept-Language` header; browsers send about five. */
const MAX_ACCEPTED = 20
/** Limit: characters that are read of an `Accept-Language` header. */
const MAX_HEADER_CHARS = 500

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr'
}

/** The language of a tag such as `pt-BR` or `de_AT`; undefined if there are no texts in it. */
export function languageOf(tag: string | undefined): Language | undefined {
  const primary = tag?.trim().split(/[-_]/, 1)[0]?.toLowerCase()
  return LANGUAGES.find((language) => language === primary)
}

/** The language of a page: what the app asks for, then what the browser prefers, then English. */
export function chooseLanguage(locale: string | undefined, acceptLanguage: string | undefined): Language {
  return languageOf(locale) ?? preferredOf(acceptLanguage ?? '') ?? LANGUAGES[0]
}

function preferredOf(header: string): Language | undefined {
  const accepted = header.slice(0, MAX_HEADER_CHARS).split(',', MAX_ACCEPTED).map(readAccepted)
  // The sort is stable: of equal weights the first one counts.
  return accepted.toSorted((one, other) => other.weight - one.weight).find(isSupported)?.language
}

function readAccepted(part: string): { language: Language | undefined; weight: number } {
  const [tag, ...parameters] = part.split(';')
  const weight = parameters.map((each) => each.trim()).find((each) => each.startsWith('q='))
  return { language: languageOf(tag), weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
}

function isSupported({ language, weight }: { language: Language | undefined; weight: number }): boolean {
  return language !== undefined && weight > 0
}

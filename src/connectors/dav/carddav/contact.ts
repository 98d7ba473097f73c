import { type ContentLine, contentLines, partsOf, unescaped } from '#kit/ical/content-lines.ts'

/** A value with its types, such as `home`; preferred ones come first. */
export interface Typed {
  value: string
  types?: string[]
}

/** What a vCard says about a person, in a form that does not depend on its version. */
export interface Contact {
  uid?: string
  /** `individual`, `group`, `org` or `location`. */
  kind?: string
  name?: string
  given?: string
  family?: string
  nickname?: string
  organization?: string
  job?: string
  emails?: Typed[]
  phones?: Typed[]
  urls?: Typed[]
  /** On one line each. */
  addresses?: Typed[]
  /** `1985-04-12`, `--04-12` without a year, or as the vCard says it. */
  birthday?: string
  /** Only an address: a picture inside the vCard stays there. */
  photo?: string
  note?: string
  categories?: string[]
  /** When it was changed, as the vCard says it. */
  revised?: string
}

/** Limit: values of one kind (addresses, numbers) that are read from a vCard; further ones are ignored. */
const MAX_VALUES = 50

/** Reads vCard 3.0 (RFC 2426) and 4.0 (RFC 6350). Whatever is unknown or malformed is left out. */
export function readContact(vcard: string): Contact {
  const lines = firstCard(contentLines(vcard))
  const all = (name: string) => lines.filter((line) => line.name === name)
  const first = (name: string) => byPreference(all(name))[0]?.value
  const text = (name: string) => nonEmpty(unescaped(first(name) ?? ''))
  const [family = '', given = '', middle = ''] = partsOf(first('N') ?? '', ';')
  return withoutUndefined({
    uid: text('UID'),
    kind: (text('KIND') ?? text('X-ADDRESSBOOKSERVER-KIND') ?? 'individual').toLowerCase(),
    name: text('FN') ?? nonEmpty([given, middle, family].filter(Boolean).join(' ')),
    given: nonEmpty(given),
    family: nonEmpty(family),
    nickname: nonEmpty(partsOf(first('NICKNAME') ?? '', ',')[0] ?? ''),
    organization: nonEmpty(
      partsOf(first('ORG') ?? '', ';')
        .filter(Boolean)
        .join(', '),
    ),
    job: text('TITLE'),
    emails: typedValues(all('EMAIL'), (value) => unescaped(value).replace(/^mailto:/i, '')),
    phones: typedValues(all('TEL'), (value) => unescaped(value).replace(/^tel:/i, '')),
    urls: typedValues(all('URL'), unescaped).filter(({ value }) => isWebAddress(value)),
    addresses: typedValues(all('ADR'), (value) => partsOf(value, ';').map(oneLine).filter(Boolean).join(', ')),
    birthday: birthdayOf(text('BDAY')),
    photo: webAddress(text('PHOTO')),
    note: text('NOTE'),
    categories: all('CATEGORIES')
      .slice(0, MAX_VALUES)
      .flatMap(({ value }) => partsOf(value, ',').map((one) => one.trim()))
      .filter(Boolean)
      .slice(0, MAX_VALUES),
    revised: text('REV'),
  })
}

/** A file may have several; a resource has one. */
function firstCard(lines: ContentLine[]): ContentLine[] {
  const end = lines.findIndex(({ name, value }) => name === 'END' && value.trim().toUpperCase() === 'VCARD')
  return end < 0 ? lines : lines.slice(0, end)
}

function typedValues(lines: ContentLine[], read: (value: string) => string): Typed[] {
  return byPreference(lines)
    .slice(0, MAX_VALUES)
    .map((line) => {
      const types = typesOf(line).filter((type) => type !== 'pref' && type !== 'internet')
      return { value: read(line.value).trim(), ...(types.length === 0 ? {} : { types }) }
    })
    .filter(({ value }) => value !== '')
}

function byPreference(lines: ContentLine[]): ContentLine[] {
  return lines.length < 2 ? lines : lines.toSorted((a, b) => preferenceOf(a) - preferenceOf(b))
}

/** Version 4 has numbers, 1 first; version 3 a type. */
function preferenceOf(line: ContentLine): number {
  const number = Number(line.parameters['PREF']?.[0])
  if (number >= 1 && number <= 100) return number
  return typesOf(line).includes('pref') ? 1 : 101
}

const typesOf = ({ parameters }: ContentLine): string[] =>
  (parameters['TYPE'] ?? []).flatMap((text) => text.toLowerCase().split(',')).slice(0, MAX_VALUES)

function birthdayOf(text: string | undefined): string | undefined {
  const [, year, month, day] = /^(\d{4}|--)-?(\d{2})-?(\d{2})(?:$|T)/.exec(text ?? '') ?? []
  return year === undefined ? text : `${year === '--' ? '-' : year}-${month}-${day}`
}

const oneLine = (text: string): string => text.replaceAll(/[\r\n]/g, ' ').trim()
const nonEmpty = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim())
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
const webAddress = (text: string | undefined): string | undefined =>
  text !== undefined && isWebAddress(text) ? text : undefined

const withoutUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

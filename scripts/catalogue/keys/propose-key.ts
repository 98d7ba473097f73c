import type { Category } from '../../../src/kit/connector/catalogue-words.ts'
import type { Entry } from '../../../src/kit/entry/entry-schema.ts'
import { domainOf } from '../domain.ts'
import { defined } from '../facts.ts'
import type { Choices } from '../propose.ts'
import { isAuthorization, type KeyFacts, type KeyPlace, labelOf, letters } from './key-facts.ts'

/** Lists of how to check a key that was found. They have services that have ended, so one of them alone is not enough. */
const CHECKS = new Set(['kingfisher', 'nuclei'])

export interface KeyProposal {
  service: string
  entry: Entry
  differences: string[]
}

/** An entry from what several sources say about the API of one host; a sentence where none can be made. */
export function proposeKey(
  service: string,
  all: readonly KeyFacts[],
  choices: Choices,
  checked: string,
): KeyProposal | string {
  const clear = all.filter(({ place }) => place !== 'unclear')
  if (clear.length === 0) return 'no source says how the key is written'
  const [lead] = clear.toSorted((a, b) => rankOf(b, all) - rankOf(a, all))
  const agreeing = agreeingWith(lead!, all)
  const proof = agreeing.flatMap((each) => proofsBelow(lead!.base, each))[0]
  if (proof === undefined) return 'no source has a call that proves a key'
  if (agreeing.every(({ source }) => CHECKS.has(source)) && !isAgreed(agreeing))
    return 'only one list of key checks names it'
  const category =
    (Object.keys(choices.categories) as Category[]).find((each) => choices.categories[each].includes(service)) ??
    all.map((each) => each.category).find((each) => each !== undefined)
  if (category === undefined) return 'nobody chose a category for a key'
  const entry = {
    title: choices.titles[service] ?? titleOf(all),
    docs: choices.docs[service] ?? docsOf(all) ?? `https://${domainOf(lead!.base)}`,
    checked,
    certainty: isAgreed(agreeing) ? 'agreed' : 'declared',
    sources: sourcesOf(agreeing),
    category,
    auth: lead!.place === 'basic' ? { basic: {} } : { key: { place: lead!.place } },
    api: { base: lead!.base },
    self: { from: 'key', proof },
  } as Entry
  const differences = all
    .filter((each) => !agreeing.includes(each))
    .map(({ source, base, place }) => `${source}: ${base} ${JSON.stringify(place)}`)
  return { service, entry, differences: [...new Set(differences)] }
}

/** Those that say the same as one of them. */
export function agreeingWith(lead: Pick<KeyFacts, 'base' | 'place'>, all: readonly KeyFacts[]): KeyFacts[] {
  return all
    .filter(({ base, place }) => isNested(base, lead.base) && isSamePlace(place, lead.place))
    .toSorted((a, b) => Number(b.base === lead.base) - Number(a.base === lead.base))
}

/** Two lists, or what the vendor publishes itself. */
export const isAgreed = (agreeing: readonly KeyFacts[]): boolean =>
  new Set(agreeing.map(({ source }) => source)).size > 1 || agreeing.some(({ isVendors }) => isVendors)

/** The names of the lists; what the vendor publishes itself is marked so. */
export const sourcesOf = (agreeing: readonly KeyFacts[]): string[] =>
  [...new Set(agreeing.map(({ source, isVendors }) => (isVendors ? `${source}:vendor` : source)))].sort()

/** Below one address, or one below the other: the complete addresses of calls are the same. */
const isNested = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)

function isSamePlace(a: KeyPlace, b: KeyPlace): boolean {
  if (a === 'unclear' || b === 'unclear') return isAuthorization(a) && isAuthorization(b)
  return JSON.stringify(a).toLowerCase() === JSON.stringify(b).toLowerCase()
}

/** The vendor's own first, then what most agree with, then what proves a key. */
function rankOf(facts: KeyFacts, all: readonly KeyFacts[]): number {
  const agreeing = agreeingWith(facts, all)
  const canProve = agreeing.some((each) => proofsBelow(facts.base, each).length > 0)
  return (
    (canProve ? 1000 : 0) +
    (isAgreed(agreeing) ? 500 : 0) +
    (facts.isVendors ? 100 : 0) +
    new Set(agreeing.map(({ source }) => source)).size * 10 +
    (facts.source === 'activepieces' ? 5 : 0) -
    new URL(facts.base).pathname.length / 1000
  )
}

function proofsBelow(base: string, { base: own, proofs }: KeyFacts): string[] {
  return proofs.flatMap((path) => {
    const address = own + path
    return address.startsWith(`${base}/`) ? [address.slice(base.length)] : []
  })
}

/** A title that says what the domain says; a document's title is often a sentence. */
function titleOf(all: readonly KeyFacts[]): string {
  const label = labelOf(all[0]!.base)
  const cleaned = all.flatMap(({ source, title }) =>
    title === undefined
      ? []
      : [
          {
            source,
            text: title
              .replace(/\s*[-–:(|].*$/, '')
              .replace(
                /\b(?:The|REST|Public|Open|HTTP|Web|Partner|External|Developer|Core|Main|OpenAPI|Swagger|Documentation|Docs?|Specification|Spec|Reference|v\d[\d.]*|V\d[\d.]*)\b\s*/g,
                '',
              )
              .replace(/\s*\bAPIs?\b.*$/i, '')
              .trim(),
          },
        ],
  )
  const named = cleaned.find(({ source, text }) => source === 'activepieces' && text !== '')
  const like = cleaned.find(({ text }) => text.length < 30 && letters(text).includes(letters(label)))
  return named?.text ?? like?.text ?? label[0]!.toUpperCase() + label.slice(1)
}

function docsOf(all: readonly KeyFacts[]): string | undefined {
  const domain = domainOf(all[0]!.base)
  return all
    .map(({ docs }) => docs?.trim().replace(/^http:/, 'https:'))
    .find(
      (docs) =>
        docs !== undefined &&
        /^https:\/\/[^\s]+\.[^\s]+$/.test(docs) &&
        URL.canParse(docs) &&
        labelOf(docs) === domain.split('.')[0],
    )
}

/**
 * The name of the service behind a host: of the list that names services, or what the domain says; with the labels before it where the company
 * has several hosts.
 */
export function nameOfHost(all: readonly KeyFacts[], isOnlyHost: boolean): string {
  const named = all.find(({ source }) => source === 'activepieces')
  const { hostname } = new URL(all[0]!.base)
  const before = hostname
    .slice(0, -domainOf(all[0]!.base).length)
    .split('.')
    .filter(
      (each) =>
        !/^(?:|www|v\d+|rest|public|app|openapi|(?:public|open|rest|web)?-?api(?:s|-v?\d+|\d+)?|gateway|eu|us)$/.test(
          each,
        ),
    )
  const name = named?.name ?? [labelOf(all[0]!.base), ...(isOnlyHost ? [] : before)].join('-')
  const kebab = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return /^\d/.test(kebab) ? `s${kebab}` : kebab
}

/** Fills in what is not undefined; entries by hand get the certainty that sources give them. */
export function withSources(entry: Entry, all: readonly KeyFacts[]): Entry {
  const place = placeOfEntry(entry)
  if (place === undefined) return entry
  const agreeing = agreeingWith({ base: entry.api.base, place }, all)
  const added = sourcesOf(agreeing)
  if (added.length === 0) return entry
  return defined({
    ...entry,
    certainty: isAgreed(agreeing) ? 'agreed' : entry.certainty,
    sources: [...new Set([...entry.sources, ...added])].sort(),
  })
}

function placeOfEntry({ auth, api }: Entry): KeyPlace | undefined {
  if (!api.base.startsWith('https://') || api.base.includes('{')) return undefined
  return 'key' in auth ? (auth.key.place as KeyPlace) : 'basic' in auth ? 'basic' : undefined
}

import type { Known } from './known-item.ts'

const DAY_MS = 24 * 60 * 60_000
const PICTURES = ['photo', 'video', 'photos_feed', 'videos_feed']

/** The items that are no copy of an earlier one of the same list. */
export function withoutCopies(found: readonly Known[]): Known[] {
  const inOrder = found.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const earlier = new Map<string, Known[]>()
  const copies = new Set<string>()
  for (const item of inOrder) {
    if (namesOf(item).some((name) => earlier.get(name)?.some((one) => isCopy(item, one)))) copies.add(item.id)
    for (const key of keysOf(item)) earlier.set(key, [...(earlier.get(key) ?? []), item])
  }
  return found.filter(({ id }) => !copies.has(id))
}

const keysOf = ({ guid = '' }: Known): string[] => guid.split(' ').filter((key) => key !== '')
const textOf = (item: Known) => keysOf(item).find((key) => key.startsWith('text:'))
const isId = (key: string) => !/^(text|link|of):/.test(key)

/** What an original of an item must have one of: its text, ids and pictures, and the one page or record that it links to. */
function namesOf(item: Known): string[] {
  return [...keysOf(item).filter((key) => isId(key) || key.startsWith('text:')), ...linkedBy(item)]
}

function linkedBy(item: Known): string[] {
  const [pages, records] = ['link:', 'of:'].map((kind) => keysOf(item).filter((key) => key.startsWith(kind)))
  if (pages!.length > 1 || records!.length > 1) return []
  return [
    ...pages!.map((key) => `page:${key.slice('link:'.length)}`),
    ...records!.map((key) => key.slice('of:'.length)),
  ]
}

function isCopy(item: Known, original: Known): boolean {
  const shared = keysOf(item).filter((key) => keysOf(original).includes(key))
  const [text, other] = [textOf(item), textOf(original)]
  const haveOtherTexts = text !== undefined && other !== undefined && text !== other
  if (shared.some((key) => isId(key) && !(key.startsWith('file:') && haveOtherTexts))) return true
  const isSameUser = item.author === original.author && item.service === original.service
  const isBySamePerson = isSameUser || (item.author === item.owner && original.author === original.owner)
  if (item.author === undefined || original.author === undefined) return false
  if (!isBySamePerson || item.at - original.at > DAY_MS) return false
  if (linkedBy(item).some((name) => keysOf(original).includes(name))) return true
  const isAlbum = isSameUser && [item, original].every(mayShowPicture)
  return text !== undefined && text === other && !isAlbum
}

/** What the person made has no type in a feed. */
const mayShowPicture = ({ types }: Known) =>
  Object.keys(types).length === 0 || PICTURES.some((type) => types[type] === true)

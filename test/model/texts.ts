import type { Known } from './known-item.ts'
import { wordsOf } from './words.ts'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** The words of what `q` searches: by type, contacts name, handle and e-mail; statuses text; news title and address; … */
export function textsOf(item: Omit<Known, 'texts'>): string[][] {
  const texts = item.service === 'self' ? ownTexts(item) : mappedTexts(item)
  return texts.filter((one) => one !== undefined).map(wordsOf)
}

/** From the record as the app sent it. */
function ownTexts({ data, types }: Omit<Known, 'texts'>): (string | undefined)[] {
  const field = (name: string) => text(data[name])
  const title = field('title') ?? field('name')
  if (types['contact']) return [field('name') ?? field('title'), field('handle') ?? field('nickname'), field('email')]
  if (types['status']) return [field('text')]
  if (types['news']) return [title, field('url')]
  if (types['photo']) return [title, field('description')]
  return [title, field('text')]
}

function mappedTexts({ map, types, cards, oembed = {} }: Omit<Known, 'texts'>): (string | undefined)[] {
  const cardOf = (type: string) => cards.get(type) ?? cards.get(`${type}_feed`) ?? oembed
  const found: (string | undefined)[] = []
  if (types['contact']) found.push(text(map['name']), text(map['nickname']), text(map['email']))
  if (types['status']) found.push(text(map['text']))
  if (types['news']) found.push(text(cardOf('news')['title']), text(cardOf('news')['url']))
  if (types['photo']) found.push(text(cardOf('photos')['title']), text(cardOf('photos')['description']))
  const others = Object.keys(types).filter(
    (type) => !['contact', 'status', 'news', 'photo'].includes(type) && !type.endsWith('_feed'),
  )
  for (const type of others) found.push(text(cardOf(PLURAL[type] ?? `${type}s`)['title']), text(map['text']))
  if (Object.keys(types).length > 0) return found
  // What the person made and a feed lists has no type there; it is searched as what its card says that it is.
  const ofCard =
    oembed['type'] === 'photo' ? oembed['description'] : oembed['type'] === 'link' ? oembed['url'] : undefined
  return [text(oembed['title']), text(map['text']), text(ofCard)]
}

const PLURAL: Record<string, string> = { activity: 'activities' }

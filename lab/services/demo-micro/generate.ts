import type { Random } from '../../base/random.ts'
import { type Acquaintance, places, sentences } from '../../data/vocabulary.ts'

interface GenerateInput {
  author: Acquaintance
  allPeople: readonly Acquaintance[]
  random: Random
  createdAtMs: number
  idAt: (ms: number) => string
}

/** The stored form of a status, from which the API's JSON is rendered. */
export interface StatusFields extends Record<string, unknown> {
  text: string
  urls: { url: string; expanded: string; display: string }[]
  mentions: Acquaintance[]
  hashtags: string[]
  coordinates?: [lng: number, lat: number]
  placeName?: string
  /** The name of a picture of this service. */
  photo?: string
  replyTo?: { id: string; author: Acquaintance }
  reshareOf?: { id: string; author: Acquaintance; text: string; createdAtMs: number }
  likes: number
  reshares: number
  source: string
}

export const blankStatus = (text: string): StatusFields => ({
  text,
  urls: [],
  mentions: [],
  hashtags: [...text.matchAll(/#(\p{L}+)/gu)].map(([, tag = '']) => tag),
  likes: 0,
  reshares: 0,
  source: 'An app',
})

export function statusFields({ author, allPeople, random, createdAtMs, idAt }: GenerateInput): StatusFields {
  const others = allPeople.filter((one) => one.id !== author.id)
  const mentions = random.chance(0.25) ? random.some(others, random.int(1, 2)) : []
  const code = random.int(100_000, 999_999).toString(36)
  const urls = random.chance(0.3)
    ? [
        {
          url: `https://dm.test/${code}`,
          expanded: `https://reading.test/article/${code}?a=1&b=2`,
          display: `reading.test/article/${code}`,
        },
      ]
    : []
  const tags = random.chance(0.3) ? [random.pick(['bread', 'running', 'Straße', '東京', 'doors'])] : []
  const text = [
    ...mentions.map((one) => `@${one.username}`),
    random.pick(sentences),
    ...tags.map((tag) => `#${tag}`),
    ...urls.map(({ url }) => url),
  ].join(' ')
  const fields: StatusFields = {
    ...blankStatus(text),
    urls,
    mentions,
    hashtags: tags,
    likes: random.int(0, 40),
    reshares: random.int(0, 9),
    source: random.pick(['Web', 'Phone', 'A kettle']),
  }
  if (random.chance(0.2)) {
    const place = random.pick(places)
    fields.coordinates = [place.lng, place.lat]
    fields.placeName = `${place.name}, ${place.city}`
  }
  if (random.chance(0.12)) fields.photo = `1080x1080-${Number.parseInt(code, 36) % 360}.svg`
  const other = random.pick(others)
  const earlier = createdAtMs - random.int(60, 86_400) * 1000
  if (random.chance(0.1))
    fields.reshareOf = { id: idAt(earlier), author: other, text: random.pick(sentences), createdAtMs: earlier }
  else if (random.chance(0.15)) fields.replyTo = { id: idAt(earlier), author: other }
  return fields
}

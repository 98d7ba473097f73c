import type { Random } from '../../base/random.ts'
import { type Acquaintance, comments, places, sentences, titles } from '../../data/vocabulary.ts'

interface GenerateInput {
  id: string
  author: Acquaintance
  circle: readonly Acquaintance[]
  random: Random
  createdAtMs: number
  nowMs: number
  url: () => string
}

type Fields = Record<string, unknown>

export function postFields(input: GenerateInput): Fields {
  const { random, circle } = input
  const type = random.pick(['status', 'status', 'status', 'link', 'checkin'] as const)
  const mentioned = random.chance(0.2) ? random.some(circle, random.int(1, 3)) : []
  const text = [random.pick(sentences), ...mentioned.map((one) => `@${one.username}`)].join(' ')
  return {
    type,
    // A check-in may have no text.
    text: type === 'checkin' && random.chance(0.3) ? '' : text,
    language: random.chance(0.8) ? 'en' : null,
    visibility: random.pick(['public', 'friends', 'friends']),
    ...(mentioned.length > 0 ? { mentions: mentioned.map(shortPerson) } : {}),
    ...(type === 'link' ? { link: linkFields(random) } : {}),
    ...(type === 'checkin' || random.chance(0.1) ? { place: random.pick(places) } : {}),
    ...reactions(input),
  }
}

export function photoFields(input: GenerateInput): Fields {
  const { random, circle } = input
  const [width, height] = random.pick([
    [1600, 1200],
    [1200, 1600],
    [1080, 1080],
  ] as const)
  const tagged = random.chance(0.3) ? random.some(circle, random.int(1, 4)) : []
  return {
    caption: random.chance(0.2) ? null : random.pick(sentences),
    album: random.pick(['Phone', 'Summer', 'Doors', null]),
    width,
    height,
    hue: random.int(0, 359),
    ...(random.chance(0.4) ? { place: random.pick(places) } : {}),
    tagged: tagged.map(shortPerson),
    ...reactions(input),
  }
}

export const shortPerson = ({ id, username, name }: Acquaintance) => ({ id, username, name })

function reactions({ random, circle, createdAtMs, nowMs, id }: GenerateInput): Fields {
  const likers = random.some(circle, random.int(0, 9))
  const talkers = random.chance(0.4) ? random.some(circle, random.int(1, 5)) : []
  return {
    likes: { count: likers.length, people: likers.map(shortPerson) },
    comments: {
      count: talkers.length,
      data: talkers.map((author, at) => ({
        id: `${id}_${at + 1}`,
        author: shortPerson(author),
        text: random.pick(comments),
        created_at: new Date(Math.min(nowMs, createdAtMs + (at + 1) * 600_000)).toISOString(),
      })),
    },
  }
}

function linkFields(random: Random): Fields {
  const title = random.pick(titles)
  const slug = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  return {
    url: `https://reading.test/${slug}?ref=${random.int(1, 99)}&utm_source=demo%20social`,
    title,
    description: `${title}: a long read for a short evening.`,
  }
}

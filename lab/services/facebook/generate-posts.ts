import type { Random } from '../../base/random.ts'
import type { CrossPost } from '../../data/cross-posts.ts'
import { type Acquaintance, comments, type Place, places, sentences, titles } from '../../data/vocabulary.ts'

export interface CommentFields {
  id: string
  from: Acquaintance
  message: string
  atMs: number
  likeCount: number
}

export interface Reactions extends Record<string, unknown> {
  likers: Acquaintance[]
  comments: CommentFields[]
}

/** A post on a person's timeline, by that person or another one. */
export interface PostFields extends Reactions {
  from: Acquaintance
  /** The owner of the timeline, if not the author. */
  to?: Acquaintance
  message?: string
  story?: string
  statusType: string
  link?: ReturnType<typeof linkFields>
  /** Ids of the person's photos that are shown as attachments. */
  photoIds: string[]
  place?: Place
  tagged: Acquaintance[]
  privacy: 'EVERYONE' | 'ALL_FRIENDS' | 'SELF'
  shares: number
  /** The app that created the post; absent for posts made at Facebook itself. */
  application?: { id: string; name: string }
}

interface GenerateInput {
  id: string
  owner: Acquaintance
  circle: readonly Acquaintance[]
  random: Random
  createdAtMs: number
  nowMs: number
  photoIds: readonly string[]
}

export const blankPost = (from: Acquaintance): PostFields => ({
  from,
  statusType: 'mobile_status_update',
  photoIds: [],
  tagged: [],
  privacy: 'ALL_FRIENDS',
  shares: 0,
  likers: [],
  comments: [],
})

export function postFields(input: GenerateInput): PostFields {
  const { random, circle, owner } = input
  const isWallPost = random.chance(0.12)
  const from = isWallPost ? random.pick(circle) : owner
  const kind = isWallPost ? 'status' : random.pick(['status', 'status', 'status', 'link', 'photo', 'place'] as const)
  const tagged = random.chance(0.15) ? random.some(circle, random.int(1, 2)) : []
  const words = [random.pick(sentences), ...tagged.map(({ name }) => name)].join(' ')
  const fields: PostFields = {
    ...blankPost(from),
    ...(isWallPost ? { to: owner } : {}),
    statusType: {
      status: 'mobile_status_update',
      link: 'shared_story',
      photo: 'added_photos',
      place: 'mobile_status_update',
    }[kind],
    tagged,
    privacy: random.pick(['EVERYONE', 'ALL_FRIENDS', 'ALL_FRIENDS', 'SELF'] as const),
    shares: random.chance(0.2) ? random.int(1, 12) : 0,
    ...reactionsOf(input),
  }
  // A post with a photo, a place or a life event may have no message, only Facebook's generated story.
  if (kind === 'status' || random.chance(0.7)) fields.message = words
  if (kind === 'link') fields.link = linkFields(random)
  if (kind === 'photo') {
    fields.photoIds = random.some(input.photoIds, random.int(1, 4))
    fields.story = `${from.name} added ${fields.photoIds.length === 1 ? 'a new photo' : `${fields.photoIds.length} new photos`}.`
  }
  if (kind === 'place' || random.chance(0.06)) {
    fields.place = random.pick(places)
    fields.story = `${from.name} is at ${fields.place.name}.`
  }
  return fields
}

export function crossPostFields(input: GenerateInput, cross: CrossPost): PostFields {
  const isPhoto = cross.origin === 'instagram'
  return {
    ...blankPost(input.owner),
    statusType: 'shared_story',
    message: isPhoto ? cross.text : `I'm at ${cross.place.name} in ${cross.place.city} ${cross.url}`,
    link: {
      url: cross.url,
      title: isPhoto ? `${input.owner.name} on Instagram` : cross.place.name,
      description: isPhoto ? cross.text : `${cross.place.name}, ${cross.place.city}`,
    },
    ...(isPhoto ? {} : { place: cross.place }),
    application: isPhoto ? { id: '124024574287414', name: 'Instagram' } : { id: '86734274142', name: 'Swarm' },
    ...reactionsOf(input),
  }
}

export function reactionsOf({ random, circle, createdAtMs, nowMs, id }: GenerateInput): Reactions {
  const talkers = random.chance(0.45) ? random.some(circle, random.int(1, 6)) : []
  return {
    likers: random.some(circle, random.int(0, 14)),
    comments: talkers.map((from, at) => ({
      id: `${id.split('_').at(-1)}_${1_000_000 + at * 371}`,
      from,
      message: random.pick(comments),
      atMs: Math.min(nowMs, createdAtMs + (at + 1) * 540_000),
      likeCount: random.int(0, 3),
    })),
  }
}

function linkFields(random: Random) {
  const title = random.pick(titles)
  const slug = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  return {
    url: `https://reading.test/${slug}?ref=${random.int(1, 99)}&fbclid=IwAR${random.int(1000, 9999)}`,
    title,
    description: `${title}: a long read for a short evening.`,
  }
}

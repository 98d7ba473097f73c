import type { Random } from '../../base/random.ts'
import type { CrossPost } from '../../data/cross-posts.ts'
import { places, sentences } from '../../data/vocabulary.ts'
import { gistId } from '../github/ids.ts'
import { placeId, shortLink } from './ids.ts'
import { blankPost, type Link, type PostFields, type XMedia, type XUser } from './model.ts'

interface GenerateInput {
  author: XUser
  others: readonly XUser[]
  /** The people whom the author mentions most often. */
  friends: readonly XUser[]
  random: Random
  /** Older posts of other people, for replies, quotes and reposts. */
  older: readonly { id: string; fields: PostFields }[]
  mediaId: () => string
}

export function postFields({ author, others, friends, random, older, mediaId }: GenerateInput): PostFields {
  const earlier = older.length > 0 ? random.pick(older) : undefined
  if (earlier && random.chance(0.12)) return repost(author, earlier, others)
  const replyTo = earlier && random.chance(0.18) ? earlier : undefined
  const quoteOf = earlier && !replyTo && random.chance(0.08) ? earlier : undefined
  const mentioned = random.chance(0.5) ? random.some(friends, random.int(1, 3)) : []
  const repliedTo = replyTo ? others.filter(({ id }) => id === replyTo.fields.authorId) : []
  const mentions = [...new Set([...repliedTo, ...mentioned])]
  const hashtags = random.chance(0.3) ? [random.pick(['bread', 'running', 'Straße', '東京', 'doors', 'قهوة'])] : []
  const links: Link[] = random.chance(0.3) ? [readingLink(author, random)] : []
  const media = random.chance(0.2) ? pictures(random, mediaId) : []
  if (media[0]) links.push({ short: shortLink(media[0].key), expanded: '', mediaKey: media[0].key })
  if (quoteOf) links.push({ short: shortLink(quoteOf.id), expanded: `https://x.com/i/status/${quoteOf.id}` })
  const body = random.pick(sentences)
  const text = [
    ...mentions.map(({ username }) => `@${username}`),
    body,
    ...hashtags.map((tag) => `#${tag}`),
    ...links.map(({ short }) => short),
  ].join(' ')
  const place = random.chance(0.2) ? random.pick(places) : undefined
  const long = random.chance(0.03) ? Array.from({ length: 12 }, () => body).join(' ') : undefined
  return {
    ...blankPost(author.id, text),
    links,
    mentions: mentions.map(({ id }) => id),
    hashtags,
    media,
    ...(place ? { placeId: placeId(place.name) } : {}),
    ...(place && random.chance(0.5) ? { coordinates: [place.lng, place.lat] as [number, number] } : {}),
    ...(replyTo ? { replyTo: { id: replyTo.id, userId: replyTo.fields.authorId } } : {}),
    ...(replyTo ? { conversationId: replyTo.fields.conversationId ?? replyTo.id } : {}),
    ...(quoteOf ? { quoteOf: quoteOf.id } : {}),
    ...(long === undefined ? {} : { longText: long }),
    lang: random.pick(['en', 'en', 'en', 'de', 'ja', 'ar', 'und']),
    likes: random.int(0, 60),
    reposts: random.int(0, 12),
    replies: random.int(0, 6),
    quotes: random.int(0, 3),
    sensitive: random.chance(0.02),
  }
}

/** A repost contains the author's name and the text, truncated to 140 characters. */
function repost(author: XUser, original: { id: string; fields: PostFields }, others: readonly XUser[]): PostFields {
  const by = others.find(({ id }) => id === original.fields.authorId)
  const whole = Array.from(`RT @${by?.username ?? 'someone'}: ${original.fields.text}`)
  const text = whole.length > 140 ? `${whole.slice(0, 139).join('')}…` : whole.join('')
  return {
    ...blankPost(author.id, text),
    hashtags: [],
    mentions: by ? [by.id] : [],
    repostOf: original.id,
    lang: original.fields.lang,
    reposts: original.fields.reposts,
  }
}

function readingLink(author: XUser, random: Random): Link {
  const at = random.int(0, 40)
  const targets: Link[] = [
    {
      short: shortLink(`reading ${at}`),
      expanded: `https://reading.test/article/${at}?a=1&b=2`,
      title: 'A field guide to doors',
    },
    {
      short: shortLink(`gist ${author.username} ${at}`),
      expanded: `https://gist.github.com/${author.username}/${gistId(author.username, at)}`,
    },
    { short: shortLink(`blog ${author.username}`), expanded: `https://${author.username}.tumblr.com/` },
  ]
  return random.pick(targets)
}

function pictures(random: Random, mediaId: () => string): XMedia[] {
  const type = random.pick(['photo', 'photo', 'photo', 'video', 'animated_gif'] as const)
  const prefix = { photo: '3', video: '7', animated_gif: '16' }[type]
  return Array.from({ length: type === 'photo' ? random.int(1, 4) : 1 }, () => ({
    key: `${prefix}_${mediaId()}`,
    type,
    width: 1600,
    height: 1200,
    hue: random.int(0, 359),
    ...(random.chance(0.5) ? { alt: 'Two colours and a sun 🌞' } : {}),
  }))
}

/** A cross-post: created at another service and shared here. */
export function sharedFields(author: XUser, { text, url, place, origin }: CrossPost): PostFields {
  const link = { short: shortLink(url), expanded: url }
  const words = origin === 'foursquare' ? `I'm at ${place.name} in ${place.city}` : text
  return {
    ...blankPost(author.id, `${words} ${link.short}`),
    hashtags: [],
    links: [link],
    ...(origin === 'foursquare'
      ? { placeId: placeId(place.name), coordinates: [place.lng, place.lat] as [number, number] }
      : {}),
  }
}

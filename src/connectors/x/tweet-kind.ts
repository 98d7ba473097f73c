import { linkKeys } from '#kit/read/dedupe-keys.ts'
import { kind, type Place, timeOf } from '#kit/read/kind.ts'
import type { Author } from '#model/items/normal.ts'
import type { BaseType } from '#model/items/types.ts'
import { type Entities, type Joined, type Link, type Media, referencesOf, type Tweet, type User } from './includes.ts'

type Raw = Joined<Tweet>

/** Links in the text to the post's own media and to quoted posts. */
const OWN_PAGE = /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/[^/]+\/status\/\d+/i

const userOf = (raw: Raw, id: string | undefined) => raw.includes?.users?.find((user) => user.id === id)
const entitiesOf = (tweet: Tweet): Entities | undefined =>
  (tweet.note_tweet ?? tweet.note_post)?.entities ?? tweet.entities

/** The text of a repost is truncated; the included original is complete. */
function repostedBy(raw: Raw): Tweet | undefined {
  const id = referencesOf(raw).find(({ type }) => type === 'retweeted')?.id
  const tweets = raw.includes?.tweets ?? raw.includes?.posts
  return id === undefined ? undefined : tweets?.find((tweet) => tweet.id === id)
}

function expandedText(tweet: Tweet): string | undefined {
  let text = (tweet.note_tweet ?? tweet.note_post)?.text ?? tweet.text
  for (const link of entitiesOf(tweet)?.urls ?? []) {
    const target = targetOf(link)
    if (text === undefined || link.url === undefined || target === undefined) continue
    text = text.replaceAll(link.url, isOwnMedia(link) ? '' : target)
  }
  return text?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').replaceAll(/ {2,}/g, ' ').trim()
}

function textOf(raw: Raw): string | undefined {
  const reposted = repostedBy(raw)
  const handle = reposted && userOf(raw, reposted.author_id)?.username
  return handle === undefined ? expandedText(raw) : `RT @${handle}: ${expandedText(reposted!) ?? ''}`
}

const targetOf = ({ unwound_url, expanded_url, url }: Link) => unwound_url ?? expanded_url ?? url
const isOwnMedia = ({ media_key, expanded_url }: Link) =>
  media_key !== undefined || /\/status\/\d+\/(photo|video)\/\d+$/.test(expanded_url ?? '')

function linksOf(raw: Raw): Link[] {
  return (entitiesOf(repostedBy(raw) ?? raw)?.urls ?? []).filter((link) => {
    const target = targetOf(link)
    return target !== undefined && link.media_key === undefined && !OWN_PAGE.test(target)
  })
}

const urlsOf = (raw: Raw) => [...new Set(linksOf(raw).flatMap((link) => targetOf(link) ?? []))]

function mediaOf(raw: Raw): Media[] {
  const keys = (repostedBy(raw) ?? raw).attachments?.media_keys ?? raw.attachments?.media_keys ?? []
  return keys.flatMap((key) => raw.includes?.media?.find((media) => media.media_key === key) ?? [])
}

const pictureOf = (raw: Raw) => mediaOf(raw).find(({ type }) => type === 'photo')
const filmOf = (raw: Raw) => mediaOf(raw).find(({ type }) => type === 'video' || type === 'animated_gif')

function fileOf(raw: Raw): string | undefined {
  const [first] = mediaOf(raw)
  const films = (first?.variants ?? []).filter(({ content_type }) => content_type === 'video/mp4')
  const best = films.sort((a, b) => (b.bit_rate ?? 0) - (a.bit_rate ?? 0))[0]
  return best?.url ?? first?.url
}

function typesOf(raw: Raw): BaseType[] {
  const kinds = mediaOf(raw).map(({ type }) => type)
  const types: BaseType[] = ['statuses']
  if (kinds.includes('photo')) types.push('photos')
  if (kinds.includes('video') || kinds.includes('animated_gif')) types.push('videos')
  if (linksOf(raw).length > 0) types.push('news')
  return types
}

// GeoJSON has the longitude first. Without a point, the centre of the place's bounding box.
function placeOf(raw: Raw): Place | undefined {
  const [lng, lat] = raw.geo?.coordinates?.coordinates ?? []
  if (lat !== undefined && lng !== undefined) return { lat, lng }
  const [west, south, east, north] = taggedPlace(raw)?.geo?.bbox ?? []
  if (west === undefined || south === undefined || east === undefined || north === undefined) return undefined
  return { lat: (south + north) / 2, lng: (west + east) / 2 }
}

const taggedPlace = (raw: Raw) => raw.includes?.places?.find(({ id }) => id !== undefined && id === raw.geo?.place_id)

export function authorOf(user: User | undefined): Author | undefined {
  if (user === undefined) return undefined
  return { name: user.name, url: pageOf(user), photo: pictureUrl(user), handle: user.username }
}

export const pageOf = ({ id, username }: User) =>
  username === undefined ? `https://x.com/i/user/${id}` : `https://x.com/${username}`

/** The URL without the size is the original upload. */
export const pictureUrl = ({ profile_image_url }: User) =>
  profile_image_url?.replace(/_(normal|bigger|mini)(\.\w+)$/, '$2')

const postPage = (raw: Raw, { author_id, id }: Tweet = raw) =>
  `https://x.com/${userOf(raw, author_id)?.username ?? 'i'}/status/${id}`

/** Dedupe keys of the post, or of the one that it only reposts, under both names of the site, and of what it links to. */
function dedupeKeysOf(raw: Raw): string[] {
  const page = postPage(raw, repostedBy(raw))
  return linkKeys([page, page.replace('//x.com/', '//twitter.com/')], urlsOf(raw), recordAt)
}

/** The dedupe key of the original photo or check-in at another service. */
function recordAt(url: string): string | undefined {
  const photo = /^https?:\/\/(?:www\.)?(?:instagram\.com|instagr\.am)\/(?:[^/]+\/)?(?:p|reel|tv)\/([\w-]+)/i.exec(
    url,
  )?.[1]
  if (photo !== undefined) return `guid:instagram/#${photo}`
  const checkin = /^https?:\/\/(?:www\.)?(?:foursquare|swarmapp)\.com\/(?:[^?#]*\/)?checkin\/([0-9a-f]{24})/i.exec(
    url,
  )?.[1]
  return checkin === undefined ? undefined : `guid:foursquare/#${checkin}`
}

export const tweet = kind<Raw>({
  name: 'tweet',
  id: ({ id }) => id,
  at: ({ created_at }) => timeOf(created_at),
  types: typesOf,
  guid: dedupeKeysOf,
  participants: (raw) => {
    const tweets = raw.includes?.tweets ?? raw.includes?.posts ?? []
    const referred = referencesOf(raw).map(({ id }) => tweets.find((one) => one.id === id)?.author_id)
    const mentioned = (entitiesOf(raw)?.mentions ?? []).map(
      ({ id, username }) => id ?? raw.includes?.users?.find((user) => user.username === username)?.id,
    )
    return { author: raw.author_id, others: [raw.in_reply_to_user_id, ...referred, ...mentioned] }
  },
  place: placeOf,
  map: {
    id: ({ id }) => id,
    text: textOf,
    author: (raw) => authorOf(userOf(raw, raw.author_id)),
    urls: urlsOf,
    url: (raw) => postPage(raw),
    image: (raw) => pictureOf(raw)?.url,
    media: fileOf,
    earliest: (raw) => timeOf(repostedBy(raw)?.created_at),
    place: (raw) => taggedPlace(raw)?.full_name,
    lang: ({ lang }) => (lang === 'und' || lang?.startsWith('q') ? undefined : lang),
    counts: ({ public_metrics: counts }) =>
      counts && {
        likes: counts.like_count,
        comments: counts.reply_count,
        shares: (counts.retweet_count ?? counts.repost_count ?? 0) + (counts.quote_count ?? 0),
      },
  },
  card: { provider_url: (raw) => postPage(raw) },
  cards: {
    photos: {
      title: textOf,
      description: (raw) => pictureOf(raw)?.alt_text,
      thumbnail_url: (raw) => pictureOf(raw)?.url,
      width: (raw) => pictureOf(raw)?.width,
      height: (raw) => pictureOf(raw)?.height,
    },
    videos: {
      title: textOf,
      description: (raw) => filmOf(raw)?.alt_text,
      thumbnail_url: (raw) => filmOf(raw)?.preview_image_url,
      width: (raw) => filmOf(raw)?.width,
      height: (raw) => filmOf(raw)?.height,
    },
    news: {
      title: (raw) => linksOf(raw)[0]?.title,
      description: (raw) => linksOf(raw)[0]?.description,
      thumbnail_url: (raw) => linksOf(raw)[0]?.images?.[0]?.url,
    },
  },
})

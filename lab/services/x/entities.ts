import type { XData } from './data.ts'
import type { PostFields } from './model.ts'

interface Span {
  start: number
  end: number
}

/** Positions count code points, not UTF-16 units. */
function spanOf(text: string, part: string): Span | undefined {
  const at = text.indexOf(part)
  if (at < 0) return undefined
  const start = Array.from(text.slice(0, at)).length
  return { start, end: start + Array.from(part).length }
}

/** The entities of a post's text, without those that a repost truncated. */
export function entitiesOf(data: XData, id: string, fields: PostFields): object | undefined {
  const author = data.user(fields.authorId)?.username ?? 'i'
  const urls = fields.links.flatMap(({ short, expanded, title, mediaKey }) => {
    const span = spanOf(fields.text, short)
    if (!span) return []
    const target = mediaKey === undefined ? expanded : `https://x.com/${author}/status/${id}/photo/1`
    const shown = target.replace(/^https:\/\//, '')
    return [
      {
        ...span,
        url: short,
        expanded_url: target,
        display_url: shown.length > 27 ? `${shown.slice(0, 26)}…` : shown,
        ...(mediaKey === undefined ? {} : { media_key: mediaKey }),
        ...(title === undefined ? {} : { title, status: 200, unwound_url: target }),
      },
    ]
  })
  const mentions = fields.mentions.flatMap((userId) => {
    const username = data.user(userId)?.username
    const span = username === undefined ? undefined : spanOf(fields.text, `@${username}`)
    return span && username !== undefined ? [{ ...span, username, id: userId }] : []
  })
  const hashtags = fields.hashtags.flatMap((tag) => {
    const span = spanOf(fields.text, `#${tag}`)
    return span ? [{ ...span, tag }] : []
  })
  const found = Object.entries({ urls, mentions, hashtags }).filter(([, list]) => list.length > 0)
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

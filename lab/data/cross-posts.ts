import { createHash } from 'node:crypto'
import { type Place, places, sentences } from './vocabulary.ts'

/** An item created at one service and shared to others; all of them show the same URL. */
export interface CrossPost {
  at: number
  origin: 'instagram' | 'foursquare'
  createdAtMs: number
  text: string
  place: Place
  /** The URL at the original service. */
  url: string
  /** The id at the original service. */
  id: string
  /** The last part of `url`. */
  shortcode: string
}

const perPerson = 24
const dayMs = 86_400_000

/** Depends on the person and the day only, so all services and seeds agree. */
export function crossPosts(username: string, nowMs: number): CrossPost[] {
  const today = Math.floor(nowMs / dayMs) * dayMs
  return Array.from({ length: perPerson }, (_, at) => {
    const digest = createHash('sha256').update(`${username} ${at}`).digest()
    const origin = at % 2 === 0 ? 'instagram' : 'foursquare'
    const shortcode = digest.toString('base64url').slice(0, 11)
    return {
      at,
      origin,
      createdAtMs: today - at * 19 * dayMs - (digest.readUInt16BE(0) + 60) * 1000,
      text: sentences[digest.readUInt16BE(2) % sentences.length] ?? '',
      place: places[digest.readUInt16BE(4) % places.length]!,
      url:
        origin === 'instagram'
          ? `https://www.instagram.com/p/${shortcode}/`
          : `https://www.swarmapp.com/c/${shortcode}`,
      id:
        origin === 'instagram'
          ? `179${String(digest.readUInt32BE(8)).padStart(10, '0')}${String(digest.readUInt16BE(12) % 10_000).padStart(4, '0')}`
          : digest.toString('hex').slice(0, 24),
      shortcode,
    }
  })
}

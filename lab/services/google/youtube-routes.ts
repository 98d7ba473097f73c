import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type ApiParts, apiEndpoint, type Call, paged, sizeOf } from './api-endpoint.ts'
import { SCOPES } from './login.ts'
import { failure, invalid } from './respond.ts'

export const itemsOf = (playlistId: string): string => `items ${playlistId}`
export const uploadsOf = (channelId: string): string => channelId.replace(/^UC/, 'UU')

/** Each list costs one unit a page, and returns only the parts that were asked for. */
export function youtubeRoutes(parts: ApiParts): Routes {
  const { tracked, units } = parts
  const listed = ({ person }: Call, kind: string) => tracked.store.list(person.username, kind).filter(isShown)

  const list =
    (name: string, itemsFor: (call: Call) => readonly StoredItem[]) =>
    (call: Call): unknown => {
      units.left -= 1
      if (units.left < 0)
        throw failure(
          403,
          'quotaExceeded',
          'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
          { domain: 'youtube.quota' },
        )
      const part = call.get('part')
      if (part === undefined)
        throw failure(400, 'missingRequiredParameter', 'No filter selected.', { location: 'part' })
      const all = itemsFor(call)
      const { page, nextPageToken } = paged(call, all, sizeOf(call, 'maxResults', 5, 50))
      const names = part.split(',')
      return {
        kind: `youtube#${name}ListResponse`,
        etag: 'e0',
        ...(nextPageToken && { nextPageToken }),
        pageInfo: { totalResults: all.length, resultsPerPage: page.length },
        // The list of somebody without a channel is left out.
        ...(name === 'channel' && page.length === 0
          ? {}
          : { items: page.map((item) => resource(call, name, item, names)) }),
      }
    }

  const resource = (call: Call, name: string, item: StoredItem, names: readonly string[]) => {
    const count = listed(call, itemsOf(name === 'channel' ? uploadsOf(item.id) : item.id)).length
    const added: Record<string, object> = {
      channel: { statistics: { viewCount: '12', videoCount: String(count), hiddenSubscriberCount: false } },
      playlist: { contentDetails: { itemCount: count } },
    }
    const fields = { ...item.fields, ...added[name] }
    const shown = Object.entries(fields).filter(([field]) => names.includes(field))
    return {
      kind: `youtube#${name}`,
      etag: `e${tracked.numberOf(item)}-${count}`,
      id: item.id,
      ...Object.fromEntries(shown),
    }
  }

  const mine = (kind: string) => (call: Call) => {
    if (call.get('mine') !== 'true') throw invalid('mine', 'No filter selected.')
    return listed(call, kind)
  }
  const liked = (call: Call) => {
    if (call.get('myRating') !== 'like') throw invalid('myRating', 'No filter selected.')
    return listed(call, 'likes')
  }
  const entries = (call: Call) => {
    const id = call.get('playlistId') ?? ''
    const isKnown =
      listed(call, 'playlists').some((one) => one.id === id) ||
      listed(call, 'channels').some((one) => uploadsOf(one.id) === id)
    const found = listed(call, itemsOf(id))
    // A channel without videos has no list of uploads.
    if (!isKnown || (id.startsWith('UU') && found.length === 0))
      throw failure(404, 'playlistNotFound', 'The playlist identified with the request cannot be found.', {
        domain: 'youtube.playlistItem',
        location: 'playlistId',
      })
    return found
  }

  return {
    'GET /youtube/v3/channels': apiEndpoint(parts, SCOPES.youtube, list('channel', mine('channels'))),
    'GET /youtube/v3/playlists': apiEndpoint(parts, SCOPES.youtube, list('playlist', mine('playlists'))),
    'GET /youtube/v3/playlistItems': apiEndpoint(parts, SCOPES.youtube, list('playlistItem', entries)),
    'GET /youtube/v3/videos': apiEndpoint(parts, SCOPES.youtube, list('video', liked)),
    'GET /youtube/v3/subscriptions': apiEndpoint(parts, SCOPES.youtube, list('subscription', mine('subscriptions'))),
  }
}

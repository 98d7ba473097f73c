import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { GraphCaller } from '../../graph/caller.ts'
import { graphError, wrongParameter } from '../../graph/graph-error.ts'
import { type Args, cursorEdge, type GraphEdge, type GraphNode } from '../../graph/node.ts'
import type { ApiParts } from './api.ts'
import type { Kind } from './data.ts'
import type { EventFields, PhotoFields } from './generate-media.ts'
import type { PostFields } from './generate-posts.ts'
import { albumNode, photoNode, videoNode } from './media-nodes.ts'
import { personNode, type View } from './node-kit.ts'
import { eventNode, pageNode } from './other-nodes.ts'
import { postNode } from './post-node.ts'

type UserEdge = (args: Args) => GraphEdge

export const nodeOf = (view: View, owner: Acquaintance, kind: Kind, item: StoredItem): GraphNode => {
  if (kind === 'posts') return postNode(view, item)
  if (kind === 'photos' || kind === 'tagged') return photoNode(view, item)
  if (kind === 'albums') return albumNode(view, owner, item)
  if (kind === 'videos') return videoNode(view, item)
  return kind === 'events' ? eventNode(view, item) : pageNode(item)
}

/** The edges of `/me`, each with its required permission. */
export function userEdges(parts: Omit<ApiParts, 'people'>, view: View, caller: GraphCaller): Record<string, UserEdge> {
  const { person, grant } = caller
  const list = (kind: Kind) => parts.data.store.list(person.username, kind)

  function edge(kind: Kind, items: readonly StoredItem[], paging: GraphEdge['paging'] = 'cursor'): GraphEdge {
    const entries = items
      .filter(({ deletedAtMs }) => deletedAtMs === undefined)
      .map((item) => {
        const node = isShown(item) ? nodeOf(view, person, kind, item) : undefined
        return { key: item.id, atMs: item.createdAtMs, node }
      })
    return { kind: 'edge', paging, entries }
  }

  const guarded =
    (permission: string, read: UserEdge): UserEdge =>
    (args) => {
      if (grant.granted.has(permission)) return read(args)
      if (parts.settings.missingPermission === 'error')
        throw graphError(`(#200) Requires ${permission} permission`, { code: 200, status: 403 })
      return cursorEdge([])
    }

  const friends: UserEdge = () => {
    const users = parts.usersOf(grant.clientKey)
    const all = parts.data.friendsOf(person.username)
    const named = all.filter(({ id, username }) => parts.data.usesApps(id) || users.includes(username))
    const nodes = named.map((one) => personNode(view, one))
    return { ...cursorEdge(nodes, { total_count: all.length }), alwaysSummed: true }
  }

  const photos: UserEdge = ({ type = 'tagged' }) => {
    if (type === 'uploaded') return edge('photos', list('photos'))
    if (type !== 'tagged') throw wrongParameter('param type must be one of {TAGGED, UPLOADED}')
    const tagsMe = (item: StoredItem) => (item.fields as PhotoFields).tags.some((tag) => tag.person.id === person.id)
    return edge('photos', [...list('tagged'), ...list('photos').filter(tagsMe)].sort(newestFirst))
  }

  const events: UserEdge = ({ type, include_canceled: canceled }) => {
    const matches = (item: StoredItem) => {
      const event = item.fields as EventFields
      if (event.isCanceled && canceled !== 'true') return false
      return type === undefined ? event.rsvp !== 'not_replied' : event.rsvp === (type === 'maybe' ? 'unsure' : type)
    }
    return edge('events', list('events').filter(matches))
  }

  const isOwn = (item: StoredItem) => (item.fields as PostFields).from.id === person.id
  return {
    posts: guarded('user_posts', () => edge('posts', list('posts').filter(isOwn), 'time')),
    feed: guarded('user_posts', () => edge('posts', list('posts'), 'time')),
    photos: guarded('user_photos', photos),
    albums: guarded('user_photos', () => edge('albums', list('albums'))),
    videos: guarded('user_videos', ({ type = 'uploaded' }) =>
      edge('videos', type === 'uploaded' ? list('videos') : []),
    ),
    events: guarded('user_events', events),
    likes: guarded('user_likes', () => edge('likes', list('likes'))),
    friends: guarded('user_friends', friends),
  }
}

const newestFirst = (a: StoredItem, b: StoredItem): number => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1)

import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance, Place } from '../../data/vocabulary.ts'
import { cursorEdge, type GraphNode, graphTime, node } from '../../graph/node.ts'
import type { FacebookData } from './data.ts'
import type { Reactions } from './generate-posts.ts'

/** What rendering a node for one app depends on. */
export interface View {
  url: string
  data: FacebookData
  /** An app sees the names of its own users; other people are only counted. */
  isNamed(person: Acquaintance): boolean
}

const hueOf = (person: Acquaintance): number => (person.username.length * 47 + person.name.length * 13) % 360

export const pictureOf =
  (view: View, person: Acquaintance) =>
  (args: Readonly<Record<string, string>>): unknown => {
    const size = Number(args['width'] ?? args['height'] ?? 50)
    const side = Number.isInteger(size) && size > 0 ? Math.min(size, 2048) : 50
    const url = `${view.url}/media/${side}x${side}-${hueOf(person)}.svg`
    return { data: { height: side, is_silhouette: false, url, width: side } }
  }

export const personNode = (view: View, person: Acquaintance, more: GraphNode['fields'] = {}): GraphNode =>
  node('User', person.id, ['name', ...Object.keys(more)], {
    name: () => person.name,
    first_name: () => person.name.split(' ')[0],
    last_name: () => person.name.split(' ').at(-1),
    short_name: () => person.name.split(' ')[0],
    picture: pictureOf(view, person),
    ...more,
  })

export const placeNode = (place: Place | undefined): GraphNode | undefined =>
  place &&
  node('Page', `1${place.id.replace('pl-', '').padStart(14, '0')}`, ['name', 'location'], {
    name: () => place.name,
    location: () => ({ city: place.city, latitude: place.lat, longitude: place.lng }),
  })

const reactionTypes = ['LIKE', 'LOVE', 'LIKE', 'HAHA', 'WOW', 'CARE', 'SAD', 'ANGRY']

/** The edges common to posts, photos and videos. */
export function reactionEdges(view: View, item: StoredItem): GraphNode['fields'] {
  const { likers = [], comments = [] } = item.fields as Partial<Reactions>
  const named = likers.filter((one) => view.isNamed(one))
  return {
    likes: () =>
      cursorEdge(
        named.map((one) => personNode(view, one)),
        { total_count: likers.length, can_like: true, has_liked: false },
      ),
    reactions: () =>
      cursorEdge(
        named.map((one, at) => personNode(view, one, { type: () => reactionTypes[at % reactionTypes.length] })),
        { total_count: likers.length, viewer_reaction: 'NONE' },
      ),
    comments: () =>
      cursorEdge(
        comments.map((comment) =>
          node('Comment', comment.id, ['created_time', 'from', 'message'], {
            created_time: () => graphTime(comment.atMs),
            from: () => (view.isNamed(comment.from) ? personNode(view, comment.from) : undefined),
            message: () => comment.message,
            like_count: () => comment.likeCount,
            comment_count: () => 0,
            is_hidden: () => false,
            user_likes: () => false,
          }),
        ),
        { order: 'chronological', total_count: comments.length, can_comment: true },
      ),
  }
}

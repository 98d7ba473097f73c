import type { Person } from '../../base/people.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { graphError } from '../../graph/graph-error.ts'
import { cursorEdge, type GraphEdge, type GraphNode, graphTime, node } from '../../graph/node.ts'
import type { ChildFields, CommentFields, MediaFields } from './generate.ts'

export interface View {
  url: string
  /** Comments require a separate permission. */
  mayReadComments: boolean
  /** The token's person. */
  viewerId: string
}

export function mediaNode(view: View, item: StoredItem): GraphNode {
  const media = item.fields as MediaFields
  const isVideo = media.type === 'VIDEO'
  const isOwn = media.owner.id === view.viewerId
  const own =
    (read: () => unknown): (() => unknown) =>
    () =>
      isOwn ? read() : undefined
  return node('IGMedia', item.id, [], {
    caption: () => media.caption,
    media_type: () => media.type,
    media_product_type: () => media.product,
    media_url: () => (media.isCopyrighted ? undefined : `${view.url}/media/1080x1080-${media.hue}.svg`),
    thumbnail_url: () => (isVideo ? `${view.url}/media/540x540-${media.hue}.svg` : undefined),
    permalink: () => permalink(media),
    shortcode: () => media.shortcode,
    timestamp: () => graphTime(item.createdAtMs),
    username: () => media.owner.username,
    owner: own(() => ({ id: media.owner.id })),
    like_count: () => (media.likesHidden ? undefined : media.likeCount),
    comments_count: () => media.comments.length + media.comments.flatMap(({ replies }) => replies).length,
    is_comment_enabled: own(() => media.commentsEnabled),
    is_shared_to_feed: () => (media.product === 'REELS' ? true : undefined),
    alt_text: own(() => media.altText),
    legacy_instagram_media_id: own(() => item.id),
    children: () => cursorEdge(media.children.map((child) => childNode(view, item, child))),
    comments: () => (isOwn ? commentEdge(view, item, media.comments) : cursorEdge([])),
  })
}

const permalink = ({ product, shortcode, owner }: MediaFields): string => {
  if (product === 'STORY') return `https://www.instagram.com/stories/${owner.username}/${shortcode}`
  return `https://www.instagram.com/${product === 'REELS' ? 'reel' : 'p'}/${shortcode}/`
}

/** A carousel child has no caption, counts or permalink. */
function childNode(view: View, parent: StoredItem, child: ChildFields): GraphNode {
  const media = parent.fields as MediaFields
  return node('IGMedia', child.id, [], {
    media_type: () => child.type,
    media_url: () => `${view.url}/media/1080x1080-${child.hue}.svg`,
    thumbnail_url: () => (child.type === 'VIDEO' ? `${view.url}/media/540x540-${child.hue}.svg` : undefined),
    timestamp: () => graphTime(parent.createdAtMs),
    username: () => media.owner.username,
    owner: () => ({ id: media.owner.id }),
    permalink: () => undefined,
    shortcode: () => undefined,
  })
}

function commentEdge(view: View, media: StoredItem, list: readonly CommentFields[], parentId?: string): GraphEdge {
  if (!view.mayReadComments)
    throw graphError('(#10) Application does not have permission for this action', { code: 10, status: 403 })
  return cursorEdge(list.map((comment) => commentNode(view, media, comment, parentId)))
}

export function commentNode(view: View, media: StoredItem, comment: CommentFields, parentId?: string): GraphNode {
  return node('IGComment', comment.id, ['timestamp', 'text'], {
    timestamp: () => graphTime(comment.atMs),
    text: () => comment.text,
    username: () => comment.from.username,
    from: () => ({ id: comment.from.id, username: comment.from.username }),
    like_count: () => comment.likeCount,
    hidden: () => comment.hidden,
    parent_id: () => parentId,
    media: () => ({ id: media.id, media_product_type: (media.fields as MediaFields).product }),
    replies: () => commentEdge(view, media, comment.replies, comment.id),
  })
}

export function meNode(
  view: View,
  person: Person,
  edges: Record<string, () => GraphEdge>,
  mediaCount: number,
): GraphNode {
  return node('IGUser', person.id, [], {
    user_id: () => person.id,
    username: () => person.username,
    name: () => person.name,
    account_type: () => (person.username === 'ben' ? 'BUSINESS' : 'MEDIA_CREATOR'),
    biography: () => (person.bio === '' ? undefined : person.bio),
    website: () => undefined,
    profile_picture_url: () => `${view.url}/media/320x320-${(person.username.length * 61) % 360}.svg`,
    followers_count: () => person.activity * 3,
    follows_count: () => person.activity,
    media_count: () => mediaCount,
    ...edges,
  })
}

import { isShown, type StoredItem } from '../../data/item-store.ts'
import { graphError } from '../../graph/graph-error.ts'
import { cursorEdge, type GraphNode, graphTime, node } from '../../graph/node.ts'
import type { PhotoFields } from './generate-media.ts'
import type { PostFields } from './generate-posts.ts'
import { imageOf } from './media-nodes.ts'
import { personNode, placeNode, reactionEdges, type View } from './node-kit.ts'

const removedFields = ['caption', 'description', 'link', 'name', 'object_id', 'source', 'type']

const privacyDescriptions = { EVERYONE: 'Public', ALL_FRIENDS: 'Your friends', SELF: 'Only me' }

export function postNode(view: View, item: StoredItem): GraphNode {
  const post = item.fields as PostFields
  const [ownerId = '', postId = ''] = item.id.split('_')
  const photos = () => photosOf(view, post)
  const removed = () => {
    throw graphError(
      '(#12) deprecate_post_aggregated_fields_for_attachement is deprecated for versions v3.3 and higher',
      { code: 12 },
    )
  }
  const picture = () => {
    const [first] = photos()
    if (first) return imageOf(view, first, 0.5).source
    return post.link ? `${view.url}/media/720x378-${Number(postId.slice(-3)) % 360}.svg` : undefined
  }
  return node('Post', item.id, ['created_time', 'message', 'story'], {
    created_time: () => graphTime(item.createdAtMs),
    updated_time: () => graphTime(item.updatedAtMs),
    message: () => post.message,
    story: () => post.story,
    from: () => personNode(view, post.from),
    to: () => (post.to ? { data: [{ name: post.to.name, id: post.to.id }] } : undefined),
    message_tags: () => tagsIn(post),
    place: () => placeNode(post.place),
    privacy: () => ({
      allow: '',
      deny: '',
      description: privacyDescriptions[post.privacy],
      friends: '',
      value: post.privacy,
    }),
    status_type: () => post.statusType,
    permalink_url: () => `https://www.facebook.com/${ownerId}/posts/${postId}`,
    full_picture: picture,
    picture,
    shares: () => (post.shares > 0 ? { count: post.shares } : undefined),
    application: () => post.application,
    is_hidden: () => false,
    is_published: () => true,
    attachments: () => cursorEdge(attachments(view, post, photos())),
    ...reactionEdges(view, item),
    ...Object.fromEntries(removedFields.map((name) => [name, removed])),
  })
}

function photosOf(view: View, post: PostFields): StoredItem[] {
  return post.photoIds.flatMap((id) => {
    const found = view.data.store.find('photos', id)
    return found && isShown(found.item) ? [found.item] : []
  })
}

/** Offsets count UTF-16 units of the message. */
function tagsIn({ message = '', tagged }: PostFields): unknown {
  const tags = tagged.flatMap(({ id, name }) => {
    const offset = message.indexOf(name)
    return offset < 0 ? [] : [{ id, name, type: 'user', offset, length: name.length }]
  })
  return tags.length === 0 ? undefined : tags
}

function attachments(view: View, post: PostFields, photos: StoredItem[]): GraphNode[] {
  const single = photos.map((photo) => photoAttachment(view, photo))
  if (single.length > 1)
    return [
      attachment({
        title: () => `Photos from ${post.from.name}'s post`,
        media_type: () => 'album',
        type: () => 'album',
        subattachments: () => cursorEdge(single),
      }),
    ]
  if (!post.link) return single
  const { url, title, description } = post.link
  const shimmed = `https://l.facebook.com/l.php?u=${encodeURIComponent(url)}&h=AT0&s=1`
  return [
    attachment({
      title: () => title,
      description: () => description,
      media_type: () => 'link',
      type: () => 'share',
      target: () => ({ url: shimmed }),
      url: () => shimmed,
      unshimmed_url: () => url,
    }),
  ]
}

function photoAttachment(view: View, photo: StoredItem): GraphNode {
  const { name } = photo.fields as PhotoFields
  const page = `https://www.facebook.com/photo.php?fbid=${photo.id}`
  const { source, width, height } = imageOf(view, photo, 0.5)
  return attachment({
    description: () => name,
    media: () => ({ image: { height, src: source, width } }),
    media_type: () => 'photo',
    type: () => 'photo',
    target: () => ({ id: photo.id, url: page }),
    url: () => page,
    unshimmed_url: () => page,
  })
}

const attachmentFields = [
  'title',
  'description',
  'media',
  'media_type',
  'target',
  'type',
  'url',
  'unshimmed_url',
  'subattachments',
]

const attachment = (given: GraphNode['fields']): GraphNode =>
  node('StoryAttachment', undefined, ['description', 'media', 'target', 'title', 'type', 'url', 'subattachments'], {
    ...Object.fromEntries(attachmentFields.map((name) => [name, () => undefined])),
    ...given,
  })

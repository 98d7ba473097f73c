import type { ServiceClock } from '../../base/clock.ts'
import { first } from '../../base/pairs.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { graphError, noSuchObject, unknownPath } from '../../graph/graph-error.ts'
import { type GraphEdge, type GraphNode, isEdge } from '../../graph/node.ts'
import { projectEdge, projectNode } from '../../graph/project.ts'
import type { GraphCall } from '../../graph/serve.ts'
import { conversationNode, messageIn } from './conversation-nodes.ts'
import type { ConversationFields } from './conversations.ts'
import type { InstagramData, Kind } from './data.ts'
import type { CommentFields, MediaFields } from './generate.ts'
import { commentNode, mediaNode, meNode, type View } from './nodes.ts'

interface ApiParts {
  clock: ServiceClock
  data: InstagramData
}

const storyTtlMs = 86_400_000
const maxMedia = 10_000
const requestTtlMs = 30 * 86_400_000

export function handleCall({ clock, data }: ApiParts, call: GraphCall): Record<string, unknown> {
  const { request, person, grant, base } = call
  const [id = '', edgeName] = call.segments
  if (request.method !== 'GET') throw noSuchObject(id, request.method.toLowerCase())
  if (!grant.granted.has('instagram_business_basic'))
    throw graphError('(#10) Application does not have permission for this action', { code: 10, status: 403 })
  const mayReadComments = grant.granted.has('instagram_business_manage_comments')
  const view: View = { url: call.url, mayReadComments, viewerId: person.id }
  const requested = call.requested()

  const list = (kind: Kind) => data.store.list(person.username, kind).filter(isShown)
  const edge = (items: readonly StoredItem[]): GraphEdge => ({
    kind: 'edge',
    paging: 'cursor',
    entries: items.map((item) => ({ key: item.id, atMs: item.createdAtMs, node: mediaNode(view, item) })),
  })
  const edges: Record<string, () => GraphEdge> = {
    media: () => edge(list('media').slice(0, maxMedia)),
    stories: () => edge(list('stories').filter(({ createdAtMs }) => createdAtMs > clock.now() - storyTtlMs)),
    tags: () => edge(list('tags')),
    conversations: () => ({
      kind: 'edge',
      paging: 'cursor',
      entries: conversations().map((item) => ({
        key: item.id,
        atMs: item.createdAtMs,
        node: conversationNode(view, person, item),
      })),
    }),
  }
  const node = nodeFor()
  if (!node) throw noSuchObject(id)
  if (edgeName === undefined) return projectNode(node, requested, base)
  const value = node.fields[edgeName]?.({})
  if (!isEdge(value)) throw unknownPath(edgeName)
  return projectEdge(value, Object.fromEntries(request.query), requested, `${node.id}/${edgeName}`, base)

  /** Most recently active first. Message requests inactive for 30 days are not listed. */
  function conversations(): StoredItem[] {
    if (!grant.granted.has('instagram_business_manage_messages'))
      throw graphError('(#10) Application does not have permission for this action', { code: 10, status: 403 })
    if (!['instagram', undefined].includes(first(request.query, 'platform')))
      throw graphError('(#100) param platform must be instagram', { code: 100 })
    const partner = first(request.query, 'user_id')
    return data.store.list(person.username, 'conversations').filter(({ createdAtMs, fields }) => {
      const { isRequest, with: other } = fields as ConversationFields
      const isListed = !isRequest || createdAtMs > clock.now() - requestTtlMs
      return isListed && (partner === undefined || other.id === partner)
    })
  }

  function nodeFor(): GraphNode | undefined {
    if (id === 'me' || id === person.id) return meNode(view, person, edges, list('media').length)
    const found = data.find(person.username, id)
    if (found) return mediaNode(view, found.item)
    const talk = id.startsWith('aWdf') ? conversations().find((item) => item.id === id) : undefined
    if (talk) return conversationNode(view, person, talk)
    if (id.startsWith('aWdf')) return messageIn(view, conversations(), id)
    for (const media of list('media')) {
      const comment = commentIn(media, id)
      if (comment) return commentNode(view, media, comment.comment, comment.parentId)
    }
    return undefined
  }
}

function commentIn(media: StoredItem, id: string): { comment: CommentFields; parentId?: string } | undefined {
  for (const comment of (media.fields as MediaFields).comments) {
    if (comment.id === id) return { comment }
    const reply = comment.replies.find((one) => one.id === id)
    if (reply) return { comment: reply, parentId: comment.id }
  }
  return undefined
}

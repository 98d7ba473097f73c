import { first } from '../../base/pairs.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { GraphCaller } from '../../graph/caller.ts'
import { parseFields } from '../../graph/field-list.ts'
import { graphError, noSuchObject, unknownPath } from '../../graph/graph-error.ts'
import { type GraphEdge, type GraphNode, isEdge } from '../../graph/node.ts'
import { type LinkBase, projectEdge, projectNode } from '../../graph/project.ts'
import { countCall, withHeaders } from '../../graph/usage.ts'
import { versionedPath } from '../../graph/version.ts'
import { conversationNode, messageIn } from './conversation-nodes.ts'
import type { ConversationFields } from './conversations.ts'
import type { InstagramData, Kind } from './data.ts'
import type { CommentFields, MediaFields } from './generate.ts'
import { commentNode, mediaNode, meNode, type View } from './nodes.ts'

interface ApiParts {
  context: ServiceContext
  data: InstagramData
  rateLimit: RateLimit
  guard(request: LabRequest): GraphCaller
  /** Routes without a user token: login and token endpoints. */
  open: Readonly<Record<string, (request: LabRequest) => Reply | Promise<Reply>>>
}

const storyTtlMs = 86_400_000
const maxMedia = 10_000
const requestTtlMs = 30 * 86_400_000

export function instagramRoutes(parts: ApiParts): Routes {
  const serve: Handler = async (request) => {
    const [version, segments] = versionedPath(request.path)
    const open = parts.open[`${request.method} ${segments.join('/')}`]
    if (open) return open(request)
    const caller = parts.guard(request)
    const headers = counted(parts, caller)
    try {
      return withHeaders(json(200, handleCall(parts, request, caller, segments, version)), headers)
    } catch (error) {
      if (error instanceof Refusal) throw new Refusal(withHeaders(error.reply, headers))
      throw error
    }
  }
  const patterns = ['/:a', '/:a/:b', '/:a/:b/:c']
  return Object.fromEntries(
    ['GET', 'POST', 'DELETE'].flatMap((method) => patterns.map((pattern) => [`${method} ${pattern}`, serve])),
  )
}

/** Business use case limits apply per account; the wait is reported in minutes. */
function counted({ rateLimit }: ApiParts, { person, grant }: GraphCaller): Record<string, string> {
  const { percent, waitSeconds } = countCall(rateLimit, `${grant.clientKey} ${person.id}`)
  const usage = {
    type: 'instagram',
    call_count: percent,
    total_cputime: Math.ceil(percent / 3),
    total_time: Math.ceil(percent / 2),
    estimated_time_to_regain_access: Math.ceil(waitSeconds / 60),
  }
  const headers = { 'x-business-use-case-usage': JSON.stringify({ [person.id]: [usage] }) }
  if (waitSeconds === 0) return headers
  const message = '(#80002) There have been too many calls to this Instagram account. Wait a bit and try again.'
  throw new Refusal(withHeaders(graphError(message, { code: 80_002 }).reply, headers))
}

function handleCall(
  { context, data }: ApiParts,
  request: LabRequest,
  { person, grant, token }: GraphCaller,
  path: string[],
  version: string,
): Record<string, unknown> {
  const [id = '', edgeName] = path
  if (request.method !== 'GET') throw noSuchObject(id, request.method.toLowerCase())
  if (!grant.granted.has('instagram_business_basic'))
    throw graphError('(#10) Application does not have permission for this action', { code: 10, status: 403 })
  const url = context.url()
  const mayReadComments = grant.granted.has('instagram_business_manage_comments')
  const view: View = { url, mayReadComments, viewerId: person.id }
  const base: LinkBase = { apiUrl: `${url}/${version}`, token }
  const fields = first(request.query, 'fields')
  const requested = fields === undefined || fields === '' ? undefined : parseFields(fields)

  const list = (kind: Kind) => data.store.list(person.username, kind).filter(isShown)
  const edge = (items: readonly StoredItem[]): GraphEdge => ({
    kind: 'edge',
    paging: 'cursor',
    entries: items.map((item) => ({ key: item.id, atMs: item.createdAtMs, node: mediaNode(view, item) })),
  })
  const edges: Record<string, () => GraphEdge> = {
    media: () => edge(list('media').slice(0, maxMedia)),
    stories: () => edge(list('stories').filter(({ createdAtMs }) => createdAtMs > context.clock.now() - storyTtlMs)),
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
      const isListed = !isRequest || createdAtMs > context.clock.now() - requestTtlMs
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

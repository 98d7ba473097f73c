import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import { graphError } from '../../graph/graph-error.ts'
import { cursorEdge, type GraphEdge, type GraphNode, graphTime, node } from '../../graph/node.ts'
import type { ConversationFields, MessageFields } from './conversations.ts'
import type { View } from './nodes.ts'

/** Older messages are listed without details. */
const maxDetailed = 20

const person = ({ id, username }: Acquaintance) => ({ id, username })

export function conversationNode(view: View, owner: Acquaintance, item: StoredItem): GraphNode {
  const { with: partner, messages } = item.fields as ConversationFields
  return node('UnifiedThread', item.id, ['updated_time'], {
    updated_time: () => graphTime(messages[0]?.atMs ?? item.createdAtMs),
    participants: () => ({ data: [person(owner), person(partner)] }),
    messages: () => messageEdge(view, messages),
  })
}

const messageEdge = (view: View, messages: readonly MessageFields[]): GraphEdge =>
  cursorEdge(messages.map((message, at) => messageNode(view, message, at < maxDetailed)))

function messageNode(view: View, message: MessageFields, isDetailed: boolean): GraphNode {
  const { picture, share } = message
  const detail =
    (read: () => unknown): (() => unknown) =>
    () =>
      isDetailed ? read() : undefined
  return node('Message', message.id, ['created_time'], {
    created_time: () => graphTime(message.atMs),
    from: detail(() => person(message.from)),
    to: detail(() => ({ data: [person(message.to)] })),
    message: detail(() => message.text ?? ''),
    attachments: detail(() => (picture === undefined ? undefined : { data: [{ image_data: imageOf(view, picture) }] })),
    shares: detail(() => (share === undefined ? undefined : { data: [{ link: share }] })),
    reactions: () => undefined,
    is_unsupported: () => undefined,
  })
}

const imageOf = ({ url }: View, hue: number) => {
  const picture = `${url}/media/960x720-${hue}.svg`
  return { width: 960, height: 720, max_width: 0, max_height: 0, url: picture, preview_url: picture }
}

/** A message by id. Like at the vendor, messages beyond the newest twenty are reported as deleted. */
export function messageIn(view: View, conversations: readonly StoredItem[], id: string): GraphNode | undefined {
  for (const { fields } of conversations) {
    const { messages } = fields as ConversationFields
    const at = messages.findIndex((message) => message.id === id)
    const message = messages[at]
    if (message === undefined) continue
    if (at < maxDetailed) return messageNode(view, message, true)
    throw graphError('(#100) The message has been deleted', { code: 100, subcode: 2_018_001 })
  }
  return undefined
}

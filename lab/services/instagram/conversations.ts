import { createHash } from 'node:crypto'
import type { Random } from '../../base/random.ts'
import { type Acquaintance, sentences } from '../../data/vocabulary.ts'

export interface MessageFields {
  id: string
  from: Acquaintance
  to: Acquaintance
  atMs: number
  text?: string
  /** The hue of an attached picture. */
  picture?: number
  /** The URL of shared content. */
  share?: string
}

export interface ConversationFields extends Record<string, unknown> {
  with: Acquaintance
  /** A message request that has not been accepted yet. */
  isRequest: boolean
  /** Newest first. */
  messages: MessageFields[]
}

interface Talk {
  random: Random
  owner: Acquaintance
  partner: Acquaintance
  lastMs: number
  isRequest: boolean
}

/** Ids of conversations and messages are long, opaque and stable. */
export const opaqueId = (text: string): string =>
  `aWdf${createHash('sha512').update(text).digest('base64url').slice(0, 76)}ZD`

export function conversationFields({ random, owner, partner, lastMs, isRequest }: Talk): ConversationFields {
  const count = isRequest ? 1 : random.int(2, 34)
  const messages = Array.from({ length: count }, (_, at): MessageFields => {
    const isMine = !isRequest && random.chance(0.5)
    const kind = random.pick(['text', 'text', 'text', 'text', 'picture', 'share'] as const)
    return {
      id: opaqueId(`${owner.id} ${partner.id} ${at}`),
      from: isMine ? owner : partner,
      to: isMine ? partner : owner,
      atMs: lastMs - at * random.int(61, 7200) * 1000,
      ...(kind === 'text' ? { text: random.pick(sentences) } : {}),
      ...(kind === 'picture' ? { picture: random.int(0, 359) } : {}),
      ...(kind === 'share' ? { share: `https://reading.test/shared/${at}` } : {}),
    }
  })
  return { with: partner, isRequest, messages: messages.sort((a, b) => b.atMs - a.atMs) }
}

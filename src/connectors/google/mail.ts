import { type Endpoint, endpoint } from '#kit/endpoints/endpoint.ts'
import { kind } from '#kit/read/kind.ts'
import { mailboxesIn } from './addresses.ts'
import { GMAIL_HOST } from './hosts.ts'
import { listThenChanges, type Positioned } from './list-then-changes.ts'
import { MAIL } from './scopes.ts'

interface Named {
  id: string
  threadId?: string
  labelIds?: string[]
}

/** What the list says of a message. */
interface MessageId {
  id: string
  threadId?: string
  /** The entry of the history that changed its labels, so that its headers are read again. */
  changed?: string
  deleted?: boolean
}

interface HistoryEntry {
  id?: string
  messagesAdded?: { message?: Named }[]
  messagesDeleted?: { message?: Named }[]
  labelsAdded?: { message?: Named; labelIds?: string[] }[]
  labelsRemoved?: { message?: Named; labelIds?: string[] }[]
}

interface Body extends Positioned {
  messages?: Named[]
  resultSizeEstimate?: number
  history?: HistoryEntry[]
  historyId?: string
}

interface Header {
  name?: string
  value?: string
}

interface Message extends Named {
  historyId?: string
  /** Milliseconds, as text. */
  internalDate?: string
  sizeEstimate?: number
  payload?: { headers?: Header[] }
}

/** The list leaves these out; the history does not. */
const HIDDEN = new Set(['TRASH', 'SPAM'])
const isHidden = ({ labelIds }: Named) => labelIds?.some((label) => HIDDEN.has(label)) === true

const messageId = kind<MessageId>({
  name: 'message_id',
  id: ({ id }) => id,
  deleted: ({ deleted }) => deleted === true,
  map: {},
})

/** The last entry of a message counts. */
function changesIn(history: HistoryEntry[]): MessageId[] {
  const changes = new Map<string, MessageId>()
  for (const entry of history) {
    const note = (message: Named | undefined, more: Partial<MessageId>) => {
      if (!message?.id) return
      const { id, threadId } = message
      changes.set(
        id,
        isHidden(message) || more.deleted ? { id, deleted: true } : { id, ...(threadId && { threadId }), ...more },
      )
    }
    const changed = entry?.id === undefined ? {} : { changed: entry.id }
    for (const { message } of entry?.messagesAdded ?? []) note(message, {})
    for (const { message } of [...(entry?.labelsAdded ?? []), ...(entry?.labelsRemoved ?? [])]) note(message, changed)
    for (const { message } of entry?.messagesDeleted ?? []) note(message, { deleted: true })
  }
  return [...changes.values()]
}

function idsIn(body: Body): MessageId[] | undefined {
  const { messages, history, historyId, resultSizeEstimate } = body
  if (history !== undefined) return changesIn(history)
  if (messages !== undefined) return messages.map(({ id, threadId }) => ({ id, ...(threadId && { threadId }) }))
  return historyId === undefined && resultSizeEstimate === undefined ? undefined : []
}

/** Headers that are kept; all others, and whatever else a response has, are not stored. */
const KEPT = new Set([
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'bcc',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'list-id',
])

function headersOnly({ id, threadId, labelIds, historyId, internalDate, sizeEstimate, payload }: Message): Message {
  const headers = payload?.headers?.filter((header) => KEPT.has(header?.name?.toLowerCase() ?? '')) ?? []
  return {
    id,
    ...(threadId && { threadId }),
    ...(labelIds && { labelIds }),
    ...(historyId && { historyId }),
    ...(internalDate && { internalDate }),
    ...(sizeEstimate !== undefined && { sizeEstimate }),
    payload: { headers },
  }
}

function headerOf({ payload }: Message, name: string): string | undefined {
  return payload?.headers?.find((header) => header?.name?.toLowerCase() === name)?.value
}

const senderOf = (message: Message) => mailboxesIn(headerOf(message, 'from'))[0]
const recipientsOf = (message: Message) =>
  ['to', 'cc'].flatMap((name) => mailboxesIn(headerOf(message, name)).map(({ address }) => address))

const message = kind<Message>({
  name: 'message',
  id: ({ id }) => id,
  at: ({ internalDate }) =>
    internalDate !== undefined && /^\d{1,15}$/.test(internalDate) ? Number(internalDate) : undefined,
  participants: (one) => ({
    // What the person sent is the person's own, whatever address they used.
    author: one.labelIds?.includes('SENT') === true ? undefined : senderOf(one)?.address,
    others: recipientsOf(one),
  }),
  map: {
    subject: (one) => headerOf(one, 'subject'),
    title: (one) => headerOf(one, 'subject'),
    from: (one) => senderOf(one)?.address,
    to: recipientsOf,
    author: (one) => {
      const { name, address } = senderOf(one) ?? {}
      return address === undefined ? undefined : { name: name ?? address }
    },
    url: ({ id }) => `https://mail.google.com/mail/#all/${encodeURIComponent(id)}`,
  },
})

/**
 * Headers of mail, never bodies: a list of ids, and one call for each new message. Weights are quota units, of which a person has
 * 6,000 in a minute.
 */
export const mail: Record<string, Endpoint> = {
  mail_ids: endpoint<Body, MessageId>({
    ...listThenChanges<Body>({
      position: { path: '/gmail/v1/users/me/profile', query: {} },
      list: { path: '/gmail/v1/users/me/messages', query: { maxResults: '500' } },
      changes: { path: '/gmail/v1/users/me/history', param: 'startHistoryId', query: { maxResults: '500' } },
      from: ({ historyId }) => historyId,
    }),
    host: GMAIL_HOST,
    items: idsIn,
    kind: messageId,
    types: [],
    every: '15m',
    wholeEvery: '30d',
    class: 'personal',
    deletes: 'all',
    weight: 5,
    scope: [MAIL],
  }),
  mail: endpoint<Message, Message, MessageId>({
    each: 'mail_ids',
    when: 'changed',
    host: GMAIL_HOST,
    path: '/gmail/v1/users/me/messages/{parent}',
    query: { format: 'metadata', fields: 'id,threadId,labelIds,historyId,internalDate,sizeEstimate,payload/headers' },
    items: (body) => (body.id === undefined ? undefined : [headersOnly(body)]),
    kind: message,
    types: ['messages'],
    every: '15m',
    class: 'personal',
    weight: 20,
    scope: [MAIL],
  }),
}

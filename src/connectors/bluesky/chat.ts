import { token } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { kind, timeOf } from '#kit/read/kind.ts'
import type { Person } from './post.ts'

/** Direct messages are at a separate service; the person's server forwards calls to it. */
const service = { headers: { 'atproto-proxy': 'did:web:api.bsky.chat#bsky_chat' }, scope: ['transition:chat.bsky'] }

interface MessageView {
  $type?: string
  id: string
  text?: string
  sender?: { did?: string }
  sentAt?: string
}

interface LogEntry {
  $type?: string
  convoId?: string
  message: MessageView
}

interface Log {
  cursor?: string
  logs?: (Partial<LogEntry> | null)[]
}

interface Conversation {
  id: string
  members?: Person[]
  lastMessage?: MessageView
}

const message = kind<LogEntry>({
  name: 'message',
  id: (entry) => entry.message.id,
  at: (entry) => timeOf(entry.message.sentAt),
  deleted: (entry) =>
    entry.$type?.endsWith('#logDeleteMessage') === true ||
    entry.message.$type?.endsWith('#deletedMessageView') === true,
  participants: (entry) => ({ author: entry.message.sender?.did }),
  map: {
    id: (entry) => entry.message.id,
    text: (entry) => entry.message.text,
    from: (entry) => entry.message.sender?.did,
  },
})

const conversation = kind<Conversation>({
  name: 'conversation',
  id: ({ id }) => id,
  at: ({ lastMessage }) => timeOf(lastMessage?.sentAt),
  participants: ({ members, lastMessage }) => ({
    author: lastMessage?.sender?.did,
    others: (members ?? []).map(({ did }) => did),
  }),
  map: {
    text: ({ lastMessage }) => lastMessage?.text,
    to: ({ members }) => (members ?? []).map(({ handle, did }) => handle ?? did),
  },
})

/** Without a cursor the log starts now; this is the smallest possible cursor. */
const FIRST_CURSOR = '2222222222222'

const isMessage = ({ $type, message: view }: Partial<LogEntry>): boolean =>
  /#log(Create|Delete)Message$/.test($type ?? '') && view !== undefined

export const chat = {
  messages: endpoint<Log, LogEntry>({
    ...service,
    path: '/chat.bsky.convo.getLog',
    query: { cursor: FIRST_CURSOR },
    items: ({ logs }) => logs?.filter((entry): entry is LogEntry => entry !== null && isMessage(entry)),
    kind: message,
    types: ['messages'],
    // The log always has a cursor; an empty page is the end.
    pages: cursorPages({ param: 'cursor', from: ({ logs, cursor }: Log) => (logs?.length ? cursor : undefined) }),
    checkpoint: token<Log>({ param: 'cursor', from: ({ cursor }) => cursor }),
    every: '15m',
    class: 'personal',
  }),
  conversations: endpoint<{ convos?: Conversation[]; cursor?: string }, Conversation>({
    ...service,
    path: '/chat.bsky.convo.listConvos',
    items: ({ convos }) => convos,
    kind: conversation,
    types: [],
    pages: cursorPages({
      param: 'cursor',
      from: ({ cursor }: { cursor?: string }) => cursor,
      size: { param: 'limit', value: 100 },
    }),
    every: '6h',
    class: 'personal',
    deletes: 'all',
  }),
}

import { kind, timeOf } from '#kit/read/kind.ts'
import type { Comment, Conversation, MediaWithComments, Message, Person } from './shapes.ts'

const COMMENT = 'id,text,timestamp,username,like_count,from,parent_id,media{id,permalink}'

/** Comments nested in a page of media, because listing them separately would take one call per medium. */
export const COMMENT_FIELDS = `id,username,comments.limit(50){${COMMENT},replies.limit(20){${COMMENT}}}`

const writerOf = ({ from, username }: Comment): string | undefined => from?.username ?? username

/** Comments of others. The media belong to the person, so their `username` identifies the person's own comments. */
export function commentsIn(media: MediaWithComments[] | undefined): Comment[] {
  return (media ?? []).flatMap(({ username, comments }) =>
    (comments?.data ?? [])
      .flatMap((one) => [one, ...(one.replies?.data ?? [])])
      .filter((one) => username === undefined || writerOf(one) !== username),
  )
}

export const comment = kind<Comment>({
  name: 'comment',
  id: (one) => one.id,
  at: (one) => timeOf(one.timestamp),
  participants: (one) => ({ author: one.from?.id }),
  map: {
    text: (one) => one.text,
    author: (one) => ({ name: writerOf(one), handle: writerOf(one) }),
    url: (one) => one.media?.permalink,
    counts: (one) => ({ likes: one.like_count }),
  },
})

/** Only the newest twenty messages of a conversation have a text. */
export const MESSAGE_FIELDS =
  'id,updated_time,participants,messages.limit(20){id,created_time,from,to,message,attachments,shares,is_unsupported}'

export const messagesIn = (conversations: Conversation[] | undefined): Message[] =>
  (conversations ?? []).flatMap(({ messages }) => messages?.data ?? [])

const nameOf = (person: Person | undefined): string | undefined => person?.username ?? person?.id

export const message = kind<Message>({
  name: 'message',
  id: (one) => one.id,
  at: (one) => timeOf(one.created_time),
  participants: (one) => ({ author: one.from?.id, others: (one.to?.data ?? []).map(({ id }) => id) }),
  map: {
    text: (one) => one.message,
    author: ({ from }) => from && { name: from.username, handle: from.username },
    from: (one) => nameOf(one.from),
    to: (one) => (one.to?.data ?? []).map(nameOf).filter((name) => name !== undefined),
    media: ({ attachments }) => {
      const [first] = attachments?.data ?? []
      return first?.image_data?.url ?? first?.video_data?.url ?? first?.file_url
    },
  },
})

import { kind } from '#kit/read/kind.ts'
import type { Conversation, File, Reacted, StoredMessage, User } from './shapes.ts'
import { addressesIn, mentionsIn, readable } from './text.ts'

const millis = (seconds: number | undefined) => (typeof seconds === 'number' ? seconds * 1000 : undefined)

/** The time in a `ts`, in milliseconds. */
export function timeIn(ts: string | undefined): number | undefined {
  const seconds = /^\d{1,12}\.\d{1,6}$/.test(ts ?? '') ? Number(ts) : Number.NaN
  return Number.isNaN(seconds) ? undefined : Math.floor(seconds * 1000)
}

/** A `ts` is unique in its conversation only. */
export const messageId = (channel: string | undefined, ts: string | undefined): string =>
  channel && ts ? `${channel}:${ts}` : ''

export const conversation = kind<Conversation>({
  name: 'conversation',
  id: ({ id }) => id,
  at: ({ created }) => millis(created),
  participants: ({ user }) => ({ others: [user] }),
  peopleOnInstance: true,
  map: {
    name: ({ name }) => name,
    title: ({ topic }) => readable(topic?.value),
    text: ({ purpose }) => readable(purpose?.value),
  },
})

export const message = kind<StoredMessage>({
  name: 'message',
  id: ({ channel, ts }) => messageId(channel, ts),
  at: ({ ts }) => timeIn(ts),
  participants: ({ user, text, reply_users: repliers, reactions }) => ({
    author: user,
    others: [...(repliers ?? []), ...(reactions ?? []).flatMap(({ users }) => users ?? []), ...mentionsIn(text)],
  }),
  peopleOnInstance: true,
  map: {
    text: ({ text }) => readable(text),
    author: ({ user, username, bot_id: bot }) => ({ name: username ?? user ?? bot }),
    from: ({ user, username, bot_id: bot }) => username ?? user ?? bot,
    urls: ({ text }) => addressesIn(text),
    media: ({ files }) => files?.[0]?.permalink,
    counts: ({ reply_count: comments, reactions }) => ({
      comments,
      likes: reactions?.reduce((sum, { count }) => sum + (count ?? 0), 0),
    }),
  },
})

export const reacted = kind<Reacted>({
  name: 'reaction',
  id: ({ channel, message: of, file: on }) => (of === undefined ? (on?.id ?? '') : messageId(channel, of.ts)),
  at: ({ message: of, file: on }) => timeIn(of?.ts) ?? millis(on?.created),
  participants: ({ message: of, file: on }) => ({ author: of?.user ?? on?.user }),
  peopleOnInstance: true,
  map: {
    text: ({ message: of, file: on }) => readable(of?.text) ?? on?.title,
    url: ({ file: on }) => on?.permalink,
  },
})

export const file = kind<File>({
  name: 'file',
  id: ({ id }) => id,
  at: ({ created, timestamp }) => millis(created ?? timestamp),
  participants: ({ user }) => ({ author: user }),
  peopleOnInstance: true,
  map: {
    title: ({ title, name }) => title ?? name,
    path: ({ name }) => name,
    mime: ({ mimetype }) => mimetype,
    bytes: ({ size }) => size,
    url: ({ permalink }) => permalink,
  },
})

export const user = kind<User>({
  name: 'user',
  id: ({ id }) => id,
  // Accounts are deactivated, not deleted.
  deleted: ({ deleted }) => deleted === true,
  peopleOnInstance: true,
  map: {
    name: ({ profile, real_name: name }) => profile?.real_name || name,
    nickname: ({ profile, name }) => profile?.display_name || name,
    email: ({ profile }) => profile?.email,
    phone: ({ profile }) => profile?.phone,
    photo: ({ profile }) => profile?.image_512 ?? profile?.image_192,
    text: ({ profile }) => profile?.status_text,
  },
  card: { id: ({ id }) => id, handle: ({ name }) => name, work: ({ profile }) => profile?.title },
})

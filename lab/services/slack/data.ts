import type { ServiceClock } from '../../base/clock.ts'
import type { Person } from '../../base/people.ts'
import type { Random } from '../../base/random.ts'
import { InvalidSetting } from '../../base/settings.ts'
import { momentsBack } from '../../data/moments.ts'

export const TEAM = { id: 'T0LAB00001', name: 'Lab' }

export type ChannelType = 'public_channel' | 'private_channel' | 'mpim' | 'im'

export interface Channel {
  id: string
  type: ChannelType
  name: string
  created: number
  /** Ids of people. */
  members: string[]
}

export interface Message {
  channel: string
  ts: string
  user: string
  text: string
  threadTs?: string
  edited?: { user: string; ts: string }
  reactions: { name: string; users: string[] }[]
  files?: SharedFile[]
}

export interface SharedFile {
  id: string
  user: string
  name: string
  created: number
  title?: string
  /** Default: 120 bytes. */
  size?: number
}

export interface SlackData {
  channels: Channel[]
  files: SharedFile[]
  /** Of a conversation, without answers in threads, newest first. */
  history(channel: string): Message[]
  /** Answers to a message, oldest first. */
  replies(channel: string, ts: string): Message[]
  reactedBy(user: string): Message[]
  find(id: string): Message
  message(id: string): Message | undefined
  post(channel: string, user: string, text: string, threadTs?: string): Message
  edit(id: string, text: string): Message
  react(id: string, name: string, user: string): void
  attach(id: string, files: SharedFile[]): Message
  remove(id: string): Message
  nextTs(): string
}

const words = [
  'The build is green',
  'Lunch?',
  'Who has the keys',
  'Numbers are in',
  'See <https://a.test/?a=1&amp;b=2|the plan>',
]

export const idOf = ({ channel, ts }: Message): string => `${channel}:${ts}`

/** One workspace. Everybody but the newcomer is in `general`; somebody who is not a member of a private conversation does not see it. */
export function createSlackData(parts: { people: Person[]; random: Random; clock: ServiceClock }): SlackData {
  const { people, random, clock } = parts
  const nowMs = clock.now()
  const messages = new Map<string, Message>()
  const active = people.filter(({ activity }) => activity > 0)
  const named = (...names: string[]) => people.filter(({ username }) => names.includes(username)).map(({ id }) => id)
  let sequence = 0
  const stamp = (ms: number) => `${Math.floor(ms / 1000)}.${String((sequence += 1) % 1_000_000).padStart(6, '0')}`
  const nextTs = () => stamp(clock.now())
  const channel = (id: string, type: ChannelType, name: string, members: string[]): Channel => ({
    id,
    type,
    name,
    created: Math.floor(nowMs / 1000) - 400 * 86_400,
    members,
  })
  const channels = [
    channel(
      'C0GENERAL',
      'public_channel',
      'general',
      active.map(({ id }) => id),
    ),
    channel('C0RANDOM', 'public_channel', 'random', named('ada', 'ben', 'dmitri')),
    channel('C0OTHERS', 'public_channel', 'others', named('esra')),
    channel('G0BOARD', 'private_channel', 'board', named('ada', 'chloe', 'dmitri', 'esra')),
    channel('G0THREE', 'mpim', 'mpdm-ada--ben--dmitri-1', named('ada', 'ben', 'dmitri')),
    channel('D0ADADMI', 'im', '', named('ada', 'dmitri')),
    channel('D0BENCHL', 'im', '', named('ben', 'chloe')),
  ]
  const put = (message: Message) => {
    messages.set(idOf(message), message)
    return message
  }
  const post = (to: string, user: string, text: string, threadTs?: string, ts = nextTs()) =>
    put({ channel: to, ts, user, text, reactions: [], ...(threadTs === undefined ? {} : { threadTs }) })
  for (const { id, members } of channels) {
    const own = random.fork(id)
    const moments = momentsBack(own, id === 'C0GENERAL' ? 240 : 24, nowMs, 120).toReversed()
    for (const [at, ms] of moments.entries()) {
      const text = at % 9 === 0 ? `<@${own.pick(members)}> look` : own.pick(words)
      const { ts } = post(id, own.pick(members), text, undefined, stamp(ms))
      if (at % 12 === 3)
        for (let n = 1; n <= 3; n++) post(id, own.pick(members), `Answer ${n}`, ts, stamp(ms + n * 5000))
      if (at % 10 === 1) messages.get(`${id}:${ts}`)?.reactions.push({ name: 'tada', users: own.some(members, 2) })
    }
  }
  const files = active.flatMap(({ id, username }) =>
    Array.from({ length: username === 'ada' ? 120 : 4 }, (_, at) => ({
      id: `F0${username.toUpperCase()}${at}`,
      user: id,
      name: `notes-${at}.txt`,
      created: Math.floor(nowMs / 1000) - at * 3600,
    })),
  )
  const all = () => [...messages.values()]
  const byTime = (a: Message, b: Message) => (a.ts < b.ts ? -1 : 1)
  const find = (id: string): Message => {
    const found = messages.get(id)
    if (found === undefined) throw new InvalidSetting(`there is no message ${id}`)
    return found
  }
  return {
    channels,
    files,
    nextTs,
    find,
    message: (id) => messages.get(id),
    history: (of) =>
      all()
        .filter((each) => each.channel === of && each.threadTs === undefined)
        .sort(byTime)
        .toReversed(),
    replies: (of, ts) =>
      all()
        .filter((each) => each.channel === of && each.threadTs === ts)
        .sort(byTime),
    reactedBy: (user) =>
      all()
        .filter(({ reactions }) => reactions.some(({ users }) => users.includes(user)))
        .sort(byTime)
        .toReversed(),
    post: (to, user, text, threadTs) => post(to, user, text, threadTs),
    edit(id, text) {
      const message = find(id)
      return put({ ...message, text, edited: { user: message.user, ts: nextTs() } })
    },
    react(id, name, user) {
      const { reactions } = find(id)
      const same = reactions.find((each) => each.name === name)
      if (same === undefined) reactions.push({ name, users: [user] })
      else same.users.push(user)
    },
    attach: (id, shared) => put({ ...find(id), files: shared }),
    remove(id) {
      const message = find(id)
      messages.delete(id)
      return message
    },
  }
}

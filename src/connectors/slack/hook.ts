import type { Hook } from '#kit/connector/connector.ts'
import { timedSignature, urlVerification } from '#kit/connector/hook.ts'
import type { HookItem } from '#kit/hooks/hook-life-cycle.ts'
import { messageId, timeIn } from './kinds.ts'
import type { Message, StoredMessage } from './shapes.ts'

interface Envelope {
  type?: string
  team_id?: string
  event_time?: number
  event?: Event
  /** One of the people that an event is visible to. Slack names the others only to apps with an app-level token. */
  authorizations?: { team_id?: string; user_id?: string; is_bot?: boolean }[]
  /** The older form, with all of them. */
  authed_users?: string[]
}

interface Event extends Partial<Message> {
  channel?: unknown
  channel_type?: string
  event_ts?: string
  /** The new version, of `message_changed` and `message_replied`. */
  message?: Message
  previous_message?: Message
  /** Of `message_deleted`. */
  deleted_ts?: string
  /** Of `tokens_revoked`. */
  tokens?: { oauth?: string[] }
}

/** The id of a person with that of the workspace. */
export const personId = (user: string | undefined, team: string | undefined): string =>
  user && team ? `${user}@${team}` : ''

const ENDED = ['tokens_revoked', 'app_uninstalled']

const ENDPOINTS: [type: RegExp, endpoints: string[]][] = [
  [/^reaction_/, ['reactions', 'messages']],
  [/^file_/, ['files']],
  [/^(team_join|user_change|user_profile_changed)$/, ['users']],
  [/^(channel|group|im|mpim|member)_/, ['conversations', 'messages']],
]

/**
 * The Events API. Signed with the signing secret of the app, which is the hook's secret, together with the time. Messages, edits and
 * deletions are in the body; other events make the lists due that they are about.
 */
export const hook: Hook = {
  ...timedSignature({ signature: 'x-slack-signature', time: 'x-slack-request-timestamp' }),
  handshake: urlVerification,
  people: (body) => {
    const envelope = body as Envelope
    if (envelope.type === 'app_rate_limited') return []
    const type = envelope.event?.type
    if (type === undefined) throw new TypeError('an event has a type')
    return type === 'message' || ENDED.includes(type) ? [] : peopleOf(envelope)
  },
  endpoints: (body) => {
    const type = (body as Envelope).event?.type ?? ''
    return ENDPOINTS.find(([pattern]) => pattern.test(type))?.[1]
  },
  items: (body) => {
    const envelope = body as Envelope
    const change = changeIn(envelope.event)
    return change === undefined ? [] : peopleOf(envelope).map((person): HookItem => ({ person, ...change }))
  },
  // An edit, or a new answer: whichever was last. Reactions have no time, so that they make the list be read again.
  version: (record) => {
    const { ts, edited, latest_reply: reply } = record as StoredMessage
    const times = [ts, edited?.ts, reply].map(timeIn).filter((time) => time !== undefined)
    return times.length === 0 ? undefined : Math.max(...times)
  },
  // `app_uninstalled` names nobody. Slack revokes the tokens with it, which `tokens_revoked` reports by their people.
  ended: (body) => {
    const { event, team_id: team, event_time: seconds } = body as Envelope
    if (event?.type !== 'tokens_revoked' || seconds === undefined) return []
    return (event.tokens?.oauth ?? []).map((user) => ({ person: personId(user, team), at: seconds * 1000 }))
  },
}

function peopleOf({ authorizations, authed_users: users, team_id: team }: Envelope): string[] {
  const named = (authorizations ?? [])
    .filter((each) => each.is_bot !== true)
    .map((each) => personId(each.user_id, each.team_id ?? team))
  const older = (users ?? []).map((user) => personId(user, team))
  return [...new Set([...named, ...older])].filter((person) => person !== '')
}

type Change = { endpoint: string; record: object } | { endpoint: string; deleted: string; at: number }

function changeIn(event: Event | undefined): Change | undefined {
  if (event?.type !== 'message' || typeof event.channel !== 'string') return undefined
  const { channel } = event
  if (event.subtype === 'message_deleted') {
    const at = timeIn(event.event_ts)
    const deleted = messageId(channel, event.deleted_ts)
    return at === undefined || deleted === ''
      ? undefined
      : { endpoint: endpointOf(event.previous_message), deleted, at }
  }
  if (event.message !== undefined)
    return { endpoint: endpointOf(event.message), record: { ...event.message, channel } satisfies StoredMessage }
  const { event_ts: _time, channel_type: _type, ...message } = event
  return { endpoint: endpointOf(message), record: { ...message, channel } }
}

/** An answer in a thread is not in the history, unless it was sent to the conversation as well. */
function endpointOf(message: Partial<Message> | undefined): string {
  const isAnswer = message?.thread_ts !== undefined && message.thread_ts !== message.ts
  return isAnswer && message.subtype !== 'thread_broadcast' ? 'replies' : 'messages'
}

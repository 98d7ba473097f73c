import type { Person } from '../../base/people.ts'
import { type Channel, type Message, type SharedFile, type SlackData, TEAM } from './data.ts'

/** Type and media type of a file, by the ending of its name. */
const TYPES: Record<string, [string, string]> = {
  txt: ['text', 'text/plain'],
  png: ['png', 'image/png'],
  jpg: ['jpg', 'image/jpeg'],
  pdf: ['pdf', 'application/pdf'],
}

export function presentMessage(data: SlackData, message: Message): Record<string, unknown> {
  const { channel, ts, user, text, threadTs, edited, reactions, files } = message
  const replies = threadTs === undefined ? data.replies(channel, ts) : []
  const thread =
    replies.length === 0
      ? {}
      : {
          thread_ts: ts,
          reply_count: replies.length,
          reply_users: [...new Set(replies.map((each) => each.user))],
          latest_reply: replies.at(-1)?.ts,
        }
  return {
    type: 'message',
    user,
    text,
    ts,
    team: TEAM.id,
    ...(threadTs === undefined ? thread : { thread_ts: threadTs }),
    ...(edited === undefined ? {} : { edited }),
    ...(files === undefined ? {} : { files: files.map(presentFile), upload: true }),
    ...(reactions.length === 0
      ? {}
      : { reactions: reactions.map(({ name, users }) => ({ name, users, count: users.length })) }),
  }
}

export function presentChannel({ id, type, name, created, members }: Channel, me: string): object {
  const common = { id, created, is_archived: false, is_org_shared: false, context_team_id: TEAM.id }
  if (type === 'im')
    return { ...common, is_im: true, user: members.find((member) => member !== me), is_user_deleted: false }
  return {
    ...common,
    name,
    name_normalized: name,
    is_channel: type === 'public_channel',
    is_group: type === 'private_channel',
    is_im: false,
    is_mpim: type === 'mpim',
    is_private: type !== 'public_channel',
    is_general: name === 'general',
    creator: members[0],
    topic: { value: '', creator: '', last_set: 0 },
    purpose: { value: `About ${name}`, creator: members[0], last_set: created },
  }
}

export function presentProfile(url: string, person: Person, withEmail: boolean): object {
  return {
    title: person.bio,
    phone: '',
    real_name: person.name,
    real_name_normalized: person.name,
    display_name: person.username,
    status_text: '',
    ...(withEmail && person.email !== undefined ? { email: person.email } : {}),
    image_192: `${url}/pictures/192x192-200.svg`,
    image_512: `${url}/pictures/512x512-200.svg`,
    team: TEAM.id,
  }
}

export function presentUser(url: string, person: Person, withEmail: boolean): object {
  return {
    id: person.id,
    team_id: TEAM.id,
    name: person.username,
    deleted: false,
    real_name: person.name,
    tz: person.timezone,
    is_bot: false,
    is_app_user: false,
    updated: 1_700_000_000,
    profile: presentProfile(url, person, withEmail),
  }
}

export function presentFile({ id, user, name, created, title = name, size = 120 }: SharedFile): object {
  const [filetype, mimetype] = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? TYPES['txt']!
  return {
    id,
    created,
    timestamp: created,
    name,
    title,
    mimetype,
    filetype,
    user,
    size,
    is_external: false,
    url_private: `https://files.slack.com/files-pri/${TEAM.id}-${id}/${name}`,
    permalink: `https://lab.slack.com/files/${user}/${id}/${name}`,
  }
}

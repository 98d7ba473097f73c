import type { DataControl } from '../../base/service-parts.ts'
import type { Caller } from '../../oauth2/bearer.ts'
import { type Method, type Params, refusal, requireScope } from './call.ts'
import { type Channel, idOf, type Message, type SlackData } from './data.ts'
import { presentFile, presentMessage } from './present.ts'
import type { Uploads } from './uploads.ts'

const MAX_TEXT = 40_000

interface Parts {
  data: SlackData
  uploads: Uploads
  /** Posts, edits and deletes messages, and sends the events. */
  messages: DataControl
  /** The conversation that the parameters name, if the caller sees it. */
  channelFor: (caller: Caller, params: Params) => Channel
}

/** The methods that change something, as the person. */
export function slackWrites({ data, uploads, messages, channelFor }: Parts): Record<string, Method> {
  /** A conversation that the caller may post to. */
  const joined = (caller: Caller, params: Params): Channel => {
    const channel = channelFor(caller, params)
    if (!channel.members.includes(caller.person.id)) throw refusal('not_in_channel')
    return channel
  }
  const named = (caller: Caller, params: Params, field: string): Message => {
    const message = data.message(`${channelFor(caller, params).id}:${params(field)}`)
    if (message === undefined) throw refusal('message_not_found')
    return message
  }
  /** A message of the caller. */
  const own = (caller: Caller, params: Params, otherwise: string): Message => {
    requireScope(caller.scopes, 'chat:write')
    const message = named(caller, params, 'ts')
    if (message.user !== caller.person.id) throw refusal(otherwise)
    return message
  }
  const textOf = (params: Params): string => {
    const text = params('text') ?? ''
    if (text === '') throw refusal('no_text')
    if (text.length > MAX_TEXT) throw refusal('msg_too_long')
    return text
  }
  const post = ({ person }: Caller, channel: Channel, text: string, thread: string | undefined): Message => {
    if (thread !== undefined && data.message(`${channel.id}:${thread}`) === undefined)
      throw refusal('cannot_reply_to_message')
    const to = thread === undefined ? {} : { thread_ts: thread }
    const { id } = messages.add(person.username, 'messages', { channel: channel.id, text, ...to })
    return data.find(String(id))
  }

  return {
    'chat.postMessage': [
      'special',
      (caller, params) => {
        requireScope(caller.scopes, 'chat:write')
        const message = post(caller, joined(caller, params), textOf(params), params('thread_ts'))
        return { channel: message.channel, ts: message.ts, message: presentMessage(data, message) }
      },
    ],
    'chat.update': [
      3,
      (caller, params) => {
        const { channel, ts } = own(caller, params, 'cant_update_message')
        const text = textOf(params)
        messages.edit(caller.person.username, 'messages', `${channel}:${ts}`, { text })
        return { channel, ts, text, message: presentMessage(data, data.find(`${channel}:${ts}`)) }
      },
    ],
    'chat.delete': [
      3,
      (caller, params) => {
        const { channel, ts } = own(caller, params, 'cant_delete_message')
        messages.remove(caller.person.username, 'messages', `${channel}:${ts}`)
        return { channel, ts }
      },
    ],
    'reactions.add': [
      3,
      (caller, params) => {
        requireScope(caller.scopes, 'reactions:write')
        const name = params('name') ?? ''
        if (params('timestamp') === undefined) throw refusal('no_item_specified')
        const message = named(caller, params, 'timestamp')
        if (!/^[a-z0-9_+'-]+$/.test(name)) throw refusal('invalid_name')
        const given = message.reactions.find((each) => each.name === name)
        if (given?.users.includes(caller.person.id)) throw refusal('already_reacted')
        data.react(idOf(message), name, caller.person.id)
        return {}
      },
    ],
    'files.getUploadURLExternal': [
      4,
      ({ person, scopes }, params) => {
        requireScope(scopes, 'files:write')
        const [name, size] = [params('filename') ?? '', Number(params('length'))]
        if (name === '' || !Number.isInteger(size) || size < 1) throw refusal('invalid_arguments')
        return uploads.begin(person.id, name, size)
      },
    ],
    'files.completeUploadExternal': [
      4,
      (caller, params) => {
        requireScope(caller.scopes, 'files:write')
        const wanted = filesIn(params('files'))
        const to = params('channel_id')
        const channel = to === undefined ? undefined : joined(caller, (name) => (name === 'channel' ? to : undefined))
        const files = uploads.complete(caller.person.id, wanted)
        if (files === undefined) throw refusal('file_not_found')
        if (channel !== undefined) {
          const message = post(caller, channel, params('initial_comment') ?? '', params('thread_ts'))
          data.attach(idOf(message), files)
        }
        return { files: files.map(presentFile) }
      },
    ],
  }
}

function filesIn(text = ''): { id: string; title?: string }[] {
  let files: unknown
  try {
    files = JSON.parse(text)
  } catch {
    throw refusal('invalid_arguments')
  }
  const isFile = (each: unknown) => typeof (each as { id?: unknown } | null)?.id === 'string'
  if (!Array.isArray(files) || files.length === 0 || !files.every(isFile)) throw refusal('invalid_arguments')
  return files as { id: string; title?: string }[]
}

import type { Person } from '../../base/people.ts'
import { json, type Reply, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { DataControl, ServiceContext } from '../../base/service-parts.ts'
import type { Caller } from '../../oauth2/bearer.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import { type Method, type Params, paramsOf, refusal, requireScope } from './call.ts'
import { type Channel, type ChannelType, type SlackData, TEAM } from './data.ts'
import type { SlackLimits } from './limits.ts'
import { presentChannel, presentFile, presentMessage, presentProfile, presentUser } from './present.ts'
import { createUploads } from './uploads.ts'
import { slackWrites } from './writes.ts'

interface ApiParts {
  context: ServiceContext
  oauth: OAuth2Server
  people: Person[]
  data: SlackData
  limits: SlackLimits
  messages: DataControl
  /** Conversations that the service refuses to everybody. */
  refused: Set<string>
}

const READ: Record<ChannelType, string> = {
  public_channel: 'channels:read',
  private_channel: 'groups:read',
  mpim: 'mpim:read',
  im: 'im:read',
}
const HISTORY: Record<ChannelType, string> = {
  public_channel: 'channels:history',
  private_channel: 'groups:history',
  mpim: 'mpim:history',
  im: 'im:history',
}

export function slackApi({ context, oauth, people, data, limits, messages, refused }: ApiParts): Routes {
  const method = (name: string, ...[tier, act]: Method): Routes => {
    const run = (request: LabRequest): Reply => {
      const caller = callerOf(oauth, request)
      limits.acquire(caller.client.key, name, tier)
      const params = paramsOf(request)
      return json(200, { ok: true, ...act(caller, params) }, { 'x-oauth-scopes': caller.scopes.join(',') })
    }
    return { [`GET /api/${name}`]: run, [`POST /api/${name}`]: run }
  }

  /** A cursor is opaque: here the number of records before it. */
  const page = <Raw>(params: Params, all: readonly Raw[], field: string, show: (raw: Raw) => unknown, most = 999) => {
    const limit = Math.min(wholeNumber(params('limit') ?? '100', 'invalid_limit'), most)
    const cursor = params('cursor') ?? ''
    const from = cursor === '' ? 0 : positionOf(cursor)
    const isMore = from + limit < all.length
    return {
      [field]: all.slice(from, from + limit).map(show),
      response_metadata: { next_cursor: isMore ? cursorAt(from + limit) : '' },
      isMore,
    }
  }

  const list = <Raw>(params: Params, all: readonly Raw[], field: string, show: (raw: Raw) => unknown) => {
    const { isMore: _, ...rest } = page(params, all, field, show)
    return rest
  }

  const visibleChannel = ({ person }: Caller, params: Params): Channel => {
    const channel = data.channels.find(({ id }) => id === params('channel'))
    const isVisible = channel?.type === 'public_channel' || channel?.members.includes(person.id) === true
    if (channel === undefined || !isVisible || refused.has(channel.id)) throw refusal('channel_not_found')
    return channel
  }
  const channelFor = (caller: Caller, params: Params): Channel => {
    const channel = visibleChannel(caller, params)
    requireScope(caller.scopes, HISTORY[channel.type])
    return channel
  }

  const messagesIn = (params: Params, all: ReturnType<SlackData['history']>) => {
    const [oldest, latest] = [Number(params('oldest') ?? 0), Number(params('latest') ?? Infinity)]
    if (Number.isNaN(oldest)) throw refusal('invalid_ts_oldest')
    const shown = all.filter(({ ts }) => Number(ts) > oldest && Number(ts) < latest)
    const most = limits.settings.marketplace ? 999 : 15
    const { isMore, ...rest } = page(params, shown, 'messages', (each) => presentMessage(data, each), most)
    return { ...rest, has_more: isMore }
  }

  const uploads = createUploads(context, data)
  const writes = slackWrites({ data, uploads, messages, channelFor: visibleChannel })
  const unknown = () => refusal('unknown_method').reply

  return {
    ...uploads.routes,
    ...Object.assign({}, ...Object.entries(writes).map(([name, each]) => method(name, ...each))),
    ...method('auth.test', 'special', ({ person }) => ({
      url: 'https://lab.slack.com/',
      team: TEAM.name,
      user: person.username,
      team_id: TEAM.id,
      user_id: person.id,
      is_enterprise_install: false,
    })),
    ...method('users.profile.get', 4, ({ person, scopes }) => {
      requireScope(scopes, 'users.profile:read')
      return { profile: presentProfile(context.url(), person, scopes.includes('users:read.email')) }
    }),
    ...method('users.list', 2, ({ scopes }, params) => {
      requireScope(scopes, 'users:read')
      const slackbot = { id: 'USLACKBOT', team_id: TEAM.id, name: 'slackbot', deleted: false, is_bot: false }
      const all = people.map((each) => presentUser(context.url(), each, scopes.includes('users:read.email')))
      return list(params, [...all, slackbot], 'members', (each) => each)
    }),
    ...method('users.conversations', 3, ({ person, scopes }, params) => {
      const types = (params('types') ?? 'public_channel').split(',')
      for (const type of types) {
        if (!Object.hasOwn(READ, type)) throw refusal('invalid_types')
        requireScope(scopes, READ[type as ChannelType])
      }
      const own = data.channels.filter(({ type, members }) => types.includes(type) && members.includes(person.id))
      return list(params, own, 'channels', (each) => presentChannel(each, person.id))
    }),
    ...method('conversations.history', 3, (caller, params) =>
      messagesIn(params, data.history(channelFor(caller, params).id)),
    ),
    ...method('conversations.replies', 3, (caller, params) => {
      const { id } = channelFor(caller, params)
      const parent = data.history(id).find(({ ts }) => ts === params('ts'))
      if (parent === undefined) throw refusal('thread_not_found')
      return messagesIn(params, [parent, ...data.replies(id, parent.ts)])
    }),
    ...method('files.list', 3, ({ scopes }, params) => {
      requireScope(scopes, 'files:read')
      const user = params('user')
      if (user !== undefined && !people.some(({ id }) => id === user)) throw refusal('user_not_found')
      const all = data.files.filter((each) => user === undefined || each.user === user)
      const count = wholeNumber(params('count') ?? '100', 'invalid_arguments')
      const number = wholeNumber(params('page') ?? '1', 'invalid_arguments')
      return {
        files: all.slice((number - 1) * count, number * count).map(presentFile),
        paging: { count, total: all.length, page: number, pages: Math.max(1, Math.ceil(all.length / count)) },
      }
    }),
    ...method('reactions.list', 2, ({ person, scopes }, params) => {
      requireScope(scopes, 'reactions:read')
      return list(params, data.reactedBy(person.id), 'items', (each) => ({
        type: 'message',
        channel: each.channel,
        message: presentMessage(data, each),
      }))
    }),
    'GET /api/:method': unknown,
    'POST /api/:method': unknown,
  }
}

/** The caller, or the vendor's error. */
function callerOf(oauth: OAuth2Server, request: LabRequest): Caller {
  if (request.headers.authorization === undefined) throw refusal('not_authed')
  return refusedAs(
    () => oauth.guard(request),
    () => refusal(oauth.settings.refresh === 'none' ? 'token_revoked' : 'token_expired'),
  )
}

const cursorAt = (position: number) => Buffer.from(`next:${position}`).toString('base64')

function positionOf(cursor: string): number {
  const [, position] = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString()) ?? []
  if (position === undefined) throw refusal('invalid_cursor')
  return Number(position)
}

function wholeNumber(text: string, error: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw refusal(error)
  return value
}

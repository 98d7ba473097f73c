import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, Refusal, type Reply, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { TwitchData } from './data.ts'

interface ApiParts {
  oauth: OAuth2Server
  data: TwitchData
  rateLimit: RateLimit
}

const problem = (status: number, error: string, message: string) =>
  new Refusal(json(status, { error, status, message }))
const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

export function twitchApi({ oauth, data, rateLimit }: ApiParts): Routes {
  const endpoint =
    (
      scope: string | undefined,
      act: (person: Person, request: LabRequest, scopes: readonly string[]) => Reply,
    ): Handler =>
    (request) => {
      const {
        person,
        scopes,
        client: { key: clientKey },
      } = callerOf(oauth, request)
      const given = request.headers['client-id']
      if (given === undefined) throw problem(401, 'Unauthorized', 'OAuth token is missing')
      if (given !== clientKey) throw problem(401, 'Unauthorized', 'Client ID and OAuth token do not match')
      const counted = countCall(rateLimit, `${clientKey} ${person.id}`)
      if (scope !== undefined && !scopes.includes(scope)) throw problem(401, 'Unauthorized', `Missing scope: ${scope}`)
      return counted(act(person, request, scopes))
    }

  /** `param` must name the person themselves. */
  const list = (
    param: string,
    kind: string,
    scope: string | undefined,
    present: (item: StoredItem, person: Person) => object,
    hasTotal = false,
    choose: (items: StoredItem[], request: LabRequest) => StoredItem[] = (items) => items,
  ) =>
    endpoint(scope, (person, request) => {
      const id = first(request.query, param)
      if (id === undefined) throw problem(400, 'Bad Request', `Missing required parameter "${param}"`)
      if (id !== person.id)
        throw problem(401, 'Unauthorized', `The ID in ${param} must match the user ID found in the OAuth token`)
      const size = Number(first(request.query, 'first') ?? 20)
      if (!(size >= 1 && size <= 100))
        throw problem(
          400,
          'Bad Request',
          'The parameter "first" was malformed: the value must be less than or equal to 100',
        )
      const offset = Number(Buffer.from(first(request.query, 'after') ?? '', 'base64url').toString() || 0)
      const all = choose(data.store.list(person.username, kind).filter(isShown), request)
      const end = offset + size
      return json(200, {
        ...(hasTotal ? { total: all.length } : {}),
        data: all.slice(offset, end).map((item) => present(item, person)),
        pagination: end < all.length ? { cursor: Buffer.from(String(end)).toString('base64url') } : {},
      })
    })

  const clips = (present: (item: StoredItem, person: Person) => object) =>
    list('broadcaster_id', 'clips', undefined, present, false, mostViewed)

  const followers = list(
    'broadcaster_id',
    'followers',
    undefined,
    ({ fields, createdAtMs }) => {
      const { id, username, name } = fields['other'] as Acquaintance
      return { user_id: id, user_login: username, user_name: name, followed_at: timeText(createdAtMs) }
    },
    true,
  )
  /** Without the scope the response has only the number. */
  const onlyTotal = endpoint(undefined, ({ username }) =>
    json(200, { total: data.store.list(username, 'followers').filter(isShown).length, data: [], pagination: {} }),
  )

  const users = endpoint(undefined, (person, _request, scopes) =>
    json(200, {
      data: [
        {
          id: person.id,
          login: person.username,
          display_name: person.name,
          type: '',
          broadcaster_type: 'affiliate',
          description: person.bio,
          profile_image_url: `https://static-cdn.jtvnw.net/jtv_user_pictures/${person.username}-300x300.png`,
          offline_image_url: '',
          view_count: 0,
          created_at: '2016-12-14T20:32:28Z',
          ...(scopes.includes('user:read:email') && person.email !== undefined ? { email: person.email } : {}),
        },
      ],
    }),
  )

  return {
    'GET /helix/users': users,
    'GET /helix/channels/followed': list(
      'user_id',
      'follows',
      'user:read:follows',
      ({ fields, createdAtMs }) => {
        const { id, username, name } = fields['other'] as Acquaintance
        return {
          broadcaster_id: id,
          broadcaster_login: username,
          broadcaster_name: name,
          followed_at: timeText(createdAtMs),
        }
      },
      true,
    ),
    'GET /helix/channels/followers': (request, params) =>
      (callerOf(oauth, request).scopes.includes('moderator:read:followers') ? followers : onlyTotal)(request, params),
    'GET /helix/subscriptions': list(
      'broadcaster_id',
      'subscriptions',
      'channel:read:subscriptions',
      ({ fields }, person) => {
        const { id, username, name } = fields['other'] as Acquaintance
        return {
          broadcaster_id: person.id,
          broadcaster_login: person.username,
          broadcaster_name: person.name,
          gifter_id: '',
          gifter_login: '',
          gifter_name: '',
          is_gift: false,
          plan_name: 'Channel Subscription',
          tier: '1000',
          user_id: id,
          user_login: username,
          user_name: name,
        }
      },
      true,
    ),
    'GET /helix/videos': list('user_id', 'videos', undefined, (item, person) => ({
      id: item.id,
      stream_id: null,
      user_id: person.id,
      user_login: person.username,
      user_name: person.name,
      title: item.fields['title'],
      description: '',
      created_at: timeText(item.createdAtMs),
      published_at: timeText(item.createdAtMs),
      url: `https://www.twitch.tv/videos/${item.id}`,
      thumbnail_url: `https://static-cdn.jtvnw.net/cf_vods/${item.id}/thumb0-%{width}x%{height}.jpg`,
      viewable: 'public',
      view_count: item.fields['views'],
      language: 'en',
      type: 'archive',
      duration: item.fields['duration'],
      muted_segments: null,
    })),
    'GET /helix/clips': clips((item, person) => {
      const creator = item.fields['creator'] as Acquaintance | undefined
      const slug = `AwkwardHelplessSalamander${item.id}`
      return {
        id: slug,
        url: `https://clips.twitch.tv/${slug}`,
        embed_url: `https://clips.twitch.tv/embed?clip=${slug}`,
        broadcaster_id: person.id,
        broadcaster_name: person.name,
        creator_id: creator?.id ?? person.id,
        creator_name: creator?.name ?? person.name,
        video_id: '',
        game_id: '33103',
        language: 'en',
        title: item.fields['title'],
        view_count: item.fields['views'],
        created_at: timeText(item.createdAtMs),
        thumbnail_url: `https://clips-media-assets.twitch.tv/${item.id}-preview-480x272.jpg`,
        duration: item.fields['seconds'] ?? 30,
        vod_offset: null,
        is_featured: false,
      }
    }),
  }
}

const maxClips = 1000
const weekMs = 7 * 86_400_000

/** Those of the period with the most views. A period without an end is a week; without a start there is none. */
function mostViewed(items: StoredItem[], request: LabRequest): StoredItem[] {
  const start = Date.parse(first(request.query, 'started_at') ?? '')
  const end = Date.parse(first(request.query, 'ended_at') ?? '')
  const untilMs = Number.isNaN(end) ? start + weekMs : end
  const inside = items.filter(
    ({ createdAtMs }) => Number.isNaN(start) || (createdAtMs >= start && createdAtMs <= untilMs),
  )
  return inside.sort((a, b) => Number(b.fields['views']) - Number(a.fields['views'])).slice(0, maxClips)
}

const callerOf = (oauth: OAuth2Server, request: LabRequest) =>
  refusedAs(
    () => oauth.guard(request),
    () => problem(401, 'Unauthorized', 'Invalid OAuth token'),
  )

function countCall(rateLimit: RateLimit, key: string): (reply: Reply) => Reply {
  const renamed = (headers: Reply['headers']) => ({
    'ratelimit-limit': headers['x-ratelimit-limit'],
    'ratelimit-remaining': headers['x-ratelimit-remaining'],
    'ratelimit-reset': headers['x-ratelimit-reset'],
  })
  try {
    const withLimits = rateLimit.acquire(key)
    return (reply) => ({ ...reply, headers: { ...reply.headers, ...renamed(withLimits(reply).headers) } })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const body = { error: 'Too Many Requests', status: 429, message: 'Too Many Requests' }
    throw new Refusal(json(429, body, renamed(error.reply.headers)))
  }
}

import { first } from '../../base/pairs.ts'
import { json, noContent, Refusal, type Reply, withHeaders } from '../../base/reply.ts'
import { namedAccount } from './account-routes.ts'
import { bodyOf } from './body.ts'
import type { ApiParts, Call, GithubApi } from './endpoint.ts'
import { githubError, invalidField, notFound } from './errors.ts'
import { pagedReply, timeParam } from './page.ts'
import { presentEvent, presentGist, presentNotification } from './present/activity.ts'

const eventDaysMs = 30 * 86_400_000
const eventCap = 300
const polling = { 'x-poll-interval': 60 }

export function activityResources({ context, data }: ApiParts, { list, one, own }: GithubApi) {
  const now = () => context.clock.now()

  /** At most thirty days and 300 entries; private events require the person's own token. */
  function events(call: Call, logins: string[], showPrivate: boolean): Reply {
    const fresh = now() - eventDaysMs
    const items = logins
      .flatMap((login) => data.events.shown(login))
      .filter(({ createdAtMs, fields }) => createdAtMs >= fresh && (showPrivate || fields.public))
      .toSorted((a, b) => b.createdAtMs - a.createdAtMs || Number(b.id) - Number(a.id))
    return withHeaders(
      pagedReply({ ...call, items, present: (item) => presentEvent(call, item), cap: eventCap }),
      polling,
    )
  }
  const ownEvents = (publicOnly: boolean) => (call: Call) => {
    const { login } = namedAccount(call)
    return events(call, [login], !publicOnly && login === call.viewer.login && call.may('repo'))
  }
  const received = (call: Call) => {
    const followed = data.following(namedAccount(call).login).map(({ login }) => login)
    return events(call, followed, false)
  }

  const gists = (loginOf: (call: Call) => string) => (call: Call) => {
    const login = loginOf(call)
    const sinceMs = timeParam(call.request, 'since') ?? 0
    const seesSecret = call.may('gist') && call.viewer.login === login
    return data.gists
      .shown(login)
      .filter(({ updatedAtMs, fields }) => updatedAtMs >= sinceMs && (seesSecret || fields.public))
      .map((item) => ({ owner: login, item }))
  }

  /** A secret gist is unlisted but readable by id. */
  function gist({ params }: Call) {
    const found = data.gists.find(params['id'] ?? '')
    if (!found) throw new Refusal(notFound())
    return found
  }

  function publishGist(call: Call): Reply {
    if (!call.may('gist')) return notFound()
    const { description, files, public: isPublic } = bodyOf(call.request)
    const named = Object.entries((files ?? {}) as Record<string, { content?: string } | null>)
    if (named.length === 0) return invalidField('Gist', 'files', 'missing_field')
    const { login } = call.viewer
    const item = data.gists.add(login, data.nextId().toString(16).padStart(32, 'b'), now(), {
      description: typeof description === 'string' ? description : null,
      public: isPublic === true || isPublic === 'true',
      files: named.map(([filename, file]) => {
        return { filename, language: 'Text', size: Buffer.byteLength(file?.content ?? '') }
      }),
      comments: 0,
    })
    const gist = presentGist(call, { owner: login, item })
    return json(201, gist, { location: gist.url })
  }

  function notifications(call: Call): Reply {
    if (!call.may('notifications', 'repo'))
      return githubError(403, "Missing the 'notifications' scope.", {}, '/rest/activity/notifications')
    const { request, viewer } = call
    const all = first(request.query, 'all') === 'true'
    const mineOnly = first(request.query, 'participating') === 'true'
    const sinceMs = timeParam(request, 'since') ?? 0
    const beforeMs = timeParam(request, 'before') ?? Number.POSITIVE_INFINITY
    const items = data.notifications.shown(viewer.login).filter(({ updatedAtMs, fields: { unread, reason } }) => {
      const inTime = updatedAtMs >= sinceMs && updatedAtMs < beforeMs
      return inTime && (all || unread) && (!mineOnly || ['mention', 'assign', 'author'].includes(reason))
    })
    const newest = Math.max(0, ...items.map(({ updatedAtMs }) => updatedAtMs))
    const modified = newest === 0 ? {} : { 'last-modified': new Date(newest).toUTCString() }
    const reply = pagedReply({ ...call, items, present: (item) => presentNotification(call, item) })
    return withHeaders(reply, { ...polling, ...modified })
  }

  return {
    'GET /users/:username/events': own({}, ownEvents(false)),
    'GET /users/:username/events/public': own({}, ownEvents(true)),
    'GET /users/:username/received_events': own({}, received),
    'GET /users/:username/received_events/public': own({}, received),
    'GET /gists': list(
      { scopes: ['gist'] },
      gists(({ viewer }) => viewer.login),
      presentGist,
    ),
    'POST /gists': own({ scopes: ['gist'] }, publishGist),
    'GET /users/:username/gists': list(
      {},
      gists((call) => namedAccount(call).login),
      presentGist,
    ),
    'GET /gists/:id': one({}, (call) => presentGist(call, gist(call))),
    'DELETE /gists/:id': own({ scopes: ['gist'] }, (call) => {
      const { owner, item } = gist(call)
      if (owner !== call.viewer.login || !call.may('gist')) return notFound()
      data.gists.remove(owner, item.id, now())
      return noContent()
    }),
    'GET /notifications': own({ scopes: ['notifications', 'repo'] }, notifications),
  }
}

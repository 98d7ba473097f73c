import { first } from '../../base/pairs.ts'
import { json, noContent, Refusal, type Reply } from '../../base/reply.ts'
import { jsonOf } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { namedAccount } from './account-routes.ts'
import type { ApiCall, ApiParts, EndpointFactory } from './endpoint.ts'
import { githubError, invalidField, notFound } from './errors.ts'
import type { GistFields, NotificationFields } from './model.ts'
import { pagedReply, timeParam } from './page.ts'
import { presentEvent, presentGist, presentNotification } from './present-activity.ts'

const eventDaysMs = 30 * 86_400_000
const eventCap = 300
const polling = { 'x-poll-interval': 60 }

export function activityRoutes({ context, data }: ApiParts, endpoint: EndpointFactory): Routes {
  const now = () => context.clock.now()

  /** At most thirty days and 300 entries; private events require the person's own token. */
  function events(call: ApiCall, logins: string[], showPrivate: boolean): Reply {
    const fresh = now() - eventDaysMs
    const items = logins
      .flatMap((login) => data.store.list(login, 'events'))
      .filter((item) => isShown(item) && item.createdAtMs >= fresh && (showPrivate || item.fields['public'] === true))
      .toSorted((a, b) => b.createdAtMs - a.createdAtMs || Number(b.id) - Number(a.id))
    const present = (item: StoredItem) => presentEvent(call.presenter, item)
    const reply = pagedReply({ url: context.url(), request: call.request, items, present, cap: eventCap })
    return { ...reply, headers: { ...reply.headers, ...polling } }
  }
  const ownEvents = (publicOnly: boolean) => (call: ApiCall) => {
    const { login } = namedAccount(call)
    return events(call, [login], !publicOnly && login === call.viewer.login && call.may('repo'))
  }
  const received = (call: ApiCall) => {
    const followed = data.following(namedAccount(call).login).map(({ login }) => login)
    return events(call, followed, false)
  }

  function gists(call: ApiCall, login: string): Reply {
    const sinceMs = timeParam(call.request, 'since') ?? 0
    const seesSecret = call.may('gist') && call.viewer.login === login
    const items = data.store
      .list(login, 'gists')
      .filter((item) => isShown(item) && item.updatedAtMs >= sinceMs && (seesSecret || item.fields['public'] === true))
    const present = (item: StoredItem) => presentGist(call.presenter, login, item)
    return pagedReply({ url: context.url(), request: call.request, items, present })
  }

  /** A secret gist is unlisted but readable by id. */
  function gist(call: ApiCall): { owner: string; item: StoredItem } {
    const found = data.store.find('gists', call.params['id'] ?? '')
    if (!found) throw new Refusal(notFound())
    return found
  }

  function publishGist(call: ApiCall): Reply {
    if (!call.may('gist')) return notFound()
    const { description, files, public: isPublic } = jsonOf(call.request)
    const names = typeof files === 'object' && files !== null ? Object.keys(files) : []
    if (names.length === 0) return invalidField('Gist', 'files', 'missing_field')
    const fields: GistFields = {
      description: typeof description === 'string' ? description : null,
      public: isPublic === true || isPublic === 'true',
      files: names.map((filename) => ({ filename, language: 'Text', size: 1 })),
      comments: 0,
    }
    const item = { id: data.nextId().toString(16).padStart(32, 'b'), createdAtMs: now(), updatedAtMs: now(), fields }
    return json(201, presentGist(call.presenter, call.viewer.login, data.store.put(call.viewer.login, 'gists', item)))
  }

  function notifications(call: ApiCall): Reply {
    if (!call.may('notifications', 'repo'))
      return githubError(403, "Missing the 'notifications' scope.", {}, '/rest/activity/notifications')
    const { request, viewer, presenter } = call
    const all = first(request.query, 'all') === 'true'
    const mineOnly = first(request.query, 'participating') === 'true'
    const sinceMs = timeParam(request, 'since') ?? 0
    const beforeMs = timeParam(request, 'before') ?? Number.POSITIVE_INFINITY
    const items = data.store.list(viewer.login, 'notifications').filter((item) => {
      const { unread, reason } = item.fields as NotificationFields
      const inTime = item.updatedAtMs >= sinceMs && item.updatedAtMs < beforeMs
      return (
        isShown(item) && inTime && (all || unread) && (!mineOnly || ['mention', 'assign', 'author'].includes(reason))
      )
    })
    const newest = Math.max(0, ...items.map(({ updatedAtMs }) => updatedAtMs))
    const present = (item: StoredItem) => presentNotification(presenter, item)
    const reply = pagedReply({ url: context.url(), request, items, present })
    const modified = newest === 0 ? {} : { 'last-modified': new Date(newest).toUTCString() }
    return { ...reply, headers: { ...reply.headers, ...polling, ...modified } }
  }

  return {
    'GET /users/:username/events': endpoint([], ownEvents(false)),
    'GET /users/:username/events/public': endpoint([], ownEvents(true)),
    'GET /users/:username/received_events': endpoint([], received),
    'GET /users/:username/received_events/public': endpoint([], received),
    'GET /gists': endpoint(['gist'], (call) => gists(call, call.viewer.login)),
    'POST /gists': endpoint(['gist'], publishGist),
    'GET /users/:username/gists': endpoint([], (call) => gists(call, namedAccount(call).login)),
    'GET /gists/:id': endpoint([], (call) => {
      const { owner, item } = gist(call)
      return json(200, presentGist(call.presenter, owner, item))
    }),
    'DELETE /gists/:id': endpoint(['gist'], (call) => {
      const { owner, item } = gist(call)
      if (owner !== call.viewer.login || !call.may('gist')) return notFound()
      data.store.remove(owner, 'gists', item.id, now())
      return noContent()
    }),
    'GET /notifications': endpoint(['notifications', 'repo'], notifications),
  }
}

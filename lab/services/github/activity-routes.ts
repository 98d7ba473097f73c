import { first } from '../../base/pairs.ts'
import { json, noContent, Refusal, type Reply } from '../../base/reply.ts'
import { jsonOf } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { namedAccount } from './account-routes.ts'
import type { ApiParts, Ask, Asked } from './ask.ts'
import { githubError, invalidField, notFound } from './errors.ts'
import type { GistFields, NotificationFields } from './model.ts'
import { pagedReply, timeParam } from './page.ts'
import { presentEvent, presentGist, presentNotification } from './present-activity.ts'

const eventDaysMs = 30 * 86_400_000
const eventCap = 300
const polling = { 'x-poll-interval': 60 }

export function activityRoutes({ context, data }: ApiParts, ask: Ask): Routes {
  const now = () => context.clock.now()

  /** Thirty days and 300 entries at most; private ones only for the person's own token. */
  function events(asked: Asked, logins: string[], showPrivate: boolean): Reply {
    const fresh = now() - eventDaysMs
    const items = logins
      .flatMap((login) => data.store.list(login, 'events'))
      .filter((item) => isShown(item) && item.createdAtMs >= fresh && (showPrivate || item.fields['public'] === true))
      .toSorted((a, b) => b.createdAtMs - a.createdAtMs || Number(b.id) - Number(a.id))
    const present = (item: StoredItem) => presentEvent(asked.presenter, item)
    const reply = pagedReply({ url: context.url(), request: asked.request, items, present, cap: eventCap })
    return { ...reply, headers: { ...reply.headers, ...polling } }
  }
  const ownEvents = (publicOnly: boolean) => (asked: Asked) => {
    const { login } = namedAccount(asked)
    return events(asked, [login], !publicOnly && login === asked.viewer.login && asked.may('repo'))
  }
  const received = (asked: Asked) => {
    const followed = data.following(namedAccount(asked).login).map(({ login }) => login)
    return events(asked, followed, false)
  }

  function gists(asked: Asked, login: string): Reply {
    const sinceMs = timeParam(asked.request, 'since') ?? 0
    const seesSecret = asked.may('gist') && asked.viewer.login === login
    const items = data.store
      .list(login, 'gists')
      .filter((item) => isShown(item) && item.updatedAtMs >= sinceMs && (seesSecret || item.fields['public'] === true))
    const present = (item: StoredItem) => presentGist(asked.presenter, login, item)
    return pagedReply({ url: context.url(), request: asked.request, items, present })
  }

  /** A secret gist is one that is not listed: who knows its id may read it. */
  function gist(asked: Asked): { owner: string; item: StoredItem } {
    const found = data.store.find('gists', asked.params['id'] ?? '')
    if (!found) throw new Refusal(notFound())
    return found
  }

  function publishGist(asked: Asked): Reply {
    if (!asked.may('gist')) return notFound()
    const { description, files, public: isPublic } = jsonOf(asked.request)
    const names = typeof files === 'object' && files !== null ? Object.keys(files) : []
    if (names.length === 0) return invalidField('Gist', 'files', 'missing_field')
    const fields: GistFields = {
      description: typeof description === 'string' ? description : null,
      public: isPublic === true || isPublic === 'true',
      files: names.map((filename) => ({ filename, language: 'Text', size: 1 })),
      comments: 0,
    }
    const item = { id: data.nextId().toString(16).padStart(32, 'b'), createdAtMs: now(), updatedAtMs: now(), fields }
    return json(
      201,
      presentGist(asked.presenter, asked.viewer.login, data.store.put(asked.viewer.login, 'gists', item)),
    )
  }

  function notifications(asked: Asked): Reply {
    if (!asked.may('notifications', 'repo'))
      return githubError(403, "Missing the 'notifications' scope.", {}, '/rest/activity/notifications')
    const { request, viewer, presenter } = asked
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
    'GET /users/:username/events': ask([], ownEvents(false)),
    'GET /users/:username/events/public': ask([], ownEvents(true)),
    'GET /users/:username/received_events': ask([], received),
    'GET /users/:username/received_events/public': ask([], received),
    'GET /gists': ask(['gist'], (asked) => gists(asked, asked.viewer.login)),
    'POST /gists': ask(['gist'], publishGist),
    'GET /users/:username/gists': ask([], (asked) => gists(asked, namedAccount(asked).login)),
    'GET /gists/:id': ask([], (asked) => {
      const { owner, item } = gist(asked)
      return json(200, presentGist(asked.presenter, owner, item))
    }),
    'DELETE /gists/:id': ask(['gist'], (asked) => {
      const { owner, item } = gist(asked)
      if (owner !== asked.viewer.login || !asked.may('gist')) return notFound()
      data.store.remove(owner, 'gists', item.id, now())
      return noContent()
    }),
    'GET /notifications': ask(['notifications', 'repo'], notifications),
  }
}

import { html } from '../../base/html.ts'
import { type Brand, page, problemPage } from '../../base/page.ts'
import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, noContent, Refusal, type Reply } from '../../base/reply.ts'
import { formOf, jsonOf, type LabRequest, mediaType } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { drawPicture } from '../../data/picture.ts'
import type { Acquaintance, Place } from '../../data/vocabulary.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import { cursorPage } from './cursor-page.ts'
import type { SocialData } from './data.ts'
import { presentPerson, presentPhoto, presentPost, tombstone } from './present.ts'

interface ApiParts {
  brand: Brand
  context: ServiceContext
  oauth: OAuth2Server
  data: SocialData
  rateLimit: RateLimit
  people: Person[]
}

type Kind = 'posts' | 'photos'

interface Shown {
  text?: string
  caption?: string | null
  hue?: number
  width?: number
  height?: number
  place?: Place
}
type Act = (person: Person, request: LabRequest, params: Record<string, string>) => Reply

export function socialApi({ brand, context, oauth, data, rateLimit, people }: ApiParts): Routes {
  const url = context.url
  const endpoint =
    (scope: string, act: Act) =>
    (request: LabRequest, params: Record<string, string>): Reply => {
      const { person } = oauth.guard(request, scope)
      const withHeaders = rateLimit.acquire(person.id)
      return withHeaders(act(person, request, params))
    }
  const present = (kind: Kind, author: Acquaintance, item: StoredItem) =>
    kind === 'posts' ? presentPost(url(), author, item) : presentPhoto(url(), author, item)

  function mine(kind: Kind): Act {
    return (person, request) => {
      const since = first(request.query, 'updated_since')
      const all = data.store.list(person.username, kind)
      if (since !== undefined) return json(200, changedSince(kind, person, all, since))
      const { shown, nextCursor } = cursorPage(request, all)
      return listing(
        request,
        shown.map((item) => present(kind, person, item)),
        nextCursor,
      )
    }
  }

  function changedSince(kind: Kind, person: Person, all: readonly StoredItem[], since: string) {
    const sinceMs = Date.parse(since)
    if (Number.isNaN(sinceMs))
      throw new Refusal(json(400, { error: 'invalid_updated_since', message: 'updated_since is an ISO 8601 time' }))
    const changed = all
      .filter((item) => item.updatedAtMs >= sinceMs && item.hidden !== true)
      .sort((a, b) => a.updatedAtMs - b.updatedAtMs)
    return { data: changed.map((item) => (isShown(item) ? present(kind, person, item) : tombstone(item))) }
  }

  function listing(request: LabRequest, entries: unknown[], nextCursor: string | null): Reply {
    const query = new URLSearchParams(request.query.filter(([name]) => name !== 'cursor').map(([...pair]) => pair))
    if (nextCursor !== null) query.set('cursor', nextCursor)
    const next = nextCursor === null ? null : `${url()}${request.path}?${query.toString()}`
    return json(200, { data: entries, paging: { next_cursor: nextCursor, next } })
  }

  const feed: Act = (person, request) => {
    const merged = data
      .friendsOf(person)
      .flatMap((author) =>
        (['posts', 'photos'] as const).flatMap((kind) =>
          data.store.list(author.username, kind).map((item) => ({ author, kind, item })),
        ),
      )
    merged.sort((a, b) => b.item.createdAtMs - a.item.createdAtMs || (a.item.id < b.item.id ? 1 : -1))
    const { shown, nextCursor } = cursorPage(
      request,
      merged.map(({ item }) => item),
    )
    const byItem = new Map(merged.map((entry) => [entry.item, entry]))
    const entries = shown.map((item) => {
      const { kind, author } = byItem.get(item)!
      return present(kind, author, item)
    })
    return listing(request, entries, nextCursor)
  }

  const friends: Act = (person, request) => {
    const items = data.friendsOf(person).map((friend): StoredItem => {
      const since = new Date(friend.sinceMs).toISOString()
      const fields = { ...presentPerson(url(), friend), friends_since: since }
      return { id: friend.id, createdAtMs: friend.sinceMs, updatedAtMs: friend.sinceMs, fields }
    })
    const { shown, nextCursor } = cursorPage(request, items)
    return listing(
      request,
      shown.map((item) => item.fields),
      nextCursor,
    )
  }

  const one =
    (kind: Kind): Act =>
    (person, _request, { id = '' }) => {
      const found = data.store.find(kind, id)
      const visible = found && [person, ...data.friendsOf(person)].find(({ username }) => username === found.owner)
      return visible ? json(200, present(kind, visible, found.item)) : json(404, { error: 'not_found' })
    }

  const publish: Act = (person, request) => {
    const isJson = mediaType(request) === 'application/json'
    const text = isJson ? jsonOf(request)['text'] : first(formOf(request), 'text')
    if (typeof text !== 'string' || text === '') return json(400, { error: 'text_missing' })
    const now = context.dataClock.now()
    const fields = {
      type: 'status',
      text,
      language: null,
      visibility: 'friends',
      likes: { count: 0, people: [] },
      comments: { count: 0, data: [] },
    }
    const item = { id: data.nextId(), createdAtMs: now, updatedAtMs: now, fields }
    return json(201, presentPost(url(), person, data.store.put(person.username, 'posts', item)))
  }

  const unpublish: Act = (person, _request, { id = '' }) => {
    if (data.store.find('posts', id)?.owner !== person.username) return json(404, { error: 'not_found' })
    data.store.remove(person.username, 'posts', id, context.dataClock.now())
    return noContent()
  }

  /** What the links in the API's records lead to. */
  function itemPage(kind: Kind, { username = '', id = '' }: Record<string, string>): Reply {
    const found = data.store.find(kind, id)
    if (found?.owner !== username) return problemPage(brand, 'Not found', 'This was deleted, or it never existed.', 404)
    const { text, caption, hue, width, height, place } = found.item.fields as Shown
    const body = html`<p>${text ?? caption ?? ''}</p>
${hue === undefined ? undefined : html`<img src="${url()}/media/${width ?? 1}x${height ?? 1}-${hue}.svg" alt="" width="320">`}
<p class="soft">${place === undefined ? '' : `${place.name}, ${place.city} · `}${new Date(found.item.createdAtMs).toISOString()}</p>`
    return page(brand, data.nameOf(username), body)
  }

  return {
    'GET /api/me': (request) => {
      const { person, scopes } = oauth.guard(request, 'profile')
      const { email, bio, city, timezone } = person
      const seen = { ...presentPerson(url(), person), bio, location: { city }, timezone }
      return rateLimit.acquire(person.id)(
        json(200, scopes.includes('email') && email !== undefined ? { ...seen, email } : seen),
      )
    },
    'GET /api/me/posts': endpoint('posts.read', mine('posts')),
    'POST /api/me/posts': endpoint('posts.write', publish),
    'GET /api/me/photos': endpoint('photos.read', mine('photos')),
    'GET /api/me/friends': endpoint('friends.read', friends),
    'GET /api/me/feed': endpoint('feed.read', feed),
    'GET /api/posts/:id': endpoint('posts.read', one('posts')),
    'DELETE /api/posts/:id': endpoint('posts.write', unpublish),
    'GET /api/photos/:id': endpoint('photos.read', one('photos')),
    'GET /media/:name': (_request, { name = '' }) => drawPicture(name),
    'GET /:username/posts/:id': (_request, params) => itemPage('posts', params),
    'GET /:username/photos/:id': (_request, params) => itemPage('photos', params),
    'GET /:username': (_request, { username = '' }) => {
      const person = people.find((one) => one.username === username)
      return person ? json(200, presentPerson(url(), person)) : json(404, { error: 'not_found' })
    },
  }
}

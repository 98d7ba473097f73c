import { html } from '../../base/html.ts'
import { type Brand, page, problemPage } from '../../base/page.ts'
import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { drawPicture } from '../../data/picture.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import type { OAuth1Caller, OAuth1Server } from '../../oauth1/server.ts'
import type { MicroData } from './data.ts'
import { blankStatus } from './generate.ts'
import { idWindow } from './id-window.ts'
import { presentAccount, presentMessage, presentStatus } from './present.ts'

interface ApiParts {
  brand: Brand
  context: ServiceContext
  oauth: OAuth1Server
  data: MicroData
  rateLimit: RateLimit
}

type Act = (caller: OAuth1Caller, request: LabRequest, params: Record<string, string>) => Reply
type Authored = StoredItem & { author: Acquaintance }

export function microApi({ brand, context, oauth, data, rateLimit }: ApiParts): Routes {
  const { url, dataClock: clock } = context
  const endpoint =
    (permission: string, act: Act) =>
    (request: LabRequest, params: Record<string, string>): Reply => {
      const caller = oauth.guard(request)
      const withHeaders = rateLimit.acquire(caller.person.id)
      if (caller.permissions.includes(permission)) return withHeaders(act(caller, request, params))
      return json(403, { errors: [{ code: 93, message: `This token may not do that; it lacks ${permission}` }] })
    }
  const authored = (author: Acquaintance, kind = 'statuses'): Authored[] =>
    data.store.list(author.username, kind).map((item) => ({ ...item, author }))
  const statuses = (request: LabRequest, items: Authored[]) =>
    json(
      200,
      idWindow(request, items, isShown).map((item) => presentStatus(url(), item.author, item)),
    )
  const missing = () => json(404, { errors: [{ code: 144, message: 'No status found with that id' }] })
  const ownerOf = (id: string) => data.store.find('statuses', id)?.owner

  const self = ({ bio, city, email, timezone, ...person }: Person) => ({
    ...presentAccount(url(), person),
    description: bio,
    location: city,
    timezone,
    ...(email === undefined ? {} : { email }),
    statuses_count: data.store.list(person.username, 'statuses').filter(isShown).length,
  })

  const favourites: Act = ({ person }, request) => {
    const items = data.store.list(person.username, 'favourites').map((item) => {
      const author = data.account(ownerOf(item.id) ?? '') ?? person
      return { ...item, author }
    })
    return statuses(request, items)
  }

  const publish: Act = ({ person }, request) => {
    const text = first(formOf(request), 'status')
    if (text === undefined || text === '')
      return json(400, { errors: [{ code: 38, message: 'status parameter is missing' }] })
    if (Array.from(text).length > 500)
      return json(403, { errors: [{ code: 186, message: 'The status is over 500 characters' }] })
    const now = clock.now()
    const item = { id: data.nextId(), createdAtMs: now, updatedAtMs: now, fields: blankStatus(text) }
    return json(200, presentStatus(url(), person, data.store.put(person.username, 'statuses', item)))
  }

  const one: Act = (_caller, _request, { id = '' }) => {
    const found = data.store.find('statuses', id)
    const author = data.account(found?.owner ?? '')
    return found && author ? json(200, presentStatus(url(), author, found.item)) : missing()
  }

  const unpublish: Act = ({ person }, _request, { id = '' }) => {
    if (ownerOf(id) !== person.username) return missing()
    data.store.remove(person.username, 'statuses', id, clock.now())
    return json(200, { deleted: true, id_str: id })
  }

  return {
    'GET /api/me': endpoint('read', ({ person }) => json(200, self(person))),
    'GET /api/statuses/mine': endpoint('read', ({ person }, request) => statuses(request, authored(person))),
    'GET /api/statuses/timeline': endpoint('read', ({ person }, request) => {
      const isNew = person.activity === 0
      return statuses(request, isNew ? [] : data.following(person.username).flatMap((author) => authored(author)))
    }),
    'GET /api/favourites': endpoint('read', favourites),
    'GET /api/following': endpoint('read', ({ person }) => {
      const list = person.activity === 0 ? [] : data.following(person.username)
      return json(
        200,
        list.map((account) => presentAccount(url(), account)),
      )
    }),
    'GET /api/messages': endpoint('direct_messages', ({ person }, request) =>
      json(
        200,
        idWindow(request, data.store.list(person.username, 'messages'), isShown).map((item) =>
          presentMessage(url(), item),
        ),
      ),
    ),
    'GET /:username/status/:id': (_request, { username = '', id = '' }) => {
      const found = data.store.find('statuses', id)
      const author = found?.owner === username ? data.account(username) : undefined
      if (!found || !author) return problemPage(brand, 'Not found', 'This was deleted, or it never existed.', 404)
      const { text } = found.item.fields as { text: string }
      const posted = new Date(found.item.createdAtMs).toISOString()
      return page(brand, author.name, html`<p>${text}</p><p class="soft">${posted}</p>`)
    },
    'GET /media/:name': (_request, { name = '' }) => drawPicture(name),
    'GET /api/statuses/:id': endpoint('read', one),
    'POST /api/statuses': endpoint('write', publish),
    'POST /api/statuses/:id/delete': endpoint('write', unpublish),
  }
}

import { json, noContent, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Routes } from '../../base/router.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { type ApiParts, apiEndpoint, type Call, ownEndpoint, recordOf } from './api-endpoint.ts'
import { calendarOf, etagOf, event, eventsOf } from './calendar-routes.ts'
import { SCOPES } from './login.ts'
import { failure, notFound } from './respond.ts'

type Fields = Record<string, unknown>

/** What the service alone says of an event. */
const READ_ONLY = new Set(['kind', 'etag', 'id', 'htmlLink', 'created', 'updated', 'creator', 'organizer', 'iCalUID'])
/** A change of these makes a new revision for those who are invited. */
const TIMES = ['start', 'end', 'recurrence']

/** Events one by one: read, made, changed and deleted. */
export function calendarWrites(parts: ApiParts, nextId: () => string): Routes {
  const { store } = parts.tracked
  const nowAfter = ({ updatedAtMs }: StoredItem) => Math.max(parts.context.clock.now(), updatedAtMs + 1)

  const found = (call: Call): { kind: string; item: StoredItem } => {
    const kind = eventsOf(calendarOf(parts, call).id)
    const item = store.list(call.person.username, kind).find(({ id }) => id === call.params['eventId'])
    if (item === undefined) throw notFound()
    return { kind, item }
  }
  const changeable = (call: Call) => {
    const role = calendarOf(parts, call).fields['accessRole']
    if (role !== 'owner' && role !== 'writer')
      throw failure(403, 'requiredAccessLevel', 'You need to have writer access to this calendar.', {
        domain: 'calendar',
      })
    const one = found(call)
    if (one.item.deletedAtMs !== undefined) throw failure(410, 'deleted', 'Resource has been deleted')
    requireMatch(call.request, one.item)
    return one
  }

  const get = (call: Call): Reply => {
    const { item } = found(call)
    const etag = etagOf(item)
    if (call.request.headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: '' }
    return json(200, event(item), { etag })
  }

  const insert = (call: Call) => {
    const calendar = calendarOf(parts, call)
    const given = recordOf(call.request)
    requireTimes(given)
    const { person } = call
    const kind = eventsOf(calendar.id)
    const { id = nextId() } = given
    if (typeof id !== 'string' || !/^[0-9a-v]{5,1024}$/.test(id))
      throw failure(400, 'invalid', 'Invalid resource id value.')
    if (store.list(person.username, kind).some((one) => one.id === id))
      throw failure(409, 'duplicate', 'The requested identifier already exists.')
    const self = { email: calendar.id, self: true }
    const atMs = parts.context.clock.now()
    const fields = {
      ...writable(given),
      creator: self,
      organizer: self,
      sequence: 0,
      reminders: given['reminders'] ?? { useDefault: true },
      eventType: 'default',
    }
    return event(store.put(person.username, kind, { id, createdAtMs: atMs, updatedAtMs: atMs, fields }))
  }

  const change = (call: Call, fieldsFrom: (before: Fields, given: Fields) => Fields) => {
    const { kind, item } = changeable(call)
    const before = { ...item.fields }
    const after = fieldsFrom(before, writable(recordOf(call.request)))
    requireTimes(after)
    const moved = TIMES.some((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
    const sequence = Number(before['sequence'] ?? 0) + (moved ? 1 : 0)
    for (const name of Object.keys(before)) delete item.fields[name]
    return event(store.edit(call.person.username, kind, item.id, { ...after, sequence }, nowAfter(item)))
  }
  const kept = (before: Fields) => Object.fromEntries(Object.entries(before).filter(([name]) => READ_ONLY.has(name)))

  const at = '/calendar/v3/calendars/:calendarId/events'
  const write = (act: (call: Call) => unknown) => apiEndpoint(parts, SCOPES.writeEvents, act)
  return {
    [`GET ${at}/:eventId`]: ownEndpoint(parts, SCOPES.calendar, get),
    [`POST ${at}`]: write(insert),
    // A field that is null is removed.
    [`PATCH ${at}/:eventId`]: write((call) =>
      change(call, (before, given) =>
        Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, value]) => value !== null)),
      ),
    ),
    [`PUT ${at}/:eventId`]: write((call) => change(call, (before, given) => ({ ...kept(before), ...given }))),
    [`DELETE ${at}/:eventId`]: ownEndpoint(parts, SCOPES.writeEvents, (call) => {
      const { kind, item } = changeable(call)
      store.remove(call.person.username, kind, item.id, nowAfter(item))
      return noContent()
    }),
  }
}

const writable = (given: Fields): Fields =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !READ_ONLY.has(name)))

function requireTimes(given: Fields): void {
  for (const name of ['start', 'end'])
    if (typeof given[name] !== 'object' || given[name] === null) throw failure(400, 'required', `Missing ${name} time.`)
}

function requireMatch({ headers }: LabRequest, item: StoredItem): void {
  const given = headers['if-match']
  if (given !== undefined && given !== '*' && given !== etagOf(item))
    throw failure(412, 'conditionNotMet', 'Precondition Failed', { location: 'If-Match', locationType: 'header' })
}

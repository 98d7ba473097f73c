import type { Routes } from '../../base/router.ts'
import { isShown, type StoredItem } from '../../data/item-store.ts'
import { type ApiParts, apiEndpoint, type Call, paged, sizeOf } from './api-endpoint.ts'
import { SCOPES } from './login.ts'
import { listFrom } from './positions.ts'
import { failure, invalid, notFound } from './respond.ts'

/** Parameters that a sync token does not go with. */
const NOT_WITH_TOKEN = ['orderBy', 'q', 'timeMin', 'timeMax', 'updatedMin', 'iCalUID']

/** `primary` is the person's own. */
export function calendarOf({ tracked }: ApiParts, { person, params: { calendarId } }: Call): StoredItem {
  const found = tracked.store
    .list(person.username, 'calendars')
    .find((one) => isShown(one) && (calendarId === 'primary' ? one.fields['primary'] === true : one.id === calendarId))
  if (found === undefined) throw notFound()
  return found
}

export const eventsOf = (calendarId: string): string => `events ${calendarId}`

export function calendarRoutes(parts: ApiParts): Routes {
  const { store } = parts.tracked
  const calendars = (call: Call) => store.list(call.person.username, 'calendars').filter(isShown)

  const calendarList = (call: Call) => {
    const all = calendars(call).filter(({ fields }) => call.get('showHidden') === 'true' || fields['hidden'] !== true)
    const { page, nextPageToken } = paged(call, all, sizeOf(call, 'maxResults', 100, 250))
    return {
      kind: 'calendar#calendarList',
      etag: '"p33"',
      ...(nextPageToken ? { nextPageToken } : { nextSyncToken: 'unused' }),
      items: page.map(({ id, fields }) => ({ kind: 'calendar#calendarListEntry', etag: '"1"', id, ...fields })),
    }
  }

  const events = (call: Call) => {
    const calendar = calendarOf(parts, call)
    const conflict = call.get('syncToken') === undefined ? undefined : NOT_WITH_TOKEN.find((name) => call.get(name))
    if (conflict !== undefined) throw invalid(conflict, `${conflict} cannot be used with syncToken`)
    const listed = listFrom(parts.tracked, parts.positions, {
      owner: call.person.username,
      list: eventsOf(calendar.id),
      query: call.request.query,
      size: sizeOf(call, 'maxResults', 250, 2500),
      fixed: ['singleEvents'],
    })
    if ('problem' in listed)
      throw listed.problem === 'forgotten'
        ? failure(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.', {
            domain: 'calendar',
            location: 'syncToken',
          })
        : invalid(listed.parameter, 'Invalid sync token value.')
    const { items, nextPageToken, nextSyncToken } = listed
    return {
      kind: 'calendar#events',
      etag: '"p32"',
      summary: calendar.fields['summary'],
      timeZone: calendar.fields['timeZone'],
      accessRole: calendar.fields['accessRole'],
      ...(nextPageToken ? { nextPageToken } : { nextSyncToken }),
      items: items.map(event),
    }
  }

  return {
    'GET /calendar/v3/users/me/calendarList': apiEndpoint(parts, SCOPES.calendar, calendarList),
    'GET /calendar/v3/calendars/:calendarId/events': apiEndpoint(parts, SCOPES.calendar, events),
  }
}

export const etagOf = ({ updatedAtMs }: StoredItem): string => `"${updatedAtMs}"`

/** A deleted event has little more than an id; so has an instance of a recurring event that was cancelled. */
export function event(item: StoredItem) {
  const { id, fields, deletedAtMs, createdAtMs, updatedAtMs } = item
  const common = { kind: 'calendar#event', etag: etagOf(item), id }
  if (deletedAtMs !== undefined) return { ...common, status: 'cancelled' }
  if (fields['status'] === 'cancelled') return { ...common, ...fields }
  return {
    ...common,
    status: 'confirmed',
    htmlLink: `https://www.google.com/calendar/event?eid=${Buffer.from(id).toString('base64url')}`,
    created: new Date(createdAtMs).toISOString(),
    updated: new Date(updatedAtMs).toISOString(),
    iCalUID: `${id}@google.com`,
    ...fields,
  }
}

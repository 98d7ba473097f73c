import type { Person } from '../../base/people.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { graphError } from '../../graph/graph-error.ts'
import { type GraphEdge, type GraphNode, graphTime, node } from '../../graph/node.ts'
import type { EventFields, PageFields } from './generate-media.ts'
import { personNode, pictureOf, placeNode, type View } from './node-kit.ts'

export function eventNode(view: View, item: StoredItem): GraphNode {
  const event = item.fields as EventFields
  return node('Event', item.id, ['description', 'end_time', 'name', 'place', 'start_time', 'rsvp_status'], {
    name: () => event.name,
    description: () => event.description,
    start_time: () => graphTime(event.startMs),
    end_time: () => (event.endMs === undefined ? undefined : graphTime(event.endMs)),
    updated_time: () => graphTime(item.updatedAtMs),
    place: () => placeNode(event.place) ?? (event.isOnline ? { name: 'Online' } : undefined),
    rsvp_status: () => (event.rsvp === 'created' ? 'attending' : event.rsvp),
    owner: () => (view.isNamed(event.owner) ? personNode(view, event.owner) : undefined),
    is_canceled: () => event.isCanceled,
    is_online: () => event.isOnline,
    is_draft: () => false,
    type: () => 'private',
    timezone: () => 'UTC',
    cover: () => ({ id: item.id, offset_x: 50, offset_y: 50, source: `${view.url}/media/1200x628-30.svg` }),
  })
}

/** A page that the person likes and the app does not manage. */
export function pageNode(item: StoredItem): GraphNode {
  const page = item.fields as PageFields
  return node('Page', item.id, ['name', 'created_time'], {
    name: () => page.name,
    created_time: () => graphTime(item.createdAtMs),
    ...Object.fromEntries(OF_MANAGED_PAGES.map((name) => [name, needsPageAccess])),
  })
}

/** Fields that an app reads of pages it manages, or of any page with a reviewed feature, which no app of the lab has. */
const OF_MANAGED_PAGES = ['about', 'category', 'fan_count', 'link', 'location', 'picture', 'website']

function needsPageAccess(): never {
  throw graphError(
    "(#10) This endpoint requires the 'pages_read_engagement' permission or the 'Page Public Content Access' feature or the 'Page Public Metadata Access' feature.",
    { code: 10 },
  )
}

/** The token's person. Like at Facebook, a field without its permission is omitted. */
export function meNode(
  view: View,
  person: Person,
  allows: (permission: string) => boolean,
  edges: Readonly<Record<string, () => GraphEdge>>,
): GraphNode {
  const when =
    (permission: string, read: () => unknown): (() => unknown) =>
    () =>
      allows(permission) ? read() : undefined
  const city = () => ({ id: `11${String(person.username.length).padStart(13, '0')}`, name: person.city })
  return node('User', person.id, ['name'], {
    name: () => person.name,
    first_name: () => person.name.split(' ')[0],
    middle_name: () => undefined,
    last_name: () => person.name.split(' ').slice(1).join(' '),
    short_name: () => person.name.split(' ')[0],
    name_format: () => '{first} {last}',
    picture: pictureOf(view, person),
    email: when('email', () => person.email),
    link: when('user_link', () => `https://www.facebook.com/app_scoped_user_id/${person.id}/`),
    location: when('user_location', city),
    hometown: when('user_hometown', city),
    birthday: when('user_birthday', () => '02/29/1988'),
    gender: when('user_gender', () => (person.username === 'esra' ? undefined : 'female')),
    age_range: when('user_age_range', () => ({ min: 21 })),
    languages: () => undefined,
    ...edges,
  })
}

import type { Person } from '../../base/people.ts'
import type { StoredItem } from '../../data/item-store.ts'
import type { GraphEdge, GraphNode } from '../../graph/node.ts'
import type { EventFields, PageFields } from './generate-media.ts'
import { graphTime, node, personNode, pictureOf, placeNode, type View } from './node-kit.ts'

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

export function pageNode(view: View, item: StoredItem): GraphNode {
  const page = item.fields as PageFields
  const picture = `${view.url}/media/50x50-${page.fans % 360}.svg`
  return node('Page', item.id, ['name', 'created_time'], {
    name: () => page.name,
    created_time: () => graphTime(item.createdAtMs),
    category: () => page.category,
    about: () => page.about,
    fan_count: () => page.fans,
    link: () => `https://www.facebook.com/${item.id}`,
    picture: () => ({ data: { height: 50, is_silhouette: false, url: picture, width: 50 } }),
    website: () => undefined,
    location: () => undefined,
  })
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

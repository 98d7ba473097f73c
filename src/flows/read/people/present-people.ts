import { endpointOf } from '#kit/connector/own-items.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { formatIdr, partitionOf } from '#model/items/idr.ts'
import { normalizeLink } from '#model/people/contact-keys.ts'
import type { UserRef } from '#model/people/decisions.ts'
import { bestName, displayName } from '#model/people/display-name.ts'
import type { Join } from '#model/people/join.ts'
import type { IndexedPerson } from '#model/people/people-index.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import type { ReadableProfile } from '#store/identity/readable-profiles.ts'
import { contactsById, type StoredContact } from '#store/items/contacts.ts'
import type { ReadDeps } from '../find.ts'
import { type ContactCard, readContactCard } from './contact-card.ts'

/** A contact of a person, as the API shows it. */
interface ContactView extends Omit<ContactCard, 'id' | 'title'> {
  id: string
  idr: string
  /** The profile whose contact it is. */
  profile: string
  /** The native id of the service user. */
  user: string
  name?: string | undefined
}

/** A person, as the API shows them. */
export interface PersonView {
  id: string
  name: string | undefined
  self: true | undefined
  emails: string[]
  handles: string[]
  phones: string[]
  urls: string[]
  thumbnail_url: string | undefined
  services: Record<string, ContactView[]>
  /** Why they are one person. */
  joined: Join<UserRef>[]
}

/** Contacts that one statement reads. */
const BATCH_IDS = 1000

/** Reads the contacts of people. A person whose contacts were all deleted meanwhile is left out. */
export async function presentPeople(
  deps: ReadDeps,
  readable: readonly ReadableProfile[],
  people: readonly IndexedPerson[],
): Promise<PersonView[]> {
  const contacts = await readContacts(
    deps,
    readable,
    people.flatMap((person) => person.contacts),
  )
  return people.flatMap((person) => {
    const found = person.contacts.map((id) => contacts.get(id)).filter((contact) => contact !== undefined)
    return found.length === 0 ? [] : [toView(readable, found, person.joined)]
  })
}

interface FoundContact {
  service: string
  view: ContactView
}

async function readContacts(
  { database, registry }: ReadDeps,
  readable: readonly ReadableProfile[],
  ids: readonly string[],
): Promise<Map<string, FoundContact>> {
  const found = new Map<string, FoundContact>()
  for (const [partition, profiles] of Map.groupBy(readable, partitionOf)) {
    const suffix = `_${partition}`
    const wanted = ids.filter((id) => id.endsWith(suffix)).map((id) => id.slice(0, -suffix.length))
    for (let at = 0; at < wanted.length; at += BATCH_IDS)
      for (const contact of await contactsById(database, profiles, wanted.slice(at, at + BATCH_IDS)))
        found.set(contact.id + suffix, toContact(registry, firstOf(profiles), contact, contact.id + suffix))
  }
  return found
}

function toContact(
  registry: ReadDeps['registry'],
  { service, owner }: ReadableProfile,
  contact: StoredContact,
  id: string,
): FoundContact {
  const { endpoint, nativeId } = contact
  const type = endpointOf(registry, service, endpoint)?.kind.name ?? 'data'
  const { card, user } = readContactCard(contact)
  const { id: _, title: name, ...shown } = card
  return {
    service,
    view: {
      id,
      idr: formatIdr({ type, owner, service, endpoint, item: nativeId }),
      profile: profileName({ nativeId: owner, service }),
      user,
      name,
      ...shown,
    },
  }
}

function toView(
  readable: readonly ReadableProfile[],
  contacts: readonly FoundContact[],
  joined: Join<UserRef>[] = [],
): PersonView {
  const views = contacts.map(({ view }) => view)
  const services: Record<string, ContactView[]> = {}
  for (const { service, view } of contacts) (services[service] ??= []).push(view)
  const isSelf = contacts.some(({ service, view }) =>
    readable.some((profile) => profile.service === service && profile.owner === view.user),
  )
  return {
    id: views[0]!.id,
    name: bestName(views.map(displayName)),
    self: isSelf ? true : undefined,
    emails: distinct(views.map(({ email }) => email)),
    handles: distinct(views.map(({ handle }) => handle)),
    phones: distinct(views.map(({ phone }) => phone)),
    urls: distinct(
      views.flatMap(({ url, website }) => [url, website]),
      (url) => normalizeLink(url) ?? url,
    ),
    thumbnail_url: views.find(({ thumbnail_url: url }) => url !== undefined)?.thumbnail_url,
    services,
    joined,
  }
}

/** Each value once, as it was given first. */
function distinct(
  values: readonly (string | undefined)[],
  keyOf = (value: string) => value.trim().toLowerCase(),
): string[] {
  const known = new Map<string, string>()
  for (const value of values) if (value !== undefined && !known.has(keyOf(value))) known.set(keyOf(value), value)
  return [...known.values()]
}

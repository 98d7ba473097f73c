import type { Person } from '#model/accounts/profile.ts'
import type { ItemMap } from '#model/items/normal.ts'
import { OWN_SERVICE } from './own-items.ts'
import type { Registry } from './registry.ts'

/** The endpoint under which the service's own record of a person is read. No connector may have an endpoint of this name. */
export const SELF_ENDPOINT = 'self'
/** The type of that record in its IDR and its `types`. */
export const SELF_TYPE = 'profile'

/** Whether this is the endpoint of people's own records. Own items of an app may use the same name. */
export function isSelfEndpoint(service: string, endpoint: string): boolean {
  return endpoint === SELF_ENDPOINT && service !== OWN_SERVICE.service
}

/** The same, or nothing where the connector's reader throws. */
export function selfMapOrNone(registry: Registry, service: string, owner: string, data: unknown): Partial<ItemMap> {
  try {
    return selfMap(registry, service, owner, data)
  } catch {
    // Reported where `map=true` is asked for.
    return {}
  }
}

/** What `map=true` adds to a person's own record, by the connector's `self` reader. Throws what the reader throws. */
export function selfMap(
  registry: Registry,
  service: string,
  owner: string,
  data: unknown,
): Partial<ItemMap> & { participants?: Record<string, { author: true }> } {
  const connector = registry.find(service)
  if (connector === undefined) return { id: owner }
  const person: Person = connector.self.read(data)
  const map = {
    name: person.name,
    text: person.description,
    photo: person.photo,
    nickname: person.handle,
    email: person.email,
    url: person.url,
    place: person.location,
  }
  const present = Object.entries(map).filter(([, value]) => typeof value === 'string' && value !== '')
  return { id: owner, ...Object.fromEntries(present), participants: { [owner]: { author: true } } }
}

import assert from 'node:assert/strict'
import type { OwnItem } from '../../../harness/own-items.ts'
import type { Item, Reader, ReadingHarness } from '../fixture.ts'
import type { Thing } from '../thing.ts'

interface Contact {
  id: string
  idr: string
  profile: string
  user: string
  name?: string
}

/** A person as `/people` returns them. */
export interface ListedPerson {
  id: string
  name?: string
  self?: true
  emails: string[]
  handles: string[]
  phones: string[]
  urls: string[]
  services: Record<string, Contact[]>
  joined: {
    by: string
    strength: string
    value?: string
    decision?: string
    users: { service: string; user: string }[]
  }[]
  appearances?: Record<string, Record<string, number>>
  items?: Item[]
}

export const names = (list: readonly ListedPerson[]) => list.map(({ name }) => name)
export const ids = (items: readonly Item[] = []) => items.map(({ data }) => data.id)
export const usersOf = ({ services }: ListedPerson) =>
  Object.entries(services).flatMap(([service, contacts]) => contacts.map(({ user }) => `${service} ${user}`))
export const contact = (id: string, fields: Partial<Thing> = {}): Thing => ({ id, types: ['contacts'], ...fields })
export const own = (id: string, fields: Partial<OwnItem>): OwnItem => ({ id, type: 'contact', ...fields })

/** Reads people of a running service. */
export function peopleReader({ request, tributary }: ReadingHarness) {
  const get = async (path: string, reader: Pick<Reader, 'token'>) => {
    const { status, text, body, headers } = await request(path, reader)
    assert.equal(status, 200, `${path}: ${text}`)
    return { body, headers }
  }
  /** The address of the next page without the server's origin, or undefined. */
  const nextOf = (headers: Headers) =>
    /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.slice(tributary.url.length)
  return {
    get,
    nextOf,
    people: async (reader: Reader, query = '') => (await get(`/people?${query}`, reader)).body as ListedPerson[],
    one: async (reader: Reader, id: string) => (await get(`/people/${id}`, reader)).body as ListedPerson,
    /** Follows the links from the first page; `between` runs after each page. */
    allPages: async (reader: Reader, first: string, between: (page: number) => Promise<void> = async () => {}) => {
      const found: ListedPerson[] = []
      let pages = 0
      for (let next: string | undefined = first; next !== undefined; pages += 1) {
        const { body, headers } = await get(next, reader)
        found.push(...(body as ListedPerson[]))
        next = nextOf(headers)
        await between(pages)
      }
      return { found, pages }
    },
  }
}

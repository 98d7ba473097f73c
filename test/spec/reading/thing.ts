import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { type Connector, defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { kind } from '#kit/read/kind.ts'
import type { BaseType } from '#model/items/types.ts'

/** A record that describes everything a test may want an item to be. */
export interface Thing {
  id: string
  at?: number
  types?: BaseType[]
  author?: string
  others?: string[]
  lat?: number
  lng?: number
  guid?: string[]
  name?: string
  handle?: string
  email?: string
  text?: string
  title?: string
  description?: string
  url?: string
  /** A picture, and a link with its own title. */
  image?: string
  link?: { url: string; title?: string }
  [field: string]: unknown
}

const thing = kind<Thing>({
  name: 'thing',
  id: ({ id }) => id,
  at: ({ at }) => at,
  takesAnyTime: true,
  types: ({ types }) => types ?? [],
  guid: ({ guid }) => guid,
  participants: ({ author, others }) => ({ author, others }),
  place: ({ lat, lng }) => (lat === undefined || lng === undefined ? undefined : { lat, lng }),
  map: {
    name: ({ name }) => name,
    nickname: ({ handle }) => handle,
    email: ({ email }) => email,
    text: ({ text }) => text,
    url: ({ url }) => url,
    urls: ({ link }) => link && [link.url],
    image: ({ image }) => image,
    counts: () => ({ likes: 0 }),
  },
  card: { title: ({ title }) => title, description: ({ description }) => description },
  cards: { news: { title: ({ link }) => link?.title } },
})

/** A service that is never called: tests put its records into the store themselves. */
export function defineLibrary(service: string, title: string): Connector {
  const category = {
    path: '/',
    items: () => [] as Thing[],
    kind: thing,
    types: [],
    every: '1d',
    class: 'core' as const,
  }
  return defineConnector({
    service,
    title,
    docs: `https://${service}.test/docs`,
    auth: oauth2({ authorizeUrl: 'https://things.test/authorize', tokenUrl: 'https://things.test/token' }),
    api: { baseUrl: `https://${service}.test` },
    self: self<{ id: string; name?: string; login?: string; mail?: string }>('/me', ({ id, name, login, mail }) => ({
      id,
      name,
      handle: login,
      email: mail,
    })),
    endpoints: {
      things: endpoint<unknown, Thing>(category),
      others: endpoint<unknown, Thing>(category),
      feed: endpoint<unknown, Thing>({ ...category, feed: true }),
    },
    aliases: [`${service}-alias`],
  })
}

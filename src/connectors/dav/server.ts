import { type SelfReader, self } from '#kit/auth/self.ts'
import { type Discovery, type Typed, typed } from '#kit/auth/typed.ts'
import { elementAt, textIn, type XmlElement } from '#model/xml/element.ts'
import { nameIn, pathOf, responsesIn } from './multistatus.ts'
import { propfind, XML_TYPE } from './request-bodies.ts'

/** What differs between address books and calendars. */
export interface DavFlavor {
  /** The name below `/.well-known/` (RFC 6764). */
  wellKnown: 'carddav' | 'caldav'
  /** The property of the person's principal that names the collection with all of theirs, with its prefix. */
  homeSet: 'card:addressbook-home-set' | 'cal:calendar-home-set'
  hint: string
}

/** The person types the server's address, their name and password; the API is the collection with all of theirs. */
export function davAuth(flavor: DavFlavor): Typed {
  return typed({
    fields: {
      server: { title: 'Address of the server', format: 'address', hint: flavor.hint },
      name: { title: 'User name', autocomplete: 'username' },
      password: {
        title: 'Password',
        secret: true,
        hint: 'If your provider has app passwords, create one for this and use it here.',
      },
    },
    account: 'name',
    placement: { basic: { name: '{name}', password: '{password}' } },
    discover: discoverHome(flavor),
  })
}

function discoverHome({ wellKnown, homeSet }: DavFlavor): Discovery {
  return {
    start: ({ server = '' }) => {
      const { origin, pathname } = new URL(server)
      const [known, root] = [`${origin}/.well-known/${wellKnown}`, `${origin}/`]
      return pathname === '/' ? [known, root] : [`${server}/`, known, root]
    },
    method: 'PROPFIND',
    headers: { depth: '0' },
    body: { text: propfind('current-user-principal', homeSet), type: XML_TYPE },
    parse: 'xml',
    read: (body) => {
      const props = responsesIn(body)?.[0]?.found
      const home = textIn(props, homeSet.slice(homeSet.indexOf(':') + 1), 'href')
      if (home !== undefined && home !== '') return { api: home }
      const principal = elementAt(props, 'current-user-principal')
      if (elementAt(principal, 'unauthenticated') !== undefined) return 'refused'
      const next = textIn(principal, 'href')
      return next === undefined || next === '' ? undefined : { next }
    },
  }
}

type Home = XmlElement & { principal?: XmlElement }

/** The person is the principal of the credential: the home names it, and it has a name and addresses. */
export const davSelf: SelfReader = self<Home>({
  method: 'PROPFIND',
  path: '/',
  headers: { depth: '0' },
  body: { text: propfind('current-user-principal', 'owner'), type: XML_TYPE },
  parse: 'xml',
  also: {
    principal: {
      method: 'PROPFIND',
      path: (home: Home) => principalOf(home),
      headers: { depth: '0' },
      body: { text: propfind('displayname', 'cal:calendar-user-address-set'), type: XML_TYPE },
      parse: 'xml',
    },
  },
  read: (home) => {
    const href = principalOf(home)
    const path = href === undefined ? undefined : pathOf(href)
    const props = responsesIn(home.principal)?.[0]?.found
    const name = textIn(props, 'displayname')
    return {
      id: path?.split('/').filter(Boolean).join('/') ?? '',
      name: name === '' ? undefined : name,
      handle: href === undefined ? undefined : nameIn(href),
      email: emailIn(elementAt(props, 'calendar-user-address-set')),
    }
  },
})

function principalOf(home: Home): string | undefined {
  const props = responsesIn(home)?.[0]?.found
  const href = textIn(props, 'current-user-principal', 'href') ?? textIn(props, 'owner', 'href')
  return href === '' ? undefined : href
}

function emailIn(addresses: XmlElement | undefined): string | undefined {
  const found = (addresses?.content ?? [])
    .map((one) => (typeof one === 'string' ? '' : (textIn(one) ?? '')))
    .find((text) => /^mailto:/i.test(text))
  return found?.slice('mailto:'.length)
}

/** The server no longer knows a sync token (RFC 6578 3.2): that collection is read from its beginning. */
export function davRecovery({ status, body }: { status: number; body: unknown }): 'restart' | undefined {
  if (status !== 403 && status !== 409 && status !== 412) return undefined
  return elementAt(body as XmlElement | undefined, 'valid-sync-token') === undefined ? undefined : 'restart'
}

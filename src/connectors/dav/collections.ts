import { type Endpoint, endpoint } from '#kit/endpoints/endpoint.ts'
import { kind } from '#kit/read/kind.ts'
import { elementAt, elementsIn, textIn } from '#model/xml/element.ts'
import { type DavResponse, nameIn, pathOf, responsesIn } from './multistatus.ts'
import { propfind, XML_TYPE } from './request-bodies.ts'

/** An address book or a calendar. */
export interface Collection {
  /** Its name in the home, which is part of its address. */
  id: string
  href: string
  name?: string | undefined
  description?: string | undefined
  color?: string | undefined
  /** What a calendar may contain, e.g. `VEVENT`; missing where the server does not say. */
  components?: string[] | undefined
  /** Changes with its content. */
  sync_token?: string | undefined
  ctag?: string | undefined
  /** It can say what changed since a sync token. */
  syncs: boolean
}

/** The value that changes with the content of a collection; undefined where the server has none. */
export const versionOf = ({ sync_token: token, ctag }: Collection): string | undefined => token ?? ctag

/** The collections of one kind in the person's home. */
export function collectionsEndpoint(name: 'addressbook' | 'calendar'): Endpoint {
  const properties = [
    'resourcetype',
    'displayname',
    'sync-token',
    'supported-report-set',
    'cs:getctag',
    ...(name === 'calendar'
      ? ['cal:calendar-description', 'cal:supported-calendar-component-set', 'ical:calendar-color']
      : ['card:addressbook-description']),
  ]
  return endpoint<unknown, Collection>({
    path: '/',
    method: 'PROPFIND',
    headers: { depth: '1' },
    body: { text: propfind(...properties), type: XML_TYPE },
    parse: 'xml',
    items: (body) => {
      const responses = responsesIn(body)
      return responses?.flatMap((one) => collectionIn(one, name, `${name}-description`) ?? [])
    },
    kind: kind<Collection>({
      name,
      id: ({ id }) => id,
      map: { title: (one) => one.name, text: ({ description }) => description },
    }),
    types: [],
    every: '1h',
    class: 'core',
    deletes: 'all',
  })
}

function collectionIn(response: DavResponse, type: string, description: string): Collection | undefined {
  const { href, found } = response
  if (elementAt(found, 'resourcetype', type) === undefined) return undefined
  const [id, path] = [nameIn(href), pathOf(href)]
  if (id === undefined || path === undefined) return undefined
  const text = (name: string) => textIn(found, name) || undefined
  const components = elementsIn(elementAt(found, 'supported-calendar-component-set'), 'comp').flatMap(
    ({ attributes }) => attributes?.['name'] ?? [],
  )
  const reports = elementAt(found, 'supported-report-set')
  const token = text('sync-token')
  return {
    id,
    href: path,
    name: text('displayname'),
    description: text(description),
    color: text('calendar-color'),
    components: components.length === 0 ? undefined : components,
    sync_token: token,
    ctag: text('getctag'),
    syncs:
      reports === undefined
        ? token !== undefined
        : elementsIn(reports, 'supported-report').some(
            (one) => elementAt(one, 'report', 'sync-collection') !== undefined,
          ),
  }
}

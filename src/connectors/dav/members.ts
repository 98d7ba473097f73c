import { type Checkpoint, token } from '#kit/endpoints/checkpoint.ts'
import type { ParentContext } from '#kit/endpoints/children.ts'
import type { PrepareContext } from '#kit/endpoints/endpoint.ts'
import type { PageRequest, Pages } from '#kit/endpoints/pages.ts'
import { elementAt, textIn, type XmlElement } from '#model/xml/element.ts'
import type { Collection } from './collections.ts'
import { type DavResponse, nameIn, pathOf, responsesIn } from './multistatus.ts'
import { escapeXml, multiget, propfind, syncCollection } from './request-bodies.ts'

/** A card or calendar object as it is stored. */
export interface Member {
  /** Collection and name: unique over all collections of the person. Missing for one whose content the server refused. */
  id?: string
  collection: string
  href: string
  etag?: string | undefined
  /** It is no longer in the collection. */
  gone?: true
}

export interface MembersOptions {
  /** The report that returns content, and the property that is the content; with their prefixes. */
  report: 'card:addressbook-multiget' | 'cal:calendar-multiget'
  data: 'card:address-data' | 'cal:calendar-data'
  /** How many members one request asks for. */
  batch: number
}

/** What is left to do after a request for content. */
interface Left {
  hrefs: string[]
  /** The list of changes was cut: the rest follows after this token. */
  token?: string | undefined
}

/**
 * The pages of a collection: a list of names, then the content of those, in batches. Lists are not asked for content, because
 * some servers cannot add it, and because one response with all pictures of an address book would be too large.
 */
export function memberPages({ report, data, batch }: MembersOptions): Pages {
  const content = (request: PageRequest, { hrefs, token: rest }: Left): PageRequest | undefined => {
    if (hrefs.length > 0)
      return {
        ...request,
        method: 'REPORT',
        headers: { ...request.headers, depth: '1' },
        body: multiget(report, data, hrefs.slice(0, batch)),
        carry: { hrefs: hrefs.slice(batch), token: rest } satisfies Left,
      }
    if (rest === undefined) return undefined
    const { carry: _, ...plain } = request
    return { ...plain, headers: { ...request.headers, depth: '0' }, body: syncCollection(escapeXml(rest)) }
  }
  return {
    first: (request) => request,
    next: ({ request, body }) => content(request, (request.carry as Left | undefined) ?? listed(body)),
  }
}

/** The members that a list names. */
function listed(body: unknown): Left {
  const responses = responsesIn(body) ?? []
  const hrefs = responses.filter(isMember).map(({ href }) => href)
  const isCut = responses.some(({ status }) => status === 507)
  return { hrefs, token: isCut ? syncTokenIn(body) : undefined }
}

/** A member has an etag; a collection has a slash at its end. */
function isMember({ href, status, found }: DavResponse): boolean {
  return status === undefined && elementAt(found, 'getetag') !== undefined && pathOf(href)?.endsWith('/') === false
}

/** A server that cannot say what changed is asked for everything. */
export function prepareList(request: PageRequest, { watermark, from }: PrepareContext): PageRequest {
  const { syncs } = (from as ParentContext<Collection>).parent.record
  if (!syncs)
    return {
      ...request,
      method: 'PROPFIND',
      headers: { ...request.headers, depth: '1' },
      body: propfind('getetag', 'resourcetype'),
    }
  return { ...request, body: syncCollection(escapeXml(String(watermark ?? ''))) }
}

export const syncTokens: Checkpoint<unknown> = token({ from: syncTokenIn, isOptional: true })

function syncTokenIn(body: unknown): string | undefined {
  return textIn(body as XmlElement, 'sync-token') || undefined
}

/** The members with content, and those that are gone. */
export function membersIn<Content extends object>(
  body: unknown,
  collection: string,
  { data }: Pick<MembersOptions, 'data'>,
  read: (text: string) => Content,
): (Member & Partial<Content>)[] | undefined {
  const property = data.slice(data.indexOf(':') + 1)
  return responsesIn(body)?.flatMap((response): (Member & Partial<Content>)[] => {
    const { href, status, found, missing } = response
    const [name, path] = [nameIn(href), pathOf(href)]
    if (name === undefined || path === undefined || path.endsWith('/')) return []
    const member = { id: `${collection}/${name}`, collection, href: path } as Member & Partial<Content>
    if (status === 404 || status === 410) return [{ ...member, gone: true }]
    const text = textIn(found, property)
    if (text !== undefined) return [{ ...member, etag: textIn(found, 'getetag'), ...read(text) }]
    // Without an id it goes to the quarantine, and no stored member counts as deleted.
    const isRefused = (status ?? 200) >= 400 || elementAt(missing, property) !== undefined
    const { id: _, ...unnamed } = member
    return isRefused ? [unnamed as Member & Partial<Content>] : []
  })
}

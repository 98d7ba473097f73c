import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FeedDocument {
  body: string | Buffer
  type?: string
  status?: number
  headers?: Record<string, string>
}

export interface FeedSite {
  url: string
  /** Serves a document at a path with its query, from now on. */
  serve: (path: string, document: FeedDocument) => void
  /** Status and conditions of the requests to a path so far. */
  requestsTo: (path: string) => { status: number; ifNoneMatch: string | undefined }[]
  close: () => Promise<void>
}

/** A web server with documents that a test chooses. It answers conditional requests. */
export async function startFeedSite(): Promise<FeedSite> {
  const documents = new Map<string, FeedDocument>()
  const requests: { path: string; status: number; ifNoneMatch: string | undefined }[] = []
  const respond = (request: IncomingMessage): { status: number; document: FeedDocument | undefined } => {
    const document = documents.get(request.url ?? '')
    if (document === undefined) return { status: 404, document }
    const tag = document.headers?.['etag']
    return {
      status: tag !== undefined && request.headers['if-none-match'] === tag ? 304 : (document.status ?? 200),
      document,
    }
  }
  const server = createServer((request, response) => {
    const { status, document } = respond(request)
    requests.push({ path: request.url ?? '', status, ifNoneMatch: request.headers['if-none-match'] })
    response.writeHead(status, { 'content-type': document?.type ?? 'application/xml', ...document?.headers })
    response.end(status === 304 ? undefined : (document?.body ?? 'Not found'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (path, document) => documents.set(path, document),
    requestsTo: (path) =>
      requests.filter((one) => one.path === path).map(({ status, ifNoneMatch }) => ({ status, ifNoneMatch })),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export const rss = (items: string, channel = ''): string => `<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:georss="http://www.georss.org/georss" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News &amp;amp; more</title>
<link>https://blog.test/</link><description>About</description>${channel}${items}</channel></rss>`

export const rssItem = (id: string, more = ''): string =>
  `<item><guid isPermaLink="false">${id}</guid><title>Title of ${id}</title><link>/posts/${id}</link>
   <pubDate>Fri, 1 May 2026 10:00 GMT</pubDate><description>About ${id}</description>${more}</item>`

export const atom = (entries: string, links = ''): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://atom.test/blog/"><title>Atom News</title><id>tag:atom.test,2026:f</id>
   <updated>2026-05-01T10:00:00Z</updated><author><name>Ada</name></author>${links}${entries}</feed>`

export const atomEntry = (id: string, more = ''): string =>
  `<entry><id>tag:atom.test,2026:${id}</id><title>Entry ${id}</title><link href="${id}.html"/>
   <updated>2026-05-01T12:00:00+02:00</updated>${more}</entry>`

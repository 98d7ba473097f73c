import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeRecords, type StreamName } from './read-records.ts'

// A service of the cheapest kind, in a process of its own, so that its processor time is not counted. What it responds depends on
// the token: `empty-…` nothing new, `same-…` the same 100 records each time, `fresh-…` 100 new records each time.

const PAGE = 100
const EMPTY = listing([])
const PATHS: Record<string, StreamName> = { '/me/posts': 'posts', '/me/photos': 'photos', '/me/feed': 'feed' }

const pages = Object.fromEntries(
  Object.values(PATHS).map((stream) => [
    stream,
    listing([...makeRecords(PAGE * 20)].filter((each) => each.stream === stream).slice(0, PAGE)),
  ]),
)
let calls = 0

function listing(records: { record: object }[]): string {
  return JSON.stringify({ data: records.map(({ record }) => record), paging: { next_cursor: null } })
}

function respond(path: string, token: string): string {
  const stream = PATHS[path]
  if (stream === undefined) return JSON.stringify({ id: token, name: 'Person' })
  calls += 1
  if (token.startsWith('empty')) return EMPTY
  const page = pages[stream]!
  return token.startsWith('same') ? page : page.replaceAll(/"id":"9(\d+)"/g, `"id":"8${calls}x$1"`)
}

const server = createServer((request, response) => {
  const [path = '/'] = (request.url ?? '/').split('?', 1)
  const token = (request.headers.authorization ?? '').replace('Bearer ', '')
  const body = path === '/calls' ? String(calls) : respond(path, token)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

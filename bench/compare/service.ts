import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeRecords } from '../read-records.ts'

// The service that all compared servers call, in a process of its own. A person's token says how many items they have
// (`items-COUNT-NAME`). Each time a list is read to its end, every hundredth record of it changes.

const PAGE = 100
/** One record in so many of `makeRecords` is a photo. */
const RECORDS_PER_PHOTO = 12

export interface Service {
  url: string
  /** How often this person's list was read to its end. */
  walks: (token: string) => Promise<number>
  stop: () => void
}

export async function startService(maxItems: number): Promise<Service> {
  const child = fork(import.meta.filename, [String(maxItems)])
  const [port] = (await once(child, 'message')) as [number]
  // By name, like real services; the guard would check a literal address at every call.
  const url = `http://localhost:${port}`
  return {
    url,
    walks: async (token) => Number(await (await fetch(`${url}/walks`, { headers: bearer(token) })).text()),
    stop: () => child.disconnect(),
  }
}

export const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` })

async function serve(maxItems: number): Promise<void> {
  const records = [...makeRecords(maxItems * RECORDS_PER_PHOTO)].flatMap((each) =>
    each.stream === 'photos' ? [each.record] : [],
  )
  if (records.length < maxItems) throw new Error(`${records.length} photos are fewer than ${maxItems}`)
  const kilobyte = JSON.stringify({ text: 'x'.repeat(1000) })
  const walks = new Map<string, number>()
  const pageOf = (token: string, page: number) => {
    const count = Number(token.split('-')[1])
    const version = walks.get(token) ?? 0
    if (page * PAGE >= count) walks.set(token, version + 1)
    const data = records.slice(page * PAGE, Math.min(count, (page + 1) * PAGE))
    return JSON.stringify({ data: data.map((record, i) => (i === 0 ? { ...record, version } : record)) })
  }
  const bodyOf = (address: string, token: string): string => {
    const { pathname, searchParams } = new URL(address, 'http://service.test')
    if (pathname === '/list') return pageOf(token, Number(searchParams.get('page')))
    if (pathname === '/me') return JSON.stringify({ id: token, name: 'Person' })
    return pathname === '/walks' ? String(walks.get(token) ?? 0) : kilobyte
  }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const body = bodyOf(request.url ?? '/', (request.headers.authorization ?? '').replace('Bearer ', ''))
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      response.writeHead(200, headers).end(body)
    })
  })
  server.keepAliveTimeout = 60_000
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.on('disconnect', () => process.exit(0))
  process.send?.((server.address() as AddressInfo).port)
}

if (import.meta.main) await serve(Number(process.argv[2]))

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { preparedDatabase } from '../../harness/database/database.ts'
import { freePort } from '../../harness/free-port.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { type RunningProcess, startProcess } from '../../harness/running.ts'

const MEGABYTE = 1024 * 1024
/** `PROXY_MEGABYTES=1024` for the long form. */
const SIZE = Number(process.env['PROXY_MEGABYTES'] ?? 200) * MEGABYTE
/** By how much the process may grow while it forwards any amount: socket buffers, and garbage not yet collected. */
const MAX_GROWTH = 96 * MEGABYTE

const skip = existsSync('/proc/self/status') ? false : 'the memory of another process is read from /proc'

/** Chunks that differ, so that a lost or repeated one shows. */
function* pieces(): Generator<Buffer> {
  for (let sent = 0; sent < SIZE; sent += 65_536) yield Buffer.alloc(65_536, sent / 65_536)
}
let sum = 0
for (const piece of pieces()) sum = crc32(piece, sum)

/** A listing of the same size, in which each record has a link. */
function* listing(base: string): Generator<Buffer> {
  const records = Buffer.from(`{"text":"${'\\"{'.repeat(300)}","link":"${base}/x?page=%2C"},`.repeat(70))
  yield Buffer.from('[')
  for (let sent = 0; sent < SIZE; sent += 65_536) yield records
  yield Buffer.from('null]')
}

async function sumOf(stream: AsyncIterable<Uint8Array>): Promise<{ bytes: number; sum: number }> {
  let [bytes, found] = [0, 0]
  for await (const piece of stream) {
    bytes += piece.length
    found = crc32(piece, found)
  }
  return { bytes, sum: found }
}

suite('a body of any size', { skip }, () => {
  let running: RunningProcess
  let database: Awaited<ReturnType<typeof preparedDatabase>>
  let folder: string
  let url: string
  let token: string
  let tokenOfLinked: string
  const service = createServer((incoming, response) => {
    if (incoming.url === '/me') response.end('{"id":"42"}')
    else if (incoming.method === 'GET') {
      const length = incoming.url === '/chunked' ? {} : { 'content-length': SIZE }
      const isListing = incoming.url === '/listing'
      response.writeHead(
        200,
        isListing ? { 'content-type': 'application/json' } : { 'content-type': 'video/mp4', ...length },
      )
      Readable.from(isListing ? listing(apiUrl()) : pieces(), { objectMode: false }).pipe(response)
    } else void sumOf(incoming).then((sum) => response.end(JSON.stringify(sum)))
  })

  const apiUrl = () => `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  before(async () => {
    await once(service.listen(0, '127.0.0.1'), 'listening')
    database = await preparedDatabase()
    folder = mkdtempSync(join(tmpdir(), 'tributary-volume-'))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const adminToken = 'tra_test-admin-token-0123456789'
    running = await startProcess(['serve'], {
      DATABASE_URL: database.url,
      TRIBUTARY_DATA: folder,
      PORT: String(port),
      TRIBUTARY_ADMIN_TOKEN: adminToken,
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'operator'),
    })
    const send = async (method: string, path: string, body: object, authorization: string) => {
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await reply.json()) as Record<string, string>
    }
    const admin = `Bearer ${adminToken}`
    const app = await send(
      'POST',
      '/admin/apps',
      { name: 'App', redirect_uris: ['https://app.test/'], apply: 'any' },
      admin,
    )
    const basic = `Basic ${Buffer.from(`${app['client_id']}:${app['client_secret']}`).toString('base64')}`
    const connect = async (name: string) => {
      const keys = { key: 'k', secret: 's', overrides: { api_url: apiUrl() } }
      await send('PUT', `/admin/apps/${app['client_id']}/keys/${name}`, keys, admin)
      return (await send('POST', `/auth/${name}/apply`, { token: 'service-token-0123456789' }, basic))['access_token']!
    }
    token = await connect('plain')
    tokenOfLinked = await connect('linked')
    // Warm up: code and pools that are created once do not count as growth.
    const warm = await fetch(`${url}/proxy/plain/archive`, { headers: { authorization: `Bearer ${token}` } })
    await sumOf(warm.body!)
  })
  after(async () => {
    await running.end('SIGTERM')
    service.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const residentBytes = () => {
    const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
  }

  /** The largest growth of the process while this ran. */
  async function growth(work: () => Promise<void>): Promise<number> {
    const before = residentBytes()
    let most = 0
    // No event tells of memory; it is looked at while the work goes on, and nothing waits for it.
    const timer = setInterval(() => {
      most = Math.max(most, residentBytes())
    }, 20)
    await work().finally(() => clearInterval(timer))
    return Math.max(most, residentBytes()) - before
  }

  async function flat(t: { diagnostic: (text: string) => void }, work: () => Promise<void>): Promise<void> {
    const grown = await growth(work)
    t.diagnostic(`${SIZE / MEGABYTE} MB, the process grew by ${Math.round(grown / MEGABYTE)} MB`)
    assert.ok(grown < MAX_GROWTH, `grew by ${grown / MEGABYTE} MB`)
  }

  for (const path of ['/archive', '/chunked'])
    test(`is downloaded in constant memory: ${path}`, (t) =>
      flat(t, async () => {
        const reply = await fetch(`${url}/proxy/plain${path}`, { headers: { authorization: `Bearer ${token}` } })
        assert.equal(reply.headers.get('content-type'), 'video/mp4')
        assert.deepEqual(await sumOf(reply.body!), { bytes: SIZE, sum })
      }))

  test('is downloaded in constant memory while its links are rewritten', (t) =>
    flat(t, async () => {
      const proxied = `${url.replace('127.0.0.1', 'localhost')}/proxy/linked`
      const reply = await fetch(`${url}/proxy/linked/listing`, {
        headers: { authorization: `Bearer ${tokenOfLinked}` },
      })
      assert.deepEqual(await sumOf(reply.body!), await sumOf(Readable.from(listing(proxied), { objectMode: false })))
    }))

  for (const [how, headers] of Object.entries({ 'with its length': { 'content-length': SIZE }, 'in chunks': {} }))
    test(`is uploaded in constant memory, ${how}`, (t) =>
      flat(t, async () => {
        const call = request(`${url}/proxy/plain/videos`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'video/mp4', ...headers },
        })
        Readable.from(pieces(), { objectMode: false }).pipe(call)
        const [reply] = (await once(call, 'response')) as [AsyncIterable<Buffer>]
        let text = ''
        for await (const piece of reply) text += piece.toString()
        assert.deepEqual(JSON.parse(text), { bytes: SIZE, sum })
      }))
})

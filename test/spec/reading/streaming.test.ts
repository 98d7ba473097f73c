import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { closed } from '../../harness/closed.ts'
import { watchStatements } from '../../harness/database/statements.ts'
import { oneTurn, staysUnchanged } from '../../harness/stays-unchanged.ts'
import { until } from '../../harness/until.ts'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

const ITEMS = 30_000
/** `SLOW_READERS=200` for the long form: each of them fills the buffers of a connection first. */
const SLOW = Number(process.env['SLOW_READERS'] ?? 40)
let harness: ReadingHarness
let reader: Reader
let queries = 0
/** Requests without a response yet. */
let open = 0

before(async () => {
  harness = await startReadingHarness()
  reader = await harness.newReader()
  const profile = await harness.newProfile(reader)
  await harness.put(profile, [{ id: 'first', at: 1, types: ['photos'], title: 'many', filling: 'x'.repeat(1200) }])
  const { database } = harness.tributary.store
  await database.script(
    `insert into item select shard, profile_id, gen_random_uuid(), endpoint, 'copy ' || n, n, updated_at, n, hash, types, author, participants,
       guid, lat, lng, words, oembed, data from item, generate_series(2, ${ITEMS}) n where shard = ${profile.shard};
     analyze item`,
  )
  watchStatements(database, ({ text }) => {
    if (!text.includes('from item i')) return undefined
    queries += 1
    open += 1
    return () => {
      open -= 1
    }
  })
})
after(() => harness.stop())

const ALL = '/types/photos?limit=1000000'

/** A client that has sent its request and reads nothing until it is resumed. */
async function slowReader(path = ALL): Promise<Socket> {
  const { hostname, port } = new URL(harness.tributary.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${reader.token}\r\n\r\n`)
  return socket
}

/** How many statements were executed when no more come and none is running. */
async function settledQueries(): Promise<number> {
  await until('no question is open', () => open === 0)
  const stood = await staysUnchanged(
    () => queries,
    () => oneTurn(harness.tributary.url),
  )
  return open === 0 ? stood : settledQueries()
}

/** Reads everything and keeps none of it. */
async function drain(path: string): Promise<{ bytes: number; end: string; grownBytes: number }> {
  const response = await fetch(harness.tributary.url + path, { headers: { authorization: `Bearer ${reader.token}` } })
  const before = process.memoryUsage.rss()
  let [bytes, end, grownBytes] = [0, '', 0]
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    end = Buffer.from(piece.subarray(-20)).toString()
    grownBytes = Math.max(grownBytes, process.memoryUsage.rss() - before)
  }
  return { bytes, end, grownBytes }
}

suite('S42 a long response', () => {
  test('is whole and in order, in any number of chunks', async () => {
    const items = await harness.items(ALL, reader)
    assert.equal(items.length, ITEMS)
    assert.ok(items.every(({ at }, i) => at === ITEMS - i))
    const up = await harness.items('/services/library/things?limit=2500&sort=asc', reader)
    assert.deepEqual(
      up.map(({ at }) => at),
      Array.from({ length: 2500 }, (_, i) => i + 1),
    )
  })

  test('has no limit below the requested one, and searches and other shapes are streamed as well', async () => {
    const fields = (await harness.items('/types/photos?limit=5000&fields=at', reader)) as unknown as { at: number }[]
    assert.deepEqual([fields.length, Object.keys(fields[0]!)], [5000, ['at']])
    assert.equal((await harness.items('/types/photos?limit=5000&q=many', reader)).length, 5000)
    const { headers } = await harness.request('/types/photos?limit=5000', reader)
    assert.equal(headers.get('transfer-encoding'), 'chunked')
    assert.match(headers.get('link')!, /rel="next"/)
    // The last item names it as well.
    const last = (await harness.items('/types/photos?limit=5000', reader)).at(-1) as Item
    const [next] = await harness.items(`/types/photos?limit=1&before=${last.at}_${last.id}`, reader)
    assert.equal(next?.at, last.at - 1)
  })

  test('needs constant memory', async (t) => {
    await drain(ALL)
    const { bytes, end, grownBytes } = await drain(ALL)
    t.diagnostic(`${(bytes / 1e6).toFixed(0)} MB read, ${(grownBytes / 1e6).toFixed(0)} MB grown`)
    assert.ok(bytes > ITEMS * 1200 && end.endsWith('}]'))
    assert.ok(grownBytes < 50 * 1024 * 1024, `grew by ${grownBytes}`)
  })
})

suite('S42 a slow reader', () => {
  test('slows its own query: rows that it does not read are not fetched', async () => {
    const whole = queries
    await drain(ALL)
    const needed = queries - whole
    const began = queries
    const socket = await slowReader()
    const statements = (await settledQueries()) - began
    assert.ok(
      statements < needed / 2,
      `${statements} of ${needed} statements were executed for a reader that reads nothing`,
    )
    // The query continues when the reader does.
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece)
      if (Buffer.concat(pieces.slice(-2)).subarray(-7).toString() === '\r\n0\r\n\r\n') socket.end()
    })
    socket.resume()
    await closed(socket)
    assert.equal(queries - began, needed)
    assert.ok(Buffer.concat(pieces).length > ITEMS * 1200)
  })

  test('that disconnects ends its query', async () => {
    const socket = await slowReader()
    const stood = await settledQueries()
    socket.destroy()
    assert.ok((await settledQueries()) <= stood + 1)
    // The same for one that disconnects while reading.
    const stop = new AbortController()
    const response = await fetch(harness.tributary.url + ALL, {
      headers: { authorization: `Bearer ${reader.token}` },
      signal: stop.signal,
    })
    await response.body!.getReader().read()
    const whole = queries
    stop.abort()
    const statements = (await settledQueries()) - whole
    assert.ok(statements < ITEMS / 400, `${statements} questions after it left`)
  })

  test(`holds no database connection: ${SLOW} of them do not delay a fast reader`, async () => {
    const sockets = await Promise.all(Array.from({ length: SLOW }, () => slowReader()))
    try {
      await settledQueries()
      const { database } = harness.tributary.store
      const busy = await database.rows<{ n: number }>({
        name: '',
        text: `select count(*) as n from pg_stat_activity where datname = current_database() and application_name = 'tributary'
          and state <> 'idle' and pid <> pg_backend_pid()`,
      })
      assert.equal(busy[0]?.n, 0)
      for (let i = 0; i < 50; i += 1) assert.equal((await harness.items('/types/photos?limit=5', reader)).length, 5)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
    await settledQueries()
  })
})

suite('a response that fails half-way', () => {
  test('ends the connection without the end of the array, and the log says why', async () => {
    const socket = await slowReader()
    await settledQueries()
    const { database } = harness.tributary.store
    await database.script('alter table item rename to item_away')
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => pieces.push(piece))
    socket.on('error', () => {})
    socket.resume()
    await closed(socket)
    const text = Buffer.concat(pieces).toString()
    await database.script('alter table item_away rename to item')
    assert.match(text, /^HTTP\/1\.1 200 OK/)
    assert.ok(!text.endsWith('0\r\n\r\n'), 'the last chunk must be missing')
    assert.ok(harness.tributary.logged.some((line) => line.includes('a response broke off')))
    // An HTTP client notices it without looking at the text.
    assert.equal((await harness.items('/types/photos?limit=3', reader)).length, 3)
  })

  test('before the first byte is a plain refusal', async () => {
    const { database } = harness.tributary.store
    await database.script('alter table item rename to item_away')
    const { status, body } = await harness.request(ALL, reader)
    await database.script('alter table item_away rename to item')
    assert.deepEqual([status, (body as { reason: string }).reason], [500, 'internal'])
  })
})

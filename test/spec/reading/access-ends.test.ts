import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { revokeAnyToken } from '#identity/accounts.ts'
import { until } from '../../harness/until.ts'
import { type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

/** More than the buffers of a connection hold, so that a paused reader stops the response. */
const ITEMS = 12_000
const ALL = '/types/photos?limit=1000000'
let harness: ReadingHarness

before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

/** A person with a profile that has many items, and one without any. */
async function newReader(): Promise<Reader> {
  const reader = await harness.newReader()
  const profile = await harness.newProfile(reader)
  await harness.put(profile, [{ id: 'first', at: 1, types: ['photos'], filling: 'x'.repeat(1800) }])
  await harness.tributary.store.database.script(
    `insert into item select shard, profile_id, gen_random_uuid(), endpoint, 'copy ' || n, n, updated_at, n, hash, types, author, participants,
       guid, lat, lng, words, oembed, data from item, generate_series(2, ${ITEMS}) n where profile_id = '${profile.profileId}'`,
  )
  return reader
}

/** Requests everything, reads the beginning, and pauses. */
async function beginReading(
  { token }: Reader,
  headers = '',
): Promise<{ socket: Socket; closed: Promise<void>; text: () => string }> {
  const { hostname, port } = new URL(harness.tributary.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  // Listens from the start: a reset may close the socket while it is paused.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let text = ''
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
  })
  socket.write(
    `GET ${ALL} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${headers}connection: close\r\n\r\n`,
  )
  await until('the response has begun', () => text.length > 1000)
  assert.match(text, /^HTTP\/1\.1 200 /)
  socket.pause()
  return { socket, closed, text: () => text }
}

const isWhole = (text: string) => text.endsWith('\r\n0\r\n\r\n')
const endings = () =>
  harness.tributary.logged.filter((line) => line.includes('a response ended because its access ended')).length

/** Reads on after access has ended; the rest must not arrive. */
async function assertCut(
  reader: Reader,
  end: (reader: Reader) => Promise<unknown>,
  begin: (reader: Reader) => ReturnType<typeof beginReading> = beginReading,
): Promise<void> {
  const before = endings()
  const { socket, closed, text } = await begin(reader)
  await end(reader)
  await until('the service has cut it', () => endings() > before)
  socket.resume()
  await closed
  assert.equal(isWhole(text()), false)
}

const WAYS: Record<string, (reader: Reader) => Promise<unknown>> = {
  'its token is revoked': ({ token }) => revokeAnyToken(harness.tributary.store, token),
  'its profile leaves': (reader) => harness.request('/profiles/library', reader, { method: 'DELETE' }),
  'its account is deleted': (reader) => harness.request('/profiles', reader, { method: 'DELETE' }),
  'its account is merged away': async ({ token }) => {
    const other = await harness.newReader()
    const merged = await fetch(`${harness.tributary.url}/auth/merge`, {
      method: 'POST',
      body: new URLSearchParams({ source: token, dest: other.token }),
    })
    assert.equal(merged.status, 200, await merged.text())
  },
}

suite('S79 a response in progress is cut when', () => {
  for (const [name, end] of Object.entries(WAYS)) {
    test(`${name}, also for a paused reader`, async () => {
      await assertCut(await newReader(), end)
    })
  }

  test('its token is revoked, for a reader that goes on reading', async () => {
    const reader = await newReader()
    const { socket, closed, text } = await beginReading(reader)
    await revokeAnyToken(harness.tributary.store, reader.token)
    socket.resume()
    await closed
    assert.equal(isWhole(text()), false)
  })
})

/** As an operator who reads for the account. */
function beginReadingAsOperator({ account }: Reader): ReturnType<typeof beginReading> {
  const { adminToken: token } = harness.tributary
  return beginReading({ account, token }, `tributary-account: ${account.id}\r\n`)
}

test('a response to an operator is whole, and is cut when the account is erased', async () => {
  const { socket, closed, text } = await beginReadingAsOperator(await newReader())
  socket.resume()
  await closed
  assert.equal(isWhole(text()), true)
  await assertCut(await newReader(), WAYS['its account is deleted']!, beginReadingAsOperator)
})

test('a response continues while another profile joins and another token is revoked', async () => {
  const reader = await newReader()
  const { socket, closed, text } = await beginReading(reader)
  await harness.newProfile(reader, 'museum', 'new')
  await revokeAnyToken(harness.tributary.store, (await harness.newReader()).token)
  socket.resume()
  await closed
  assert.equal(isWhole(text()), true)
})

test('a response is cut when its app is being deleted', async () => {
  await assertCut(await newReader(), () => harness.tributary.admin('DELETE', `/admin/apps/${harness.appId}?erase=true`))
})

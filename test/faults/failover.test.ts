import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { type CuttableLine, cuttableLine } from '../harness/database/cuttable-line.ts'
import { startTributary, type Tributary } from '../harness/start.ts'
import { until } from '../harness/until.ts'
import { type Replicated, replicationMissing, startReplicated } from './replicated-postgres.ts'

const WRITERS = 4
const skip = replicationMissing()

suite('R06 a replicated database', { skip }, () => {
  let servers: Replicated
  let line: CuttableLine
  let tributary: Tributary
  const acknowledged: { id: string; secret: string }[] = []
  before(async () => {
    servers = await startReplicated()
    line = await cuttableLine(servers.primaryUrl)
    tributary = await startTributary({ DATABASE_URL: line.url })
  })
  after(async () => {
    await tributary.stop()
    await line.close()
    await servers.remove()
  })

  const create = async () => {
    const { status, body } = await tributary.admin('POST', '/admin/apps', {
      name: 'n',
      redirect_uris: ['https://a.test/'],
    })
    if (status === 201) {
      const made = body as { client_id: string; client_secret: string }
      acknowledged.push({ id: made.client_id, secret: made.client_secret })
    }
    return status
  }
  /** Clients that write until stopped, and the responses they got. */
  const load = () => {
    const state = { over: false }
    const statuses = new Set<number>()
    const done = Promise.all(
      Array.from({ length: WRITERS }, async () => {
        while (!state.over) statuses.add(await create())
      }),
    )
    return {
      end: async () => {
        state.over = true
        await done
        return statuses
      },
    }
  }
  const untilAcknowledged = (count: number) =>
    until(`${count} writes are acknowledged`, () => acknowledged.length >= count)
  const idsAt = async (url: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ id: string }>('select id from app')
    await client.end()
    return new Set(rows.map(({ id }) => id))
  }

  test('R06 a copy made under load holds every write acknowledged before it, and none that never was', async () => {
    const writing = load()
    await untilAcknowledged(10)
    const earlier = acknowledged.map(({ id }) => id)
    const copied = await idsAt(await servers.restoreCopy())
    await writing.end()
    assert.deepEqual(
      earlier.filter((id) => !copied.has(id)),
      [],
    )
    const all = await idsAt(servers.primaryUrl)
    assert.deepEqual(
      [...copied].filter((id) => !all.has(id)),
      [],
    )
  })

  test('R06 a standby takes over under load: the same process goes on, and no acknowledged write is lost', async () => {
    const writing = load()
    await untilAcknowledged(acknowledged.length + 10)
    await servers.failOver()
    await line.cut()
    await line.mend(servers.standbyUrl)
    await untilAcknowledged(acknowledged.length + 10)
    const statuses = await writing.end()
    assert.deepEqual(
      [...statuses].filter((status) => status !== 201 && status !== 503),
      [],
    )
    const listed = (await tributary.admin('GET', '/admin/apps')).body as { client_id: string }[]
    const there = new Set(listed.map(({ client_id }) => client_id))
    const lost = acknowledged.filter(({ id }) => !there.has(id))
    assert.deepEqual(lost, [], `${lost.length} of ${acknowledged.length} lost`)
    // The pepper opens with the same key: older secrets are still valid.
    const { id, secret } = acknowledged[0]!
    const response = await fetch(`${tributary.url}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: id, client_secret: secret, token: 'x' }),
    })
    assert.equal(response.status, 200)
  })
})

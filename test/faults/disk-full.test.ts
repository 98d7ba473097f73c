import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LabHarness, MANY_ITEMS, startLabHarness } from '../harness/lab.ts'
import { get, type Reply, send } from '../harness/send.ts'
import { signIn } from '../harness/sign-in.ts'
import { until } from '../harness/until.ts'
import { replicationMissing, startOwnServer } from './replicated-postgres.ts'
import { smallDisk } from './small-disk.ts'

const TEXT = 'x'.repeat(4000)

test('R04 a disk that fills up at run time: writes are refused with a named error, reads go on, and free space is enough to recover', async (t) => {
  const missing = replicationMissing()
  if (missing !== false) {
    t.skip(missing)
    return
  }
  // A full disk makes checkpoints of the whole server fail, so this needs a server of its own.
  const server = await startOwnServer()
  const disk = await smallDisk(server.url, 64)
  if (typeof disk === 'string') {
    await server.remove()
    t.skip(disk)
    return
  }
  let harness: LabHarness | undefined
  t.after(async () => {
    disk.makeRoom()
    await harness?.stop()
    await disk.remove()
    await server.remove()
  })
  harness = await startLabHarness({ DATABASE_URL: disk.url }, {}, { maxActivity: MANY_ITEMS })
  const { access_token: token } = await signIn(harness, 'demo-social', 'ada')
  let next = 0
  const stored: string[] = []
  const write = async (at: LabHarness): Promise<Reply> => {
    const ids = Array.from({ length: 50 }, () => `n${(next += 1)}`)
    const json = ids.map((id, i) => ({ id, at: 1_700_000_000_000 + i, text: `${id} ${TEXT}` }))
    const response = await send(at, 'POST', '/services/self/notes', { token, json })
    if (response.status < 300) stored.push(...ids)
    return response
  }
  assert.equal((await write(harness)).status, 200)

  disk.fill()
  let refused = await write(harness)
  for (let i = 0; i < 200 && refused.status < 300; i += 1) refused = await write(harness)
  assert.deepEqual([refused.status, refused.body['reason']], [507, 'storage_full'])
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  for (const path of ['/profiles', '/services/self/notes?limit=5', '/types/all?limit=5'])
    assert.equal((await get(harness, path, token)).status, 200, path)
  assert.equal((await fetch(`${harness.tributary.url}/healthz`)).status, 200)

  disk.makeRoom()
  const running = harness
  await until(
    'it is written',
    () => write(running),
    ({ status }) => status === 200,
  )
  const { text } = await send(harness, 'GET', '/services/self/notes?limit=100000', { token })
  const there = (JSON.parse(text) as { data: { text: string } }[]).map(({ data }) => data.text.split(' ')[0]!)
  assert.deepEqual(there.toSorted(), stored.toSorted(), 'what was acknowledged is there, what was refused is not')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDemo } from '../long/demo.ts'

/** The heap of the service; in a larger one a leak would not show in a short test. */
const HEAP_MB = 80
const AT_ONCE = 4
const ROUNDS = 2
const ITEMS = 300
const TEXT = 'words that take room '.repeat(40)

test(`R05 with a heap of ${HEAP_MB} MB, large concurrent writes and reads get complete responses, and the process survives`, async (t) => {
  const demo = await startDemo({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` })
  t.after(demo.stop)
  const headers = { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' }
  const notes = `${demo.url}/services/self/notes`
  const write = async (round: number, writer: number) => {
    const items = Array.from({ length: ITEMS }, (_, i) => ({ id: `${round}-${writer}-${i}`, text: `${i} ${TEXT}` }))
    const response = await fetch(notes, { method: 'POST', headers, body: JSON.stringify(items) })
    await response.arrayBuffer()
    return response.status
  }
  const read = async () => {
    const response = await fetch(`${notes}?limit=1000000`, { headers })
    return ((await response.json()) as unknown[]).length
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const written = await Promise.all(Array.from({ length: AT_ONCE }, (_, writer) => write(round, writer)))
    assert.deepEqual([...new Set(written)], [200])
    const whole = (round + 1) * AT_ONCE * ITEMS
    assert.deepEqual(await Promise.all(Array.from({ length: AT_ONCE / 2 }, read)), Array(AT_ONCE / 2).fill(whole))
  }
  // Still the first process: it was never restarted.
  const text = await (await fetch(`${demo.url}/metrics`)).text()
  const startedAt = Number(/^process_start_time_seconds (\S+)$/m.exec(text)?.[1])
  assert.ok(startedAt > 0)
  process.kill(demo.pid, 0)
})

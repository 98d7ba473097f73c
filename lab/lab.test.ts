import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLab } from './lab.ts'

test('services have their own ports and share one clock', async () => {
  const lab = await startLab()
  const urls = Object.values(lab.services).map(({ url }) => url)
  assert.equal(new Set(urls).size, 3)
  const before = lab.services['demo-micro'].clock.now()
  lab.clock.advance(1_000_000)
  assert.ok(lab.services['demo-micro'].clock.now() - before >= 1_000_000)
  await lab.close()
  await assert.rejects(fetch(urls[0] ?? ''))
})

test('uses the given ports; if one is taken, the start fails and closes the started services', async () => {
  const first = await startLab({ services: ['demo-social'] })
  const taken = Number(new URL(first.services['demo-social'].url).port)
  await assert.rejects(
    startLab({ services: ['demo-micro', 'demo-health'], ports: { 'demo-health': taken } }),
    /EADDRINUSE/,
  )
  await first.close()
  const again = await startLab({ services: ['demo-health'], ports: { 'demo-health': taken } })
  assert.equal(again.services['demo-health'].url, `http://127.0.0.1:${taken}`)
  await again.close()
})

test('all services have the same people with their own native ids', async () => {
  const lab = await startLab()
  const ids = Object.values(lab.services).map(({ people }) => people.find(({ username }) => username === 'ada')?.id)
  assert.deepEqual(ids, ['1576860000', '7042118006123451000', 'ada@H01'])
  await lab.close()
})

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { type Lab, startLab } from '../lab.ts'
import type { Fault } from './faults.ts'
import type { LabService } from './service.ts'

let lab: Lab<'demo-health'>
let service: LabService
let url: string

before(async () => {
  lab = await startLab({ services: ['demo-health'] })
  service = lab.services['demo-health']
  url = service.endpoints['metadata_url'] ?? ''
})
after(() => lab.close())
afterEach(() => service.faults.clear())

const path = '/.well-known/*'
const statuses = async (count: number) => {
  const seen = []
  for (let at = 0; at < count; at += 1) seen.push((await fetch(url)).status)
  return seen
}

test('`after` and `times` delay and limit a status fault', async () => {
  service.faults.add({ path, kind: 'status', status: 503, times: 2, after: 1 })
  assert.deepEqual(await statuses(4), [200, 503, 503, 200])
})

test('Retry-After in seconds, as a date by the service clock, or not at all', async () => {
  service.faults.add({ path, kind: 'status', status: 429, retryAfterSeconds: 7 })
  service.faults.add({ path, kind: 'status', status: 429, retryAfterSeconds: 7, retryAfterForm: 'date' })
  service.faults.add({ path, kind: 'status', status: 500 })
  assert.equal((await fetch(url)).headers.get('retry-after'), '7')
  const dated = await fetch(url)
  const wait = Date.parse(dated.headers.get('retry-after') ?? '') - Date.parse(dated.headers.get('date') ?? '')
  assert.ok(wait >= 6000 && wait <= 8000)
  assert.equal((await fetch(url)).headers.get('retry-after'), null)
})

test('matches method and path; times 0 lasts until cleared', async () => {
  service.faults.add({ path, method: 'POST', kind: 'status', status: 500, times: 0 })
  service.faults.add({ path: '/elsewhere', kind: 'status', status: 500, times: 0 })
  assert.deepEqual(await statuses(1), [200])
  service.faults.add({ path, kind: 'status', status: 502, times: 0 })
  assert.deepEqual(await statuses(3), [502, 502, 502])
  service.faults.clear()
  assert.deepEqual(await statuses(1), [200])
})

test('hang sends nothing, half-open sends headers only', async () => {
  // `times: 0`: on a busy machine an aborted request may arrive late and would otherwise use up the fault.
  service.faults.add({ path, kind: 'hang', times: 0 })
  await assert.rejects(fetch(url, { signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' })
  service.faults.clear()
  service.faults.add({ path, kind: 'half-open', times: 0 })
  const leaving = new AbortController()
  const silent = await fetch(url, { signal: leaving.signal })
  assert.equal(silent.status, 200)
  const text = silent.text()
  const ended = text.then(
    () => 'ended',
    () => 'ended',
  )
  // Nothing tells that a response never ends. One that ends has this time to; a correct run does not depend on it.
  assert.equal(await Promise.race([ended, sleep(200, 'silent')]), 'silent')
  leaving.abort()
  await assert.rejects(text, { name: 'AbortError' })
})

test('reset and dropped break the connection; short-body sends broken JSON', async () => {
  service.faults.add({ path, kind: 'reset' })
  await assert.rejects(fetch(url), (error: Error) => /ECONNRESET|closed|reset/.test((error.cause as Error).message))
  service.faults.add({ path, kind: 'truncated', how: 'dropped' })
  await assert.rejects(fetch(url).then((response) => response.text()))
  service.faults.add({ path, kind: 'truncated' })
  const short = await (await fetch(url)).text()
  assert.throws(() => JSON.parse(short) as unknown, SyntaxError)
})

test('delay and slow send the complete body', async () => {
  const whole = await (await fetch(url)).text()
  const faults: Fault[] = [
    { path, kind: 'delay', delayMs: 20 },
    { path, kind: 'slow', bytesPerChunk: 200, everyMs: 1 },
  ]
  for (const fault of faults) {
    service.faults.add(fault)
    assert.equal(await (await fetch(url)).text(), whole)
  }
})

test('HTML with 200, deep JSON, and a custom response', async () => {
  service.faults.add({ path, kind: 'html' })
  assert.match((await fetch(url)).headers.get('content-type') ?? '', /^text\/html/)
  service.faults.add({ path, kind: 'deep-json', depth: 50 })
  assert.equal(await (await fetch(url)).text(), '['.repeat(50) + ']'.repeat(50))
  service.faults.add({ path, kind: 'response', status: 418, headers: { 'x-tea': 'yes' }, body: 'short and stout' })
  const tea = await fetch(url)
  assert.deepEqual([tea.status, tea.headers.get('x-tea'), await tea.text()], [418, 'yes', 'short and stout'])
})

test('a gzip bomb is small on the wire', async () => {
  service.faults.add({ path, kind: 'gzip-bomb', bytes: 20_000_000 })
  const raw = await new Promise<Buffer>((resolve, reject) => {
    httpRequest(url, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)))
    })
      .on('error', reject)
      .end()
  })
  assert.ok(raw.length < 100_000)
  assert.equal(gunzipSync(raw).length, 20_000_000)
})

test('survives a client that disconnects during a gzip bomb', async () => {
  service.faults.add({ path, kind: 'gzip-bomb', bytes: 2_000_000_000 })
  const leaving = new AbortController()
  const response = await fetch(url, { signal: leaving.signal })
  const text = response.text()
  // Some time after the response began; whenever it is, the service has to survive.
  setTimeout(() => leaving.abort(), 50)
  await assert.rejects(text)
  assert.deepEqual(await statuses(1), [200])
})

test('close does not wait for hanging connections', async () => {
  const own = await startLab({ services: ['demo-health'] })
  own.services['demo-health'].faults.add({ path: '*', kind: 'hang' })
  const hanging = fetch(own.services['demo-health'].url).catch((error: unknown) => error)
  while (own.services['demo-health'].requests.count('*') === 0) await new Promise(setImmediate)
  await own.close()
  assert.ok((await hanging) instanceof Error)
})

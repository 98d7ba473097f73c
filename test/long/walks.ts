import { Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startLabHarness } from '../harness/lab.ts'
import { signIn } from '../harness/sign-in.ts'
import { syncProgress } from '../harness/sync.ts'
import { until } from '../harness/until.ts'

// Prints in how many source files at least one function runs during a request, a sign-in and a first sync: what somebody has
// to read who follows one of them.

const SOURCES = join(import.meta.dirname, '../../src')
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** The source files of which a function ran since the last call. */
async function filesRun(): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const run = result.filter(
    ({ url, functions }) =>
      url.startsWith('file:') &&
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0)),
  )
  return new Set(run.map(({ url }) => relative(SOURCES, fileURLToPath(url))).filter((file) => !file.startsWith('..')))
}

const harness = await startLabHarness()
const service = 'demo-social'
const isSynced = (token: string) =>
  until(
    'every endpoint has run',
    () => syncProgress(harness, token, service),
    (now) => Object.values(now).every(({ state }) => state === 'done' || state === 'failing'),
  )
const call = async (path: string, token: string) => {
  const response = await fetch(`${harness.tributary.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}
const WALKS: Record<string, (token: string) => Promise<unknown>> = {
  'nothing happens': () => new Promise((resolve) => setTimeout(resolve, 2000)),
  'read /types/photos': (token) => call('/types/photos', token),
  'search q=': (token) => call('/types/all?q=the', token),
  'proxied call': (token) => call(`/proxy/${service}/me`, token),
}
const { access_token: token } = await signIn(harness, service, 'ada', { flag: 'dm' })
await isSynced(token)
// Caches, connections and statements are ready afterwards.
for (const walk of Object.values(WALKS)) await walk(token)
await filesRun()
const idle = await WALKS['nothing happens']!(token).then(filesRun)
const seen = new Map<string, Set<string>>([['nothing happens', idle]])
for (const [name, walk] of Object.entries(WALKS).slice(1)) {
  await filesRun()
  await walk(token)
  seen.set(name, await filesRun())
}
await filesRun()
const { access_token: another } = await signIn(harness, service, 'ben')
seen.set('sign-in, from the start to the code', await filesRun())
await isSynced(another)
seen.set('first sync', await filesRun())
for (const [name, files] of seen) {
  const own = [...files].filter((file) => !idle.has(file))
  const rooms = [...Map.groupBy(own, (file) => file.split('/')[0]!)].toSorted(([, a], [, b]) => b.length - a.length)
  const where = rooms.map(([room, { length }]) => `${room} ${length}`).join(', ')
  process.stdout.write(`${name}: ${files.size} files, ${own.length} of them its own (${where})\n`)
}
await harness.stop()
session.disconnect()

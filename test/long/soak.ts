import { setTimeout as sleep } from 'node:timers/promises'
import { type Demo, startDemo } from './demo.ts'
import { lowest, mean, slope } from './statistics.ts'

// Load for MINUTES (default 60) on a demo of its own; prints how memory, handles and response times develop.
const MINUTES = Number(process.env['MINUTES'] ?? 60)
const SAMPLE_MS = Math.min(60_000, (MINUTES * 60_000) / 20)
const WORKERS = 4

interface Sample {
  minute: number
  rssMb: number
  handles: number
  files: number
  requests: number
  p99Ms: number
}

const demo = await startDemo()
const load = { over: false, requests: 0, failed: 0, times: [] as number[] }
const working = Array.from({ length: WORKERS }, (_, i) => work(demo, i))
const samples: Sample[] = []
const began = performance.now()
process.stdout.write('| minute | RSS MB | handles | open files | requests | p99 ms |\n|---|---|---|---|---|---|\n')
while (performance.now() - began < MINUTES * 60_000) {
  // The interval between two samples.
  await sleep(SAMPLE_MS)
  const sample = await takeSample(demo)
  samples.push(sample)
  const { minute, rssMb, handles, files, requests, p99Ms } = sample
  process.stdout.write(
    `| ${minute.toFixed(1)} | ${rssMb.toFixed(1)} | ${handles} | ${files} | ${requests} | ${p99Ms.toFixed(1)} |\n`,
  )
}
load.over = true
await Promise.all(working)
await demo.stop()

// The first third warms up caches and pools.
const settled = samples.slice(Math.ceil(samples.length / 3))
const perHour = (read: (sample: Sample) => number) => slope(settled.map((each) => [each.minute / 60, read(each)]))
process.stdout.write(
  `\n${load.requests} requests, ${load.failed} failed. After the first third, growth in an hour: ${perHour(({ rssMb }) => rssMb).toFixed(2)} MB, ` +
    `${perHour(({ handles }) => handles).toFixed(2)} handles, ${perHour(({ files }) => files).toFixed(2)} open files. ` +
    `RSS at the end ${settled.at(-1)?.rssMb.toFixed(1)} MB, mean ${mean(settled.map(({ rssMb }) => rssMb)).toFixed(1)} MB.\n`,
)
process.exitCode = load.failed === 0 ? 0 : 1

/**
 * What an app does all day: writes items, reads them in several ways, looks at progress, requests a sync now and
 * then.
 */
async function work({ url, token }: Demo, worker: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const PATHS = [
    '/types/all?limit=20',
    '/types/photos?limit=20&map=true',
    '/types/all_feed?q=coffee&limit=5',
    '/services/self/notes?limit=20&sort=asc',
    '/profiles',
    '/profiles/demo-social/sync',
    '/healthz',
    '/docs',
  ]
  for (let round = 0; !load.over; round += 1) {
    const note = { id: `${worker}-${round % 500}`, text: `note ${round} ${'word '.repeat(20)}` }
    await request(`${url}/services/self/notes`, { method: 'POST', headers, body: JSON.stringify([note]) })
    for (const path of PATHS) await request(`${url}${path}`, { headers })
    if (round % 100 === 99) await request(`${url}/profiles/demo-social/sync`, { method: 'POST', headers, body: '{}' })
    // Limits the load: the soak test shows leaks, not throughput.
    await sleep(50)
  }
}

async function request(url: string, init: RequestInit): Promise<void> {
  const startedAt = performance.now()
  const status = await fetch(url, init).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
  load.requests += 1
  load.times.push(performance.now() - startedAt)
  if (status === 0 || status >= 500) load.failed += 1
}

async function takeSample({ url }: Demo): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  const times = load.times.splice(0)
  return {
    minute: (performance.now() - began) / 60_000,
    rssMb: read('process_resident_memory_bytes') / 1e6,
    handles: read('nodejs_active_handles_total'),
    files: read('process_open_fds'),
    requests: load.requests,
    p99Ms: lowest(times, 0.99).at(-1) ?? 0,
  }
}

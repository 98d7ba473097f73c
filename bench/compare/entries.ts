import '../../src/platform/tune-heap.ts'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { openCatalogue } from '#boot/catalogue.ts'
import { connectors } from '#connectors/index.ts'
import { services } from '#http/read/services.ts'
import type { HttpDeps } from '#http/server/deps.ts'
import { createServer } from '#http/server.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { load } from '../load.ts'

/** What a process has: no catalogue, one that nobody asked for, or all entries read and expanded. */
const FORMS = ['without', 'with', 'expanded'] as const
type Form = (typeof FORMS)[number]
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)

interface Figures {
  startMs: number
  heapMb: number
  requestMs: number
}

/** What the entries cost a process that starts, waits and answers `GET /services`, in turns in processes of their own. */
export async function benchCatalogue(): Promise<void> {
  const all = new Map<Form, Figures[]>(FORMS.map((form) => [form, []]))
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const form of FORMS) {
      const figures = await measured(form)
      // The first round fills the caches of the disk.
      if (round > 0) all.get(form)!.push(figures)
    }
  // Other work on the machine only adds.
  const of = (form: Form, name: keyof Figures) => Math.min(...all.get(form)!.map((each) => each[name]))
  const row = (form: Form, name: keyof Figures) =>
    `${of(form, name).toFixed(2)} (${(of(form, name) / of('without', name)).toFixed(3)})`
  process.stdout.write('catalogue (× without)  start, ms of CPU   idle heap, MB      GET /services, ms of CPU\n')
  for (const form of FORMS)
    process.stdout.write(
      `${form.padEnd(22)} ${row(form, 'startMs').padEnd(18)} ${row(form, 'heapMb').padEnd(18)} ${row(form, 'requestMs')}\n`,
    )
}

async function measured(form: Form): Promise<Figures> {
  const child = fork(import.meta.filename, [form], { execArgv: ['--expose-gc'] })
  const ask = async (what: string): Promise<number> => {
    const answered = once(child, 'message')
    child.send(what)
    return ((await answered) as [number])[0]
  }
  const [port] = (await once(child, 'message')) as [number]
  try {
    const startMs = await ask('cpu')
    const heapMb = await ask('heap')
    const url = `http://127.0.0.1:${port}/services`
    await load(url, { connections: 4, ms: 1000 })
    const before = await ask('cpu')
    const { perSecond } = await load(url, { connections: 4, ms: 2000 })
    return { startMs, heapMb, requestMs: ((await ask('cpu')) - before) / (perSecond * 2) }
  } finally {
    child.kill()
  }
}

async function serve(form: Form): Promise<number> {
  const registry = createRegistry(connectors, form === 'without' ? undefined : openCatalogue())
  if (form === 'expanded') for (const { service } of registry.index()) registry.find(service)
  const deps = {
    config: { baseUrl: 'http://localhost', trustProxy: [], drainMs: 0, proxyPorts: {} },
    clock: systemClock,
    log: createLog({ level: 'info', format: 'json', clock: systemClock, write: () => {} }),
    registry,
    isDraining: () => false,
    version: 'bench',
  } as unknown as HttpDeps
  const server = createServer(deps, [['GET', '/services', services, 'listServices']])
  await server.listen({ port: 0, host: '127.0.0.1' })
  return (server.server.address() as AddressInfo).port
}

const form = FORMS.find((each) => each === process.argv[2])
if (import.meta.main && form !== undefined) {
  process.send?.(await serve(form))
  process.on('message', (what) => {
    if (what === 'heap') globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    process.send?.(what === 'heap' ? process.memoryUsage().heapUsed / 2 ** 20 : (user + system) / 1000)
  })
}

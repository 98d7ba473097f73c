import '../src/platform/tune-heap.ts'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createBareServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import findMyWay from 'find-my-way'
import type { HttpDeps } from '#http/server/deps.ts'
import { route } from '#http/server/route.ts'
import { createServer } from '#http/server.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { load, median } from './load.ts'

// Twenty items of about 1 KB, as text, like most responses of reads.
const ITEMS = JSON.stringify(
  Array.from({ length: 20 }, (_, i) => ({
    id: `item-${i}`,
    at: 1_700_000_000_000 + i,
    data: { text: 'x'.repeat(950) },
  })),
)

const SERVERS: Record<string, () => Promise<number>> = {
  'node:http': async () => {
    const server = createBareServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(ITEMS),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  },
  'find-my-way': async () => {
    const router = findMyWay()
    router.on('GET', '/items', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(ITEMS),
    )
    const server = createBareServer((request, response) => router.lookup(request, response))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  },
  'our server': async () => {
    const deps = {
      config: { baseUrl: 'http://localhost', trustProxy: [], drainMs: 0 },
      clock: systemClock,
      log: createLog({ level: 'info', format: 'json', clock: systemClock, write: () => {} }),
      isDraining: () => false,
      version: 'bench',
    } as unknown as HttpDeps
    const items = route({ auth: 'none', summary: 'bench', type: 'application/json', run: async () => ITEMS })
    const server = createServer(deps, [['GET', '/items', items, 'listItems']])
    await server.listen({ port: 0, host: '127.0.0.1' })
    return (server.server.address() as AddressInfo).port
  },
}

/** The cost of the router and of our server, compared with the bare runtime in the same run. */
export async function benchHttp(): Promise<void> {
  const names = Object.keys(SERVERS)
  const rates = new Map<string, number[]>(names.map((name) => [name, []]))
  const children = await Promise.all(names.map(startChild))
  for (let round = 0; round < 5; round += 1) {
    for (const { name, port } of children) {
      const figures = await load(`http://127.0.0.1:${port}/items`, { connections: 16, ms: 1500 })
      if (round > 0) rates.get(name)!.push(figures.perSecond)
    }
  }
  for (const { child } of children) child.kill()
  const base = median(rates.get('node:http')!)
  for (const name of names) {
    const rate = median(rates.get(name)!)
    process.stdout.write(
      `${name.padEnd(14)} ${rate.toFixed(0).padStart(7)} requests/s   ${(rate / base).toFixed(2)} of node:http\n`,
    )
  }
}

async function startChild(name: string) {
  const child = fork(import.meta.filename, [name])
  const [port] = (await once(child, 'message')) as [number]
  return { name, child, port }
}

const name = process.argv[2]
if (import.meta.main && name !== undefined) process.send?.(await SERVERS[name]!())

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { movableClock } from '../base/clock.ts'
import { demoHealth } from '../services/demo-health/service.ts'
import { demoMicro } from '../services/demo-micro/service.ts'
import { demoSocial } from '../services/demo-social/service.ts'
import { listenForControl } from './control.ts'
import { type DemoService, startDemoService } from './demo-service.ts'

/** What the server tells this process in a line of its own, when it knows its address. */
interface Address {
  /** Where browsers reach the server. */
  baseUrl: string
  /** Where this process reaches it. */
  localUrl: string
}

// The demo services of `tributary demo`: their state is in a folder, and they listen on sockets in another one.
const { values } = parseArgs({ options: { folder: { type: 'string' }, sockets: { type: 'string' } } })
const { folder, sockets } = values
if (folder === undefined || sockets === undefined) throw new Error('--folder and --sockets are required')

let address: Address | undefined
const known = (): Address => {
  if (address === undefined) throw new Error('the address of the server is not known yet')
  return address
}

// At once and without closing anything: closing would remove sockets that a next process may have made by then. What is kept was
// written before each response.
const stop = () => process.exit(0)
process.on('SIGTERM', stop)
// Ctrl-C reaches the whole group of processes; the server ends this one when its work is done.
process.on('SIGINT', () => {})
process.stdout.on('error', stop)
const lines = createInterface({ input: process.stdin })
lines.on('close', stop)

const clock = movableClock()
const services: DemoService[] = []
for (const definition of [demoSocial, demoMicro, demoHealth]) {
  const { name } = definition
  services.push(
    await startDemoService(definition, {
      folder,
      sockets,
      clock,
      seed: '1',
      url: () => `${address?.baseUrl ?? 'http://localhost'}/demo/services/${name}`,
      reach: (url) =>
        url.startsWith(`${known().baseUrl}/`) ? known().localUrl + url.slice(known().baseUrl.length) : url,
    }),
  )
}
const control = join(sockets, 'control.sock')
rmSync(control, { force: true })
await listenForControl(control, services)
process.stdout.write('ready\n')
lines.on('line', (line) => {
  address = JSON.parse(line) as Address
  process.stdout.write('addressed\n')
})

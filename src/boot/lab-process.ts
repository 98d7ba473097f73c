import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { DemoService } from '#flows/operations/demo.ts'
import { SetupError } from '#platform/errors.ts'

const LAB_ENTRY = join(import.meta.dirname, '../../lab/main.ts')

export interface LabProcess {
  services: DemoService[]
  stop: () => Promise<void>
}

/** Starts the simulated services of the demo in a separate process that exits with this one. */
export async function startLabProcess(baseUrl: string): Promise<LabProcess> {
  const redirects = ['demo-social', 'demo-micro', 'demo-health'].flatMap((service) => [
    '--redirect-uri',
    `${baseUrl}/auth/${service}/callback`,
  ])
  const child = spawn(process.execPath, [LAB_ENTRY, '--port', '0', '--json', '--with-parent', ...redirects], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => []),
  ])) as [string?]
  if (line === undefined)
    throw new SetupError('The simulated services of the demo did not start; the lines above say why.', {
      code: 'lab_failed',
      help: 'Start without the demo: tributary serve',
    })
  const document = JSON.parse(line) as {
    services: Record<string, { url: string; client: { key: string; secret: string } }>
  }
  return {
    services: Object.entries(document.services).map(([service, { url, client }]) => ({
      service,
      url,
      key: client.key,
      secret: client.secret,
    })),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

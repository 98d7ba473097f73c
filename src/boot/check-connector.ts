import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CheckResult, checkConnector } from '#flows/conformance/check-connector.ts'
import { systemClock } from '#platform/clock.ts'
import { createEgressLevels } from '#platform/egress/levels.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { createUpstream } from '#upstream/request/send.ts'
import { loadConnectorFile, loadEntryFile, loadSimulatorFile } from './registry.ts'

/** Runs the conformance suite on an operator's file, with the simulator beside it where there is one. */
export async function checkConnectorFile(file: string, log: Log): Promise<CheckResult[]> {
  const path = resolve(file)
  const help = 'Fix the file and check it again.'
  if (path.endsWith('.json')) {
    const services = await loadEntryFile(path, help)
    return services.map(({ service }) => ({ check: service, fault: undefined }))
  }
  const connector = await loadConnectorFile(path, help)
  const beside = path.replace(/\.(\w+)$/, '.simulator.$1')
  const start = existsSync(beside) ? await loadSimulatorFile(beside) : undefined
  // Simulators run on this machine.
  const loopback = ['127.0.0.0/8', '::1/128']
  const egress = createEgressLevels({ allowPrivate: loopback, allowPrivateTyped: loopback })
  try {
    return await checkConnector(createUpstream({ egress, clock: systemClock, log }), connector, start)
  } finally {
    await egress.close()
  }
}

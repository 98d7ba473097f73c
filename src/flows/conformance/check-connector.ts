import type { StartSimulator } from '#kit/auth/simulator.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { reasonOf } from '#platform/errors.ts'
import { readSelf } from '#upstream/call/read-self.ts'
import type { Upstream } from '#upstream/request/send.ts'
import { checkDefinition } from './check-definition.ts'
import { checkEndpoint } from './check-endpoint.ts'
import type { WalkSubject } from './walk-endpoint.ts'

export interface CheckResult {
  /** `definition`, `self`, or the name of an endpoint. */
  check: string
  /** What is wrong; undefined when nothing is. */
  fault: string | undefined
}

/**
 * The conformance suite for one connector: its definition, and with a simulator who the person is and every endpoint, read twice,
 * continued from its watermark, and with missing fields.
 */
export async function checkConnector(
  upstream: Upstream,
  connector: Connector,
  start: StartSimulator | undefined,
): Promise<CheckResult[]> {
  const results = [await run('definition', () => checkDefinition(connector))]
  if (start === undefined) return results
  const simulator = await start()
  try {
    const { url, credential, key = { key: 'key', secret: 'secret' } } = simulator
    const caller = { upstream, connector, credential, key: { ...key, overrides: { base_url: url } } }
    let subject: WalkSubject | undefined
    results.push(
      await run('self', async () => {
        const { self } = await readSelf(caller)
        subject = { caller, self, nowMs: () => upstream.clock.now() }
      }),
    )
    for (const [name, endpoint] of Object.entries(connector.endpoints))
      if (subject !== undefined) results.push(await run(name, () => checkEndpoint(subject!, name, endpoint)))
  } finally {
    await simulator.close()
  }
  return results
}

async function run(check: string, work: () => void | Promise<void>): Promise<CheckResult> {
  try {
    await work()
    return { check, fault: undefined }
  } catch (error) {
    return { check, fault: reasonOf(error) }
  }
}

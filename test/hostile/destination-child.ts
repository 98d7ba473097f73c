import { type Connection, DeliveryError } from '#destinations/contract.ts'
import { createKinds } from '#destinations/kinds.ts'
import { createEgress } from '#platform/egress/guard.ts'
import { reasonOf } from '#platform/errors.ts'
import { LOOPBACK_RANGES } from '../harness/loopback.ts'
import { makePerson } from '../spec/push/kinds/changes.ts'
import { destinationOf } from '../spec/push/kinds/fixture.ts'
import type { Attack, Outcome, Result } from './destination-attack.ts'

/**
 * The code under attack, in a process of its own: whatever a server does to it, the test sees how the process ends. It has short waits,
 * because hostile servers are often silent. When the test lets go, nothing may keep it alive: no socket, no timer.
 */
const egress = createEgress({ allowPrivate: LOOPBACK_RANGES })
const kinds = createKinds({ filesDir: undefined })

process.on('message', (attack: Attack | 'end') => {
  if (attack !== 'end') void run(attack).then((result) => process.send!(result))
  else void egress.close().then(() => process.disconnect())
})

async function run({ id, kind, url, options, steps, waitMs, closeAfterMs }: Attack): Promise<Result> {
  const deps = { egress, clock: { now: () => Date.now() }, waitMs }
  const destination = destinationOf(kind, options)
  const connection = kinds[kind].open(deps, destination, { url, signing: ['whsec_c2VjcmV0'] })
  const outcomes: Outcome[] = []
  const closing = closeAfterMs === undefined ? undefined : setTimeout(() => void connection.close(), closeAfterMs)
  for (const step of steps) outcomes.push(await outcomeOf(() => take(connection, destination.id, step)))
  clearTimeout(closing)
  await connection.close()
  return { id, outcomes, rss: process.memoryUsage().rss }
}

async function take(connection: Connection, destinationId: string, step: string): Promise<string> {
  const ada = makePerson(destinationId)
  const rows = Array.from({ length: 20 }, (_, number) => ada.put(`i${number}`, number + 1))
  switch (step) {
    case 'test': {
      const findings = await connection.test()
      return findings.map(({ check, ok, detail }) => `${check} ${ok ? 'ok' : 'failed'}: ${detail}`).join('\n')
    }
    case 'prepare':
      await connection.prepare()
      return ''
    case 'write':
      await connection.write(ada.batch(rows))
      return ''
    case 'erase':
      await connection.erase({ destinationId, profileId: ada.profile.id, epoch: 9 })
      return ''
    default:
      await connection.drop()
      return ''
  }
}

async function outcomeOf(work: () => Promise<string>): Promise<Outcome> {
  try {
    return { ended: 'done', said: await work() }
  } catch (error) {
    return { ended: error instanceof DeliveryError ? 'failed' : 'broken', said: reasonOf(error) }
  }
}

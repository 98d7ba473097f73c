import { DeliveryError, type KindDeps } from '#destinations/contract.ts'
import { createKinds } from '#destinations/kinds.ts'
import { createEgress } from '#platform/egress/guard.ts'
import { reasonOf } from '#platform/errors.ts'
import { LOOPBACK_RANGES } from '../harness/loopback.ts'
import { makePerson } from '../spec/push/kinds/changes.ts'
import { destinationOf } from '../spec/push/kinds/fixture.ts'
import type { Order, Report } from './delivering.ts'

// Calls every method of a destination, as the service does, in a process whose exit the test observes.
const resolve = async () => [{ address: '127.0.0.1' }]
const background: KindDeps = {
  egress: createEgress({ allowPrivate: LOOPBACK_RANGES, resolve }),
  clock: { now: () => Date.now() },
}
const hasty: KindDeps = { ...background, socketTimeouts: { loginMs: 500, responseMs: 300, closeMs: 100 } }
const kinds = createKinds({ filesDir: undefined })

process.on('message', (order: Order) => {
  void deliver(order).then((report) => process.send!(report))
})
process.on('disconnect', () => process.exit(0))

async function deliver({ id, kind, url, ca, isPatient }: Order): Promise<Report> {
  const ended: string[] = []
  const odd: string[] = []
  const options = ca === undefined ? {} : { ca }
  const connection = kinds[kind].open(isPatient ? background : hasty, destinationOf(kind, options), { url })
  const step = async (name: string, work: () => Promise<unknown>) => {
    try {
      await work()
      ended.push(`${name}: ok`)
    } catch (error) {
      ended.push(`${name}: ${reasonOf(error)}`)
      if (!(error instanceof DeliveryError)) odd.push(`${name}: ${String(error)}`)
    }
  }
  const ada = makePerson('dst')
  await step('test', async () => {
    const failed = (await connection.test()).find(({ ok }) => !ok)
    if (failed !== undefined) throw new DeliveryError('retry', failed.detail)
  })
  await step('prepare', () => connection.prepare())
  await step('write', () => connection.write(ada.batch([ada.put('a', 1), ada.delete('b', 2)])))
  await step('compare', () =>
    connection.verifier!.compare(ada.profile.id, { after: '', upTo: undefined }, [ada.put('a', 1)]),
  )
  await step('close', () => connection.close())
  return { id, ended, odd, rssBytes: process.memoryUsage().rss }
}

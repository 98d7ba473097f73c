import type { DeliveryTimes } from '#flows/push/deps.ts'
import { makeApp } from '../../harness/app.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { type OwnItem, putItems, takeItems } from '../../harness/own-items.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { pusher } from '../../harness/push.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

export type PushHarness = Awaited<ReturnType<typeof startPushHarness>>
export type Tenant = Awaited<ReturnType<typeof newTenant>>

/** The service with a clock that can be moved ahead, and apps that have people with items. */
export async function startPushHarness(deliveryTimes: Partial<DeliveryTimes> = {}, env: Record<string, string> = {}) {
  let aheadMs = 0
  const clock = { now: () => Date.now() + aheadMs }
  const tributary = await startTributary(
    { TRIBUTARY_ALLOW_PRIVATE: LOOPBACK, DATABASE_POOL: '8', ...env },
    { clock, deliveryTimes },
  )
  return {
    tributary,
    clock,
    /** Time passes at once, for all but the job engine. */
    pass: (ms: number) => {
      aheadMs += ms
    },
    /** Resolves when nothing is to be delivered: what did not arrive by then will not. */
    idle: () => tributary.idle('deliveries'),
    sql: tributary.sql,
    stop: () => tributary.stop(),
    newTenant: () => newTenant(tributary),
    put: (person: Person, items: OwnItem[], endpoint = 'things') => putItems(tributary, person, items, endpoint),
    take: (person: Person, ids: string[]) => takeItems(tributary, person, ids),
  }
}

/** An app, with the calls it makes. */
async function newTenant(tributary: Tributary) {
  const app = await makeApp(tributary, { name: 'Pusher' })
  const calls = pusher({ tributary }, app)
  return {
    ...app,
    ...calls,
    ask: calls.request,
    newPerson: () => newPerson(tributary.store, app.clientId),
  }
}

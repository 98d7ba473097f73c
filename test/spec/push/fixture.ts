import type { DeliveryTimes } from '#flows/push/deps.ts'
import { makeApp } from '../../harness/app.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { type OwnItem, putItems, takeItems } from '../../harness/own-items.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { pusher } from '../../harness/push.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

export type PushHarness = Awaited<ReturnType<typeof startPushHarness>>
export type Tenant = Awaited<ReturnType<typeof newTenant>>

/** The service with an adjustable clock, and apps with people and items. */
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
    /** Advances the clock for everything but the job queue. */
    pass: (ms: number) => {
      aheadMs += ms
    },
    /** Resolves when nothing is left to deliver: what was not delivered by then will not be. */
    idle: () => tributary.idle('deliveries'),
    sql: tributary.sql,
    stop: () => tributary.stop(),
    newTenant: () => newTenant(tributary),
    put: (person: Person, items: OwnItem[], endpoint = 'things') => putItems(tributary, person, items, endpoint),
    take: (person: Person, ids: string[]) => takeItems(tributary, person, ids),
  }
}

/** An app and its API calls. */
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

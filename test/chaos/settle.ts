import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../src/boot/open-store.ts'

const query = <Row extends object>({ database }: Store, text: string, values: unknown[] = []) =>
  database.rows<Row>({ name: '', text }, values)

interface Standing {
  native_id: string
  endpoint: string
  last_run_at: number
  at_rest: boolean
}

/** Makes everything due again and waits until every endpoint has stored a walk that began after the last change. */
export async function settle(
  store: Store,
  calmSince: (person: string, endpoint: string) => number | undefined,
  say: (line: string) => void,
): Promise<void> {
  // After a long wait for the processor, so many items may be missing at once that they are kept until an operator confirms.
  await query(store, 'update endpoint_sync set next_run_at = 0, fails = 0, confirm_deletes = true')
  await query(store, 'update profile_sync set next_run_at = 0 where lease_token is null')
  const isSettled = ({ native_id: person, endpoint, last_run_at: ranAt, at_rest: isAtRest }: Standing) => {
    const begunAt = calmSince(person, endpoint)
    return isAtRest && begunAt !== undefined && ranAt >= begunAt
  }
  // One such walk is enough: on a slow machine some profile is always on its next walk, which finds the same.
  const settled = new Set<string>()
  for (let waits = 0; waits < 1200; waits += 1) {
    const standing = await query<Standing>(
      store,
      `select p.native_id, e.endpoint, e.last_run_at, e.walk is null and e.fails = 0 as at_rest
       from endpoint_sync e join profile p on p.shard = e.shard and p.id = e.profile_id`,
    )
    for (const each of standing) if (isSettled(each)) settled.add(`${each.native_id} ${each.endpoint}`)
    const remaining = standing.length - settled.size
    if (remaining === 0) return
    if (waits % 20 === 19) say(`${remaining} endpoints to go`)
    // Seldom, because each probe reads every endpoint.
    await sleep(250)
  }
  throw new Error('The endpoints did not settle')
}

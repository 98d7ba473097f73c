import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Profile } from '#model/accounts/profile.ts'
import type { OperationPart } from '#store/log/operations.ts'
import type { Taken } from '#store/sync/schedule.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { countersOf, logRun, noteFailure, openRunLog } from './run-log.ts'

const clock = { now: () => 1_800_000_000_000 }
const profile = { id: 'p', accountId: 'a' } as Profile
const taken = { shard: 0, appId: 'app', service: 'shop' } as Taken

/** What is logged of a run at one endpoint that was never read to its end before. */
function loggedOf(change: (counters: ReturnType<typeof countersOf>) => void): OperationPart[] {
  const parts: OperationPart[] = []
  const add = (part: OperationPart) => void parts.push(part)
  const run = { ...openRunLog(clock.now()), profile }
  const counters = Object.assign(countersOf({ runLog: run }, 'orders', clock.now()), { isFirst: true, pages: 1 })
  change(counters)
  logRun({ clock, operations: { add, addLimited: add, flush: async () => {} } }, run, taken)
  return parts
}
const limited = new UpstreamError('retry', 'The rate limit of this service is reached.', { reason: 'capacity' })
const broken = new UpstreamError('retry', 'The service failed.', { reason: 'service_failed', status: 500 })

test('a first sync is logged when it read on or failed, and not while it only waits for a rate limit', () => {
  assert.equal(loggedOf(() => {}).length, 1)
  assert.equal(loggedOf((counters) => noteFailure(counters, broken))[0]?.outcome, 'failed')
  assert.deepEqual(
    loggedOf((counters) => noteFailure(counters, limited)),
    [],
  )
  const waiting = loggedOf((counters) => {
    noteFailure(counters, limited)
    counters.added = 3
  })
  assert.match(waiting[0]?.summary ?? '', /^First sync: 3 new/)
})

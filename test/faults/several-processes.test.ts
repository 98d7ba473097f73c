import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { until } from '../harness/until.ts'
import { missing } from '../store/pgbouncer.ts'
import { type Done, type ProcessGroup, type Server, startGroup } from './process-group.ts'

const NO_FAULTS = {
  wrong: 0,
  lost: 0,
  extra: 0,
  disordered: 0,
  miscounted: 0,
  undelivered: 0,
  outdated: 0,
  undeleted: 0,
  repeated: 0,
}

/** Waits until the process has synced and delivered this much more than before. */
async function works(server: Server, more: Pick<Done, 'synced' | 'rows'> = { synced: 3, rows: 1 }): Promise<Done> {
  const before = await server.done()
  return until(
    'the process has synced and delivered',
    () => server.done(),
    ({ synced, rows }) => synced >= before.synced + more.synced && rows >= before.rows + more.rows,
  ).catch((error: unknown) => {
    throw new Error(`A process does not work. It said:\n${server.said().slice(-3000)}`, { cause: error })
  })
}

async function idsOf({ url }: Server, token: string): Promise<string[]> {
  const response = await fetch(`${url}/types/statuses?limit=1000`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200)
  return ((await response.json()) as { id: string }[]).map(({ id }) => id)
}

async function leftovers({ store: { database } }: ProcessGroup): Promise<Record<string, number>> {
  const text = `select
    (select count(*)::int from profile_sync where lease_token is not null) as leased_profiles,
    (select count(*)::int from delivery_cursor where lease_token is not null) as leased_cursors`
  return (await database.rows<Record<string, number>>({ name: '', text }))[0]!
}

suite('four equal processes behind a transaction pooler', { skip: missing }, () => {
  test('share requests, syncs and deliveries; one that joins takes work; drained ones leave no lease', async (t) => {
    const group = await startGroup(3)
    t.after(() => group.close())
    const token = await group.tokenOf(0)
    await Promise.all(group.servers.map((server) => works(server)))

    const joinedAt = Date.now()
    const joined = await group.join()
    const readyMs = Date.now() - joinedAt
    await until('its sync worker runs', async () => (await joined.done()).isSyncing)
    const workerMs = Date.now() - joinedAt
    await until('the new process has synced', async () => (await joined.done()).synced > 0)
    const syncedMs = Date.now() - joinedAt
    await until('the new process has delivered', async () => (await joined.done()).rows > 0)
    t.diagnostic(
      `joined: listened after ${readyMs} ms, its worker ran after ${workerMs} ms, first sync after ${syncedMs} ms, first rows after ${Date.now() - joinedAt} ms`,
    )
    for (const server of group.servers) assert.ok((await idsOf(server, token)).length > 0)

    const [first, ...others] = group.servers
    assert.equal(await first!.end('SIGTERM'), 0)
    await Promise.all(others.map((server) => works(server)))

    // Under load: the service still changes.
    assert.deepEqual(await Promise.all(others.map((server) => server.end('SIGTERM'))), [0, 0, 0])
    assert.deepEqual(await leftovers(group), { leased_profiles: 0, leased_cursors: 0 })

    const last = await Promise.all([group.join(), group.join()])
    const { items, faults } = await group.compared()
    assert.deepEqual(faults, NO_FAULTS)
    assert.ok(items > 500, `${items} items compared`)
    assert.equal(group.service.measured().overlaps, 0)
    const [one, other] = await Promise.all(last.map((server) => idsOf(server, token)))
    assert.deepEqual(one, other)
  })

  test('lose nothing when one is killed and one is frozen: others take over, and the thawed one writes nothing', async (t) => {
    const group = await startGroup(4, {
      times: { leaseMs: 12_000, sliceMs: 3000, callMs: 5000 },
      deliveryTimes: { leaseMs: 3000 },
    })
    t.after(() => group.close())
    const { service } = group
    await Promise.all(group.servers.map((server) => works(server)))
    const [killed, frozen, ...others] = group.servers

    const heldByKilled = await until('it waits for the service', () => waitingFor(group, killed!))
    await killed!.kill()
    await othersTookOver(group, killed!, heldByKilled)

    await until('it waits for the service', () => waitingFor(group, frozen!))
    const pids = frozen!.freeze()
    // Read after the freeze: of what it had begun it can end nothing.
    const heldByFrozen = service.waitingFor(pids)
    for (const pid of pids) service.sleeps(pid, Number.POSITIVE_INFINITY)
    await othersTookOver(group, frozen!, heldByFrozen)
    frozen!.thaw()
    if (heldByFrozen.length > 0)
      await until(
        'the thawed process has noticed that others took over',
        () => frozen!.done(),
        ({ lost, failed }) => lost + failed >= heldByFrozen.length,
      )
    // It goes on with other work.
    await Promise.all([frozen!, ...others].map((server) => works(server)))

    const { items, faults } = await group.compared()
    assert.deepEqual(faults, NO_FAULTS)
    assert.ok(items > 500, `${items} items compared`)
    assert.equal(service.measured().overlaps, 0)
    t.diagnostic(`held by the killed process: ${heldByKilled.length}, by the frozen one: ${heldByFrozen.length}`)
  })
})

function waitingFor({ service }: ProcessGroup, server: Server): number[] | undefined {
  const held = service.waitingFor(server.pids())
  return held.length > 0 ? held : undefined
}

/** Waits until another process has called the service for each of these people. */
async function othersTookOver({ service }: ProcessGroup, server: Server, people: number[]): Promise<void> {
  const own = new Set(server.pids())
  const seen = new Map(people.map((person) => [person, service.callersFor(person).length]))
  await until(
    'others sync the people that it held',
    () =>
      people.filter((person) =>
        service
          .callersFor(person)
          .slice(seen.get(person))
          .every((pid) => own.has(pid)),
      ),
    (left) => left.length === 0,
  )
}

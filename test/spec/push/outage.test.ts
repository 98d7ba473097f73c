import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { auditTrail } from '../../harness/audit.ts'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import type { Person } from '../../harness/person.ts'
import type { Shown } from '../../harness/push.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

suite('destination outages', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let receiver: Receiver
  let app: Tenant
  let ada: Person
  before(async () => {
    harness = await startPushHarness()
  })
  after(() => harness.stop())
  beforeEach(async () => {
    theirs = await clientDatabase()
    receiver = await startReceiver()
    app = await harness.newTenant()
    ada = await app.newPerson()
  })
  afterEach(async () => {
    await theirs.drop()
    await receiver.close()
  })

  const isState = async (made: Shown, state: string) => (await app.show(made)).state === state
  const events = () =>
    receiver.messages.filter(({ type }) => type.includes('.') && !/^(items|profile\.(changed|erased))/.test(type))

  /** Advances the clock in steps of up to an hour until the condition holds. */
  const passUntil = async (what: string, stepMs: number, holds: () => Promise<boolean>) => {
    const beganAt = harness.clock.now()
    await until(what, async () => {
      if (await holds()) return true
      harness.pass(stepMs)
      return false
    })
    return harness.clock.now() - beganAt
  }

  /** Advances the clock from attempt to attempt, however slow the machine is, until the destination is parked. */
  const passTries = async (made: Shown) => {
    const beganAt = harness.clock.now()
    for (;;) {
      const { state, next_attempt_at: next } = await app.show(made)
      if (state === 'parked') return harness.clock.now() - beganAt
      const wait = Math.max(0, (next as number) - harness.clock.now()) + 1
      harness.pass(wait < HOUR / 2 ? wait : 6 * HOUR)
      await until('it is tried', async () => (await app.show(made))['next_attempt_at'] !== next)
    }
  }

  test('P13 an outage of days: retried with growing waits, parked after three days, reported by events, and nothing is lost', async () => {
    const hook = await app.add({
      kind: 'webhook',
      url: receiver.url,
      filter: ['/types/news'],
      options: { events: true },
    })
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a' }])
    await until('a is delivered', async () => (await theirs.live()).join() === 'a')
    await theirs.line.cut()
    await harness.put(ada, [{ id: 'b' }])
    await until('it fails', () => isState(made, 'failing'))
    const first = await app.show(made)
    assert.ok(first.last_error !== undefined && (first['next_attempt_at'] as number) > harness.clock.now() - 5000)
    await passUntil('an event was sent', 20_000, async () => events().length > 0)
    assert.deepEqual(
      events().map(({ type }) => type),
      ['destination.failing'],
    )
    const waitedMs = await passTries(made)
    assert.ok(waitedMs > 2.8 * DAY && waitedMs < 3.5 * DAY, `${waitedMs / DAY} days`)
    await until('the event was sent', () => events().length === 2)
    const [failing, parked] = events()
    assert.deepEqual([failing!.type, parked!.type], ['destination.failing', 'destination.parked'])
    assert.equal((parked!.data['destination'] as { id: string }).id, made.id)
    const tries = (await app.ask('GET', `/push/${made.id}/deliveries?limit=9999`)).body as unknown as {
      ok: boolean
      attempt: number
      at: number
    }[]
    const failed = tries.filter(({ ok }) => !ok)
    assert.ok(failed.length < 120, `${failed.length} tries in three days`)

    // A parked destination is not tried, and changes are kept for it.
    await theirs.line.mend()
    await harness.put(ada, [{ id: 'c' }, { id: 'a', v: 2 }])
    harness.pass(DAY)
    await harness.idle()
    assert.deepEqual(await theirs.live(), ['a'])
    await app.ask('POST', `/push/${made.id}/resume`)
    await until('all is delivered', async () => (await theirs.live()).join() === 'a,b,c')
    assert.deepEqual(await theirs.sql(`select data from tributary_items where native_id = 'a'`), [
      { data: { id: 'a', v: 2 } },
    ])
    await app.caughtUp(made)
    const audit = await auditTrail(harness.sql, 'destination.%', { app: app.clientId })
    assert.deepEqual(
      audit.map(({ action }) => action),
      ['destination.failing', 'destination.parked'],
    )
    assert.deepEqual(await isState(hook, 'active'), true)
  })

  test('P13 a destination that returns after an hour recovers by itself, with an event', async () => {
    await app.add({ kind: 'webhook', url: receiver.url, filter: ['/types/news'], options: { events: true } })
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a' }])
    await until('a is delivered', async () => (await theirs.live()).join() === 'a')
    await theirs.line.cut()
    const people = await Promise.all(Array.from({ length: 8 }, () => app.newPerson()))
    for (const [i, person] of people.entries()) await harness.put(person, [{ id: `p${i}` }])
    await passUntil('an event was sent', 20_000, async () => events().length > 0)
    await harness.put(ada, [{ id: 'b' }])
    await theirs.line.mend()
    await passUntil('it recovered', 60_000, async () => events().length === 2)
    assert.deepEqual(
      events().map(({ type }) => type),
      ['destination.failing', 'destination.recovered'],
    )
    await until('all is delivered', async () => (await theirs.live()).length === 10)
    const shown = await app.show(made)
    assert.deepEqual([shown.state, shown.last_error, shown['failing_since']], ['active', undefined, undefined])
  })

  test('P12 a hanging and an unreachable destination do not delay others', async () => {
    const hanging = await startReceiver()
    hanging.response = () => 'hang'
    try {
      await theirs.line.cut()
      await app.add({ kind: 'postgres', url: theirs.url })
      await app.add({ kind: 'webhook', url: hanging.url })
      const fine = await app.add({ kind: 'webhook', url: receiver.url })
      for (let i = 0; i < 10; i += 1) {
        await harness.put(ada, [{ id: `n${i}` }])
        await until(`n${i} is delivered`, () => receiver.changes().some(({ native_id }) => native_id === `n${i}`))
      }
      await app.caughtUp(fine)
      assert.equal(hanging.messages.length, 0)
    } finally {
      await hanging.close()
      await theirs.line.mend()
    }
  })

  test('P18 an erasure waits for a destination that is down and is delivered afterwards', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a', author: 'ada' }])
    await until('a is delivered', async () => (await theirs.live()).join() === 'a')
    await theirs.line.cut()
    const headers = { authorization: `Bearer ${ada.token}` }
    const gone = await fetch(`${harness.tributary.url}/profiles`, { method: 'DELETE', headers })
    assert.equal(gone.status, 200)
    await gone.body?.cancel()
    await until('it fails', () => isState(made, 'failing'))
    assert.deepEqual(await theirs.live(), ['a'])
    await theirs.line.mend()
    await passUntil(
      'the rows are gone',
      5000,
      async () => (await theirs.sql('select 1 from tributary_items')).length === 0,
    )
    for (const table of ['tributary_profiles', 'tributary_participants'])
      assert.deepEqual(await theirs.sql(`select * from ${table}`), [])
    await until('no cursor is left', async () => (await app.show(made)).profiles === 0)
  })

  test('the large backfill of one app does not delay a change of another', async () => {
    const slow = await startReceiver()
    slow.delayMs = 150
    try {
      const people = await Promise.all(Array.from({ length: 40 }, () => app.newPerson()))
      await Promise.all(people.map((person) => harness.put(person, [{ id: 'x' }])))
      const many = await Promise.all(Array.from({ length: 12 }, () => app.add({ kind: 'webhook', url: slow.url })))
      await until('the backfill is under way', () => slow.messages.length > 20)
      const small = await harness.newTenant()
      const ben = await small.newPerson()
      await small.add({ kind: 'webhook', url: receiver.url })
      await harness.put(ben, [{ id: 'quick' }])
      await until('the small change is delivered', () =>
        receiver.changes().some(({ native_id }) => native_id === 'quick'),
      )
      const behind = await Promise.all(many.map(async (each) => (await app.show(each)).profiles_behind))
      assert.ok(behind.reduce((sum, n) => sum + n, 0) > 100, `the others still had ${behind.join()} to go`)
      for (const { id } of many) await app.ask('DELETE', `/push/${id}`)
    } finally {
      await slow.close()
    }
  })

  test('a Retry-After without end is limited to a day', async () => {
    const made = await app.add({ kind: 'webhook', url: receiver.url })
    receiver.response = () => 503
    receiver.extra = { 'retry-after': '9'.repeat(400) }
    await harness.put(ada, [{ id: 'a' }])
    await until('it fails', () => isState(made, 'failing'))
    const { next_attempt_at: next } = (await app.show(made)) as unknown as { next_attempt_at: number }
    assert.ok(next > harness.clock.now() && next <= harness.clock.now() + DAY, String(next))
  })

  test('status codes of a receiver: 410 disables, 429 with Retry-After waits, 500 is retried', async () => {
    const made = await app.add({ kind: 'webhook', url: receiver.url })
    receiver.response = () => 429
    receiver.extra = { 'retry-after': '7200' }
    await harness.put(ada, [{ id: 'a' }])
    await until('it fails', () => isState(made, 'failing'))
    const { next_attempt_at: next } = (await app.show(made)) as unknown as { next_attempt_at: number }
    assert.ok(next > harness.clock.now() + 7_100_000 && next < harness.clock.now() + 7_300_000)
    receiver.extra = {}
    receiver.response = () => 500
    harness.pass(2 * HOUR + 60_000)
    await until('it was tried again', async () => /500/.test((await app.show(made)).last_error ?? ''))
    receiver.response = () => 200
    await passUntil('it is delivered', 5000, async () => receiver.changes().length === 1)
    receiver.response = () => 410
    await harness.put(ada, [{ id: 'b' }])
    await until('it is disabled', () => isState(made, 'disabled'))
    receiver.response = () => 200
    harness.pass(DAY)
    await harness.idle()
    assert.equal(receiver.changes().length, 1)
    await app.ask('POST', `/push/${made.id}/resume`)
    await until('b is delivered', () => receiver.changes().length === 2)
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { receiveHook } from '#flows/sync/hook.ts'
import { setRules } from '#flows/sync/schedule/rules.ts'
import {
  getSpending,
  type ServiceSpending,
  type SpendingInput,
  setSpending,
} from '#flows/sync/schedule/spending-rules.ts'
import { self } from '#kit/auth/self.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import type { EndpointInput } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { type Fixture, type Note, notes, openFixture, someNotes } from './engine-fixture.ts'
import type { ReceivedRequest } from './scripted-service.ts'

const CENT = { currency: 'USD', perRecord: '0.01', records: { param: 'count', min: 2, otherwise: 10 } }
type Listing = { notes: Note[]; next?: string }

/** A page of a list that is read by cursors, of the size that the request asks for. */
function pageOf(list: Note[], { query }: ReceivedRequest): { body: Listing } {
  const from = Number(query['page'] ?? 0)
  const to = from + Number(query['count'] ?? 10)
  return { body: { notes: list.slice(from, to), ...(to < list.length ? { next: String(to) } : {}) } }
}

suite('endpoints that cost money', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const priced = (path: string, input: Partial<EndpointInput<Listing, Note>> = {}) =>
    notes(path, { price: CENT, pages: cursorPages({ param: 'page', from: ({ next }: Listing) => next }), ...input })
  const spend = (input: SpendingInput) => setSpending(fixture.deps, fixture.appId, input, 'test')
  const spending = async (service: string): Promise<ServiceSpending> => {
    const found = (await getSpending(fixture.deps, fixture.appId))[service]
    assert.ok(found)
    return found
  }
  /** A service that lists these notes in pages of ten, or fewer where fewer are requested, and adds up its bill in cents. */
  function billing(path: string, list: () => Note[]) {
    const bill = { cents: 0 }
    fixture.service.on(path, (request) => {
      const { body } = pageOf(list(), request)
      bill.cents += body.notes.length
      return { body }
    })
    return bill
  }
  const calls = (path: string): ReceivedRequest[] => fixture.service.requestsTo(path)
  const at = (time: string) => {
    fixture.clock.offsetMs = Date.parse(time) - Date.now()
  }
  const events = async (action: string) =>
    fixture.sql<{ detail: { service: string } }>('select detail from audit where action = $1', [action])

  test('are off until the app switches them on, whatever their class, and say so', async () => {
    const connector = await fixture.use('paid', { list: priced('/paid'), free: notes('/free') })
    const bill = billing('/paid', () => someNotes(25))
    fixture.service.on('/free', () => ({ body: { notes: someNotes(1) } }))
    const profile = await fixture.connect(connector)
    await fixture.sync(profile)
    assert.equal(calls('/paid').length, 0)
    assert.equal((await fixture.stored(profile, 'free')).size, 1)
    const off = await fixture.progress(profile, 'list')
    assert.deepEqual([off.state, off.last_reason], ['off', 'priced'])
    assert.equal((await fixture.reload(profile)).state, 'active')

    await spend({ endpoints: { 'paid/list': true } })
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 25)
    const on = await spending('paid')
    assert.deepEqual(on.endpoints, { list: { on: true, price: { currency: 'USD', per_record: '0.01' } } })
    assert.equal(on.spent, '0.25')
    assert.equal(bill.cents, 25)
    assert.equal((await fixture.progress(profile, 'list')).state, 'done')

    // Off again: what is stored stays, and nothing more is read.
    await spend({ endpoints: { 'paid/*': false } })
    const before = calls('/paid').length
    await fixture.sync(profile)
    assert.equal(calls('/paid').length, before)
    assert.equal((await fixture.stored(profile)).size, 25)
  })

  test('the person’s own record too: off, then counted like a page, and limited', async () => {
    const price = { currency: 'USD', perRecord: '0.01', records: 1 }
    // All within one month.
    at('2027-01-01T00:00:00Z')
    const own = self<{ id: string }>({ path: '/own/me', every: '7d', price, read: ({ id }) => ({ id }) })
    const connector = await fixture.use('own', { list: notes('/own') }, { self: own })
    fixture.service.on('/own', () => ({ body: { notes: someNotes(1) } }))
    fixture.service.on('/own/me', () => ({ body: { id: 'ada' } }))
    const profile = await fixture.connect(connector)
    const later = async (days: number) => {
      fixture.clock.offsetMs += days * 86_400_000
      await fixture.run(profile)
    }
    await later(10)
    assert.equal(calls('/own/me').length, 0)
    const off = await spending('own')
    assert.deepEqual(off.endpoints, { self: { on: false, price: { currency: 'USD', per_record: '0.01' } } })
    await spend({ endpoints: { 'own/*': true } })
    await fixture.run(profile)
    assert.deepEqual([calls('/own/me').length, (await spending('own')).spent], [1, '0.01'])
    await later(3)
    assert.equal(calls('/own/me').length, 1, 'once a week')
    await spend({ limits: { own: '0.01' } })
    await later(7)
    assert.equal(calls('/own/me').length, 1, 'the limit of the month')
    await spend({ limits: { own: null } })
    fixture.service.on('/own/me', () => ({ status: 503, body: {} }))
    await later(9)
    assert.deepEqual([calls('/own/me').length, (await spending('own')).spent], [2, '0.01'], 'an outage costs nothing')
    fixture.service.on('/own/me', () => ({ body: { id: 'ada' } }))
    await spend({ endpoints: { 'own/self': false } })
    await later(10)
    assert.equal(calls('/own/me').length, 2)
  })

  test('stop in the middle of a walk when the app switches them off, and continue there', async () => {
    const connector = await fixture.use('midway', { list: priced('/midway') })
    await spend({ endpoints: { 'midway/*': true } })
    const bill = { cents: 0 }
    fixture.service.on('/midway', async (request) => {
      if (request.query['page'] === '10') await spend({ endpoints: { 'midway/list': false } })
      const { body } = pageOf(someNotes(35), request)
      bill.cents += body.notes.length
      return { body }
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.deepEqual(
      calls('/midway').map(({ query }) => query['page']),
      [undefined, '10'],
    )
    fixture.clock.offsetMs += 5000
    await fixture.sync(profile)
    assert.equal((await fixture.progress(profile, 'list')).state, 'off')
    const again = billing('/midway', () => someNotes(35))
    await spend({ endpoints: { 'midway/list': true } })
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 35)
    // The pages that were paid are not read again.
    assert.deepEqual([bill.cents, again.cents], [20, 15])
    assert.equal((await spending('midway')).spent, '0.35')
  })

  test('stop at the limit until the next month, without exceeding it; other services go on', async () => {
    const connector = await fixture.use('limited', { list: priced('/limited'), free: notes('/free') })
    const bill = billing('/limited', () => someNotes(100))
    at('2027-03-31T23:00:00Z')
    await spend({ endpoints: { 'limited/*': true }, limits: { limited: '0.25' } })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    // Two pages of ten, and a smaller one for what is left.
    assert.deepEqual(
      calls('/limited').map(({ query }) => query['count']),
      [undefined, undefined, '5'],
    )
    assert.deepEqual([bill.cents, (await spending('limited')).spent], [25, '0.25'])
    const stopped = await fixture.progress(profile, 'list')
    assert.deepEqual([stopped.state, stopped.last_reason], ['paused', 'spending_limit_reached'])
    assert.match(stopped.last_error ?? '', /2027-04-01/)
    assert.ok(Math.abs(stopped.next_run - Date.parse('2027-04-01T00:00:00Z')) < 5000)
    assert.equal((await fixture.stored(profile, 'free')).size, 1)
    const { state, resets_at } = await spending('limited')
    assert.deepEqual([state, resets_at], ['reached', Date.parse('2027-04-01T00:00:00Z')])

    // A requested sync does not call the service, and the app is told once.
    await fixture.sync(profile)
    await fixture.sync(profile)
    assert.equal(calls('/limited').length, 3)
    const told = (await events('spending.reached')).filter(({ detail }) => detail.service === 'limited')
    assert.deepEqual(
      told.map(({ detail }) => detail),
      [{ service: 'limited', limit: '0.25', spent: '0.25', currency: 'USD', resets_at }],
    )

    at('2027-04-01T00:00:10Z')
    await fixture.run(profile)
    assert.ok(calls('/limited').length > 3)
    assert.equal((await spending('limited')).spent, '0.25')

    // A higher limit continues at once.
    await spend({ limits: { limited: '5' } })
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 100)
    assert.equal((await spending('limited')).state, 'ok')
    fixture.clock.offsetMs = 0
  })

  test('a service that wants to be paid first stops the app, not the person, and the walk continues once it is paid', async () => {
    const connector = await fixture.use('credit', { list: priced('/credit'), other: priced('/credit2') })
    await spend({ endpoints: { 'credit/*': true } })
    let hasCredit = false
    const served: string[] = []
    for (const path of ['/credit', '/credit2'])
      fixture.service.on(path, (request) => {
        const page = request.query['page'] ?? '0'
        if (page !== '0' && !hasCredit) return { status: 402, body: { title: 'CreditsDepleted' } }
        served.push(`${path} ${page}`)
        return pageOf(someNotes(25), request)
      })
    const [ada, ben] = [await fixture.connect(connector, 'ada'), await fixture.connect(connector, 'ben')]
    await fixture.run(ada)
    const { state, last_reason } = await fixture.progress(ada, 'list')
    assert.deepEqual([state, last_reason], ['failing', 'unpaid'])
    assert.equal((await fixture.reload(ada)).state === 'needs_auth', false)
    const before = fixture.service.requests.length
    await fixture.run(ben)
    assert.equal(fixture.service.requests.length, before)
    assert.equal((await fixture.progress(ben, 'list')).last_reason, 'unpaid')
    assert.deepEqual([(await spending('credit')).state, (await spending('credit')).spent], ['unpaid', '0.10'])
    assert.equal((await events('spending.unpaid')).filter(({ detail }) => detail.service === 'credit').length, 1)

    hasCredit = true
    fixture.clock.offsetMs += 2 * 3_600_000
    for (const profile of [ada, ben]) await fixture.run(profile)
    assert.equal((await fixture.stored(ada)).size, 25)
    assert.equal((await fixture.stored(ben)).size, 25)
    assert.equal(served.filter((each) => each === '/credit 0').length, 2)
    assert.equal((await spending('credit')).state, 'ok')
    fixture.clock.offsetMs = 0
  })

  test('a response that is lost, or comes to a process that died, counts as a full page', async () => {
    const connector = await fixture.use('lost', { list: priced('/lost') })
    await spend({ endpoints: { 'lost/*': true } })
    const profile = await fixture.connect(connector)
    const killed = new AbortController()
    fixture.service.on('/lost', () => {
      killed.abort()
      return new Promise(() => {})
    })
    await fixture.run(profile, killed.signal)
    assert.equal((await spending('lost')).spent, '0.10')
    fixture.service.on('/lost', (_request, response) => {
      response.destroy()
      return undefined
    })
    await fixture.sync(profile)
    assert.equal((await spending('lost')).spent, '0.40')
    // A refused or failed call is not charged by any service that we know.
    for (const status of [400, 403, 429, 500, 503]) {
      fixture.service.on('/lost', () => ({ status, headers: { 'retry-after': '1' }, body: {} }))
      fixture.clock.offsetMs += 86_400_000 / 24
      await fixture.sync(profile)
    }
    assert.equal((await spending('lost')).spent, '0.40')
    fixture.clock.offsetMs = 0
  })

  test('a webhook of the service does not read a paid list as a whole again', async () => {
    const newer = since<Note>({ param: 'since', value: ({ at: time }) => time })
    const hook = { verify: () => true, people: () => ['ada'] }
    const endpoints = { list: priced('/hooked'), newest: priced('/hooked-new', { checkpoint: newer }) }
    const connector = await fixture.use('hooked', endpoints, { hook })
    for (const path of ['/hooked', '/hooked-new']) billing(path, () => someNotes(5))
    await spend({ endpoints: { 'hooked/*': true } })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const call = {
      method: 'POST',
      service: 'hooked',
      appId: fixture.appId,
      query: {},
      headers: {},
      body: '{}',
    } as const
    assert.deepEqual(await receiveHook(fixture.deps, call, async (compare) => (await compare())!), { woken: 1 })
    await fixture.run(profile)
    assert.deepEqual([calls('/hooked').length, calls('/hooked-new').length], [1, 2])
  })

  test('sync rules and spending rules do not overwrite each other; wrong names and amounts are refused', async () => {
    await fixture.use('mixed', { list: priced('/mixed'), other: priced('/mixed'), free: notes('/free') })
    await spend({ endpoints: { 'mixed/*': true }, limits: { mixed: '1.5' } })
    await setRules(fixture.deps, fixture.appId, { pace: { 'mixed/list': '3h' } }, 'test')
    assert.equal((await spending('mixed')).limit, '1.50')
    // One of all is switched off: the others stay on.
    await spend({ endpoints: { 'mixed/other': false } })
    const { endpoints } = await spending('mixed')
    assert.deepEqual([endpoints['list']?.on, endpoints['other']?.on], [true, false])
    await spend({ limits: { mixed: null } })
    assert.equal((await spending('mixed')).limit, null)
    for (const [input, field] of [
      [{ endpoints: { 'mixed/free': true } }, 'endpoints.mixed/free'],
      [{ endpoints: { 'nobody/*': true } }, 'endpoints.nobody/*'],
      [{ endpoints: { 'mixed/list/x': true } }, 'endpoints.mixed/list/x'],
      [{ limits: { nobody: '5' } }, 'limits.nobody'],
      [{ limits: { mixed: '-5' } }, 'limits.mixed'],
      [{ limits: { mixed: '5 USD' } }, 'limits.mixed'],
      [{ limits: { mixed: '99999999999' } }, 'limits.mixed'],
    ] as const)
      await assert.rejects(spend(input), { reason: 'bad_body', param: field })
    await assert.rejects(setSpending(fixture.deps, 'nobody', {}, 'test'), { reason: 'not_found' })
  })

  test('runs at the same time, killed at random, never exceed the limit and never count less than the bill', async () => {
    const people = Array.from({ length: 6 }, (_, i) => `p${i}`)
    const connector = await fixture.use('crowd', { list: priced('/crowd'), other: priced('/crowd') })
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const limitCents = 300
    await spend({ endpoints: { 'crowd/*': true }, limits: { crowd: '3.00' } })
    let bill = 0
    const kills = new Map<string, AbortController>()
    fixture.service.on('/crowd', (request, response) => {
      const { body } = pageOf(someNotes(60), request)
      const fate = random(10)
      if (fate === 0) return { status: 503, body: {} }
      bill += body.notes.length
      // The record of the bill exists, whatever becomes of the response.
      if (fate === 1) return void response.destroy()
      if (fate === 2) kills.get(String(request.headers.authorization).split('token-')[1] ?? '')?.abort()
      return { body }
    })
    const profiles: Profile[] = []
    for (const person of people) profiles.push(await fixture.connect(connector, person))
    for (let round = 0; round < 8; round += 1) {
      await Promise.all(
        profiles.map(async (profile, i) => {
          const killed = new AbortController()
          kills.set(people[i]!, killed)
          await fixture.run(profile, killed.signal)
        }),
      )
      const { spent } = await spending('crowd')
      const spentCents = Math.round(Number(spent) * 100)
      assert.ok(spentCents >= bill, `${spentCents} counted, ${bill} billed`)
      assert.ok(spentCents <= limitCents, `${spentCents} of ${limitCents}`)
      fixture.clock.offsetMs += 60_000
      await fixture.sql('update profile_sync set next_run_at = 0 where service = $1', ['crowd'])
      await fixture.sql(
        `update endpoint_sync e set next_run_at = 0 from profile_sync p
         where p.shard = e.shard and p.profile_id = e.profile_id and p.service = $1`,
        ['crowd'],
      )
    }
    assert.ok(bill > 0)
    fixture.clock.offsetMs = 0
  })
})

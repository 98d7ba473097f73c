import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { SyncSummary } from '#flows/sync/overview.ts'
import { type ServiceName, serviceNames } from '../../../../../lab/lab.ts'
import { send } from '../../../../harness/send.ts'
import type { Progress } from '../../../../harness/sync.ts'
import { until } from '../../../../harness/until.ts'
import { connectorOf, startTables, type Tables } from './fixture.ts'
import { ROWS } from './services.ts'

/** They refuse without a reason: only the scopes of the token response tell that something was not given. */
const WITHOUT_REASON: readonly ServiceName[] = ['x']
/**
 * They do not refuse: edges of Facebook are empty, Twitch returns only the number of followers, and comments at Instagram are not
 * asked for where there are no media.
 */
const WITHOUT_REFUSAL: readonly ServiceName[] = ['facebook', 'instagram', 'twitch']

suite('a permission that was not given', () => {
  let tables: Tables
  before(async () => {
    tables = await startTables()
    await tables.tributary.sql(
      `insert into destination (id, app_id, name, kind, sealed, filter, schedule, options, wants_events, state, fails,
         next_attempt_at, created_at, updated_at)
       values ('dst_events', $1, 'events', 'webhook', '', '{*}', 'on_change', '{"events": ["sync.first_completed"]}', true,
         'disabled', 0, 0, 0, 0)`,
      [tables.app.clientId],
    )
    // Nothing is delivered; a disabled destination would get no events.
    await tables.tributary.sql(
      `update destination set state = 'active', next_attempt_at = 8e15 where id = 'dst_events'`,
    )
  })
  after(() => tables.stop())

  for (const service of serviceNames) {
    const { permission } = ROWS[service]
    if (permission === undefined) {
      test(`${service}: has no permissions to choose, and no endpoint that needs one`, () => {
        for (const [name, { scope }] of Object.entries(connectorOf(service).endpoints))
          assert.deepEqual(scope, [], name)
      })
      continue
    }
    const { by, endpoints } = permission
    const names = Object.keys(connectorOf(service).endpoints)
    const left = () =>
      tables.signIn(
        service,
        'scope' in by ? { query: { scope: by.scope } } : 'flag' in by ? { query: { flag: by.flag } } : by,
      )
    const summary = async (token: string) => {
      const { body } = await send({ tributary: tables.tributary }, 'GET', '/sync', { token })
      return (body['profiles'] as (SyncSummary & { service: string })[]).find((each) => each.service === service)!
    }
    /** `GET /sync`, the state of the profile, the event and the progress say the same. */
    const assertComplete = async (token: string, progress: Progress) => {
      for (const [name, { state, last_reason: reason }] of Object.entries(progress))
        assert.deepEqual(
          [name, state, reason],
          endpoints.includes(name) ? [name, 'off', 'scope_missing'] : [name, 'done', undefined],
        )
      // The event is the last thing that a first sync does.
      const event = await until(
        'the event is there',
        () => eventOf(service),
        (found) => found !== undefined,
      )
      assert.deepEqual(
        event?.unread.map(({ endpoint, reason }) => `${endpoint} ${reason}`).toSorted(),
        endpoints.map((name) => `${name} scope_missing`),
      )
      const { state, first_completed_at: at, endpoints: counted, off } = await summary(token)
      assert.deepEqual(
        { state, counted, off },
        {
          state: 'complete',
          counted: { done: names.length - endpoints.length, of: names.length - endpoints.length },
          off: { scope_missing: endpoints.length },
        },
      )
      assert.equal(await tables.stateOf(service), 'active')
      const [stored] = await tables.tributary.sql<{ at: number }>(
        'select s.first_completed_at as at from profile_sync s join profile p on p.shard = s.shard and p.id = s.profile_id where p.service = $1 and p.app_id = $2',
        [service, tables.app.clientId],
      )
      assert.equal(at, stored?.at)
    }

    test(`${service}: exactly the endpoints that need it are off, and all others are read`, async () => {
      const token = await left()
      const progress = await tables.everyEndpointRan(service, token)
      for (const name of endpoints) assert.equal(progress[name]?.last_run, undefined, `${name} was not called`)
      await assertComplete(token, progress)
    })

    test(`${service}: the same where only its refusal says it`, async () => {
      const token = await left()
      await tables.everyEndpointRan(service, token)
      await tables.tributary.sql('update profile set scope = null where service = $1 and app_id = $2', [
        service,
        tables.app.clientId,
      ])
      await tables.syncNow(service, token)
      const isSilent = WITHOUT_REFUSAL.includes(service)
      const progress = await until(
        'the endpoints were tried',
        () => tables.progress(service, token),
        (now) =>
          endpoints.some((name) => now[name]?.last_run !== undefined) &&
          endpoints.every((name) => (isSilent ? now[name]?.state === 'done' : now[name]?.last_reason !== undefined)),
      )
      if (isSilent) {
        const { state, first_completed_at: at } = await summary(token)
        assert.deepEqual([state, at !== undefined], ['complete', true])
        return
      }
      if (WITHOUT_REASON.includes(service)) {
        for (const name of endpoints) assert.equal(progress[name]?.last_reason, 'service_refused')
        return
      }
      await assertComplete(token, await tables.everyEndpointRan(service, token))
      const { text } = await send({ tributary: tables.tributary }, 'GET', '/accounts', {
        headers: tables.appHeaders,
        query: { failing: 'true', service },
      })
      assert.deepEqual(JSON.parse(text), [], 'no account is failing')
    })

    test(`${service}: given in another sign-in, they are read at once`, async () => {
      const whole = await tables.signIn(service)
      await until(
        'every endpoint is read',
        () => tables.progress(service, whole),
        (now) =>
          Object.values(now).every(({ last_run: at, last_reason: why }) => at !== undefined && why === undefined),
      )
      assert.equal((await summary(whole)).off, undefined)
    })
  }

  const eventOf = async (service: ServiceName) => {
    const rows = await tables.tributary.sql<{ data: { unread: { endpoint: string; reason: string }[] } }>(
      `select data from push_event where type = 'sync.first_completed' and data::jsonb -> 'profile' ->> 'service' = $1`,
      [service],
    )
    assert.ok(rows.length <= 1, 'it comes once')
    return rows[0]?.data
  }
})

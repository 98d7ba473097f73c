import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ServiceName, serviceNames } from '../../../../../lab/lab.ts'
import { until } from '../../../../harness/until.ts'
import { connectorOf, startTables, type Tables } from './fixture.ts'
import { ROWS, type Scope, type Throttle } from './services.ts'

const SCOPES: Record<Scope, string> = {
  app: 'every profile of the app pauses, nobody else’s',
  person: 'only the person pauses',
  group: 'only groups of the person’s endpoints pause',
  endpoint: 'only the person’s endpoint pauses',
}

const WORDS: Record<Scope, number> = { app: 2, person: 3, group: 4, endpoint: 0 }

suite('calls that a service refuses because of a rate limit', () => {
  let tables: Tables
  before(async () => {
    tables = await startTables()
  })
  after(() => tables.stop())

  /** Runs something while the service refuses every call of its API. */
  async function throttled(service: ServiceName, throttle: Throttle, run: () => Promise<void>): Promise<void> {
    const { configure, faults } = tables.lab.services[service]
    if ('settings' in throttle) configure({ rateLimit: throttle.settings.during })
    else {
      const { status, headers = {}, body } = throttle.response
      const text = JSON.stringify(body)
      faults.add({
        path: '*',
        kind: 'response',
        status,
        headers: { 'content-type': 'application/json', ...headers },
        body: text,
        times: 0,
      })
    }
    try {
      await run()
    } finally {
      if ('settings' in throttle) configure({ rateLimit: throttle.settings.after })
      else faults.clear()
    }
  }

  const blocked = async (service: ServiceName, clientId: string) =>
    tables.tributary.sql<{ bucket: string }>(
      'select bucket from rate_limit where blocked_until > $2 and starts_with(bucket, $1) order by bucket',
      [`${clientId} ${service}`, Date.now()],
    )

  for (const service of serviceNames)
    for (const [scope, throttle] of Object.entries(ROWS[service].throttles) as [Scope, Throttle][])
      test(`${service}: ${SCOPES[scope]}`, async () => {
        const [ours, theirs] = [await tables.newApp([service]), await tables.newApp([service])]
        const finn = await tables.signIn(service, { by: ours })
        const other = await tables.signIn(service, { by: theirs })
        for (const token of [finn, other]) await tables.everyEndpointRan(service, token)
        // A request for a sync is not counted while one is about to end.
        await tables.tributary.idle('syncs')

        await throttled(service, throttle, async () => {
          await tables.syncNow(service, finn)
          await until('the service has refused a call, or said that none is left', async () => {
            const now = await tables.progress(service, finn)
            const isRefused = Object.values(now).some(
              ({ last_reason: why }) => why?.startsWith('rate_limited') === true,
            )
            return isRefused || (await blocked(service, ours.clientId)).length > 0
          })
        })

        const buckets = await blocked(service, ours.clientId)
        if (scope === 'group') assert.ok(buckets.length > 0)
        else assert.equal(buckets.length, scope === 'endpoint' ? 0 : 1, JSON.stringify(buckets))
        // The bucket of a person has one more word, that of a group two.
        for (const { bucket } of buckets) assert.equal(bucket.split(' ').length, WORDS[scope], bucket)
        assert.deepEqual(await blocked(service, theirs.clientId), [])
        const status = async (token: string) => {
          const { status: code, body } = await tables.proxied(service, token)
          return code === 200 ? code : body['reason']
        }
        assert.equal(await status(finn), scope === 'endpoint' ? 200 : 'service_limited')
        assert.equal(await status(other), 200)

        const before = Math.max(...Object.values(await tables.progress(service, other)).map((one) => one.last_run ?? 0))
        await tables.syncNow(service, other)
        await tables.everyEndpointRan(service, other, before)

        // Another person of the same app.
        const dmitri = await tables.signIn(service, { by: ours, person: 'dmitri' })
        assert.equal(await status(dmitri), scope === 'app' ? 'service_limited' : 200)
        const ran = async () => Object.values(await tables.progress(service, dmitri)).some((one) => one.last_run)
        if (scope === 'app') assert.equal(await ran(), false)
        else await until('the other person is synced', ran)
      })

  test('every service of the lab says whose calls it refuses', () => {
    for (const service of serviceNames) {
      assert.ok(Object.keys(ROWS[service].throttles).length > 0, service)
      const { limits } = connectorOf(service).api
      if (limits?.app !== undefined) assert.ok(ROWS[service].throttles.app, service)
    }
  })
})

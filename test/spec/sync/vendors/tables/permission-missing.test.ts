import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { serviceNames } from '../../../../../lab/lab.ts'
import { until } from '../../../../harness/until.ts'
import { connectorOf, startTables, type Tables } from './fixture.ts'
import { ROWS } from './services.ts'

suite('a permission that was not given', () => {
  let tables: Tables
  before(async () => {
    tables = await startTables()
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
    test(`${service}: exactly the endpoints that need it say so, and all others are read`, async () => {
      const { by, endpoints } = permission
      const token = await tables.signIn(service, 'scope' in by ? { query: { scope: by.scope } } : by)
      const progress = await tables.everyEndpointRan(service, token)
      const missing = Object.keys(progress).filter((name) => progress[name]!.last_reason === 'scope_missing')
      assert.deepEqual(missing.sort(), endpoints)
      for (const [name, { state, last_error: error, last_run: at }] of Object.entries(progress)) {
        if (missing.includes(name)) assert.equal(at, undefined, name)
        else assert.deepEqual([name, state, error], [name, 'done', undefined])
      }

      // The person gives it in a second sign-in.
      const whole = await tables.signIn(service)
      await tables.syncNow(service, whole)
      await until(
        'every endpoint is read',
        () => tables.progress(service, whole),
        (now) =>
          Object.values(now).every(({ last_run: at, last_reason: why }) => at !== undefined && why === undefined),
      )
    })
  }
})

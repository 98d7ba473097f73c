import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ServiceName, serviceNames } from '../../../../../lab/lab.ts'
import { codeOf, newBrowser, walk } from '../../../../harness/sign-in.ts'
import { expireAfter } from '../../../sign-in/fixture.ts'
import { connectorOf, PERSON, startTables, type Tables } from './fixture.ts'

const ELEVEN_MINUTES_MS = 11 * 60_000

suite('a second sign-in of a connected person', () => {
  let tables: Tables
  before(async () => {
    tables = await startTables()
  })
  after(() => tables.stop())

  const start = (service: ServiceName) => tables.startOf(service)
  const WAYS: Record<string, (service: ServiceName) => Promise<void>> = {
    'the tab is closed at the login page': async (service) => {
      assert.equal((await newBrowser().open(start(service))).status, 200)
    },
    'the person says no at the service': async (service) => {
      const back = await walk(start(service), { person: PERSON, decision: 'deny' })
      assert.ok(back.searchParams.get('error'), back.href)
    },
    'the service fails when it should name the person': async (service) => {
      const { from, path: selfPath } = connectorOf(service).self
      // Where no call names the person, the token response does.
      const path = from === 'call' ? `*${selfPath}` : '/v2/oauth2'
      const { faults } = tables.lab.services[service]
      faults.add({ path, kind: 'status', status: 500, times: 0 })
      const back = await walk(start(service), { person: PERSON })
      faults.clear()
      assert.ok(back.searchParams.get('error'), back.href)
    },
    'the app never redeems the code': async (service) => {
      codeOf(await walk(start(service), { person: PERSON }))
      await expireAfter(tables, ELEVEN_MINUTES_MS)
      assert.deepEqual(await tables.tributary.sql('select 1 from consent where used_at is null'), [])
    },
  }

  for (const service of serviceNames)
    test(`${service}: the first profile still works, however the second sign-in ends`, async () => {
      const token = await tables.signIn(service)
      for (const [how, end] of Object.entries(WAYS)) {
        await end(service)
        assert.equal((await tables.proxied(service, token)).status, 200, how)
      }
      await tables.everyEndpointRan(service, token)
      assert.notEqual(await tables.stateOf(service), 'needs_auth')
    })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { serviceNames } from '../../../../../lab/lab.ts'
import { pusher } from '../../../../harness/push.ts'
import { until } from '../../../../harness/until.ts'
import { type Receiver, startReceiver } from '../../../push/receiver.ts'
import { PERSON, startTables, type Tables } from './fixture.ts'
import { ROWS } from './services.ts'

const EVENT = 'profile.needs_auth'

suite('access taken back at the service', () => {
  let tables: Tables
  let receiver: Receiver
  before(async () => {
    tables = await startTables()
    receiver = await startReceiver()
    const destination = { kind: 'webhook', url: receiver.url, filter: ['/types/tracks'], options: { events: true } }
    await pusher(tables, tables.app).add(destination)
  })
  after(async () => {
    await tables.stop()
    await receiver.close()
  })

  const eventsOf = (service: string) =>
    receiver.messages.filter(({ type, data }) => {
      const { service: of } = (data['profile'] ?? {}) as { service?: string }
      return type === EVENT && of === service
    })

  for (const service of serviceNames)
    test(`${service}: the profile needs a new sign-in, the app is told once, and a new sign-in mends it`, async () => {
      const token = await tables.signIn(service)
      const first = await tables.everyEndpointRan(service, token)
      const atService = tables.lab.services[service]
      if (ROWS[service].refreshes) {
        // A rotation keeps the previous refresh token, which must be refused as well.
        assert.ok(atService.tokens.expire(PERSON) > 0)
        await tables.syncNow(service, token)
        await tables.everyEndpointRan(service, token, latest(first))
      }
      assert.ok(atService.tokens.revoke(PERSON) > 0)
      await tables.syncNow(service, token)
      await until(
        'the profile needs a new sign-in',
        () => tables.stateOf(service),
        (state) => state === 'needs_auth',
      )
      await until('the event was sent', () => eventsOf(service).length > 0)
      assert.notEqual((await tables.proxied(service, token)).status, 200)

      const again = await tables.signIn(service)
      assert.equal((await tables.proxied(service, again)).status, 200)
      assert.notEqual(await tables.stateOf(service), 'needs_auth')
      assert.equal(eventsOf(service).length, 1)
    })
})

function latest(progress: Awaited<ReturnType<Tables['progress']>>): number {
  return Math.max(...Object.values(progress).map(({ last_run: at = 0 }) => at))
}

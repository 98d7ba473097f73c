import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RUNS_PER_DESTINATION } from '#flows/push/deps.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness } from './fixture.ts'
import { type Receiver, startReceiver } from './receiver.ts'

let harness: PushHarness
let receiver: Receiver
before(async () => {
  harness = await startPushHarness()
  receiver = await startReceiver()
})
after(async () => {
  // Closed first, so that no hanging write keeps the service from stopping.
  await receiver.close()
  await harness.stop()
})

test('runs blocked by a slow receiver end when their profiles are disconnected, and the erasures are delivered', async () => {
  const held = new Set<string>()
  receiver.response = ({ type, data }) => {
    if (type === 'profile.erased' || data.profile === undefined) return 200
    held.add(data.profile.id)
    return 'hang'
  }
  const tenant = await harness.newTenant()
  await tenant.add({ kind: 'webhook', url: receiver.url })
  const people = []
  for (let n = 0; n < RUNS_PER_DESTINATION; n += 1) {
    const person = await tenant.newPerson()
    await harness.put(person, [{ id: 'n1', text: 'one' }])
    people.push(person)
  }
  await until('every run waits for the receiver', () => held.size === RUNS_PER_DESTINATION)
  for (const { token } of people) {
    const gone = await fetch(`${harness.tributary.url}/profiles`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(gone.status, 200, await gone.text())
  }
  const { logged } = harness.tributary
  const isEnded = () => logged.some((line) => line.includes('a delivery ended, because its profile was disconnected'))
  await until('a run has ended', isEnded)
  const erased = () => receiver.messages.filter(({ type }) => type === 'profile.erased').length
  await until('the erasures are delivered', () => erased() === RUNS_PER_DESTINATION)
})

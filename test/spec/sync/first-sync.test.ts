import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LabHouse, startLabHouse } from '../../harness/lab.ts'
import { get } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'

interface Progress {
  state: string
  items: number
  last_error?: string
}

suite('the first sync', () => {
  let house: LabHouse
  before(async () => {
    house = await startLabHouse()
  })
  after(() => house.stop())

  for (const service of ['demo-social', 'demo-micro', 'demo-health'] as const) {
    test(`${service}: every endpoint brings items, and the profile becomes active`, async () => {
      // Messages need the permission that the flag asks for; elsewhere it means nothing.
      const { access_token: token } = await signIn(house, service, 'ada', { flag: 'dm' })
      const progress = await settled(house, service, token)
      assert.ok(Object.keys(progress).length > 0)
      for (const [name, { state, items, last_error: error }] of Object.entries(progress)) {
        assert.equal(state, 'done', `${name}: ${error}`)
        assert.ok(items > 0, `${name} has ${items} items`)
      }
    })
  }
})

async function settled(house: LabHouse, service: string, token: string): Promise<Record<string, Progress>> {
  for (let i = 0; i < 300; i += 1) {
    const { body } = await get(house, `/profiles/${service}/sync`, token)
    const progress = body as unknown as Record<string, Progress>
    if (Object.values(progress).every(({ state }) => state === 'done' || state === 'failing')) return progress
    await sleep(100)
  }
  throw new Error('the first sync did not end')
}

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type LabHouse, startLabHouse } from '../../support/lab-app.ts'

const PER_ADDRESS = 5

let house: LabHouse
before(async () => {
  house = await startLabHouse({ TRUST_PROXY: '127.0.0.1', TRIBUTARY_QUOTA_ADDRESS_SIGN_INS: String(PER_ADDRESS) })
})
after(() => house.stop())

const begin = (from: string, service = 'demo-social') =>
  fetch(house.startUrl(service), {
    redirect: 'manual',
    headers: { 'x-forwarded-for': from, accept: 'text/html' },
  })

suite('unfinished sign-ins', () => {
  test('of one address are bounded, also when they begin at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => begin('203.0.113.1')))
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 302).length, PER_ADDRESS)
    assert.equal(statuses.filter((status) => status === 429).length, 20 - PER_ADDRESS)
  })
})

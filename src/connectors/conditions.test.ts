import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connectors } from './index.ts'

suite('what vendors demand on the first day', () => {
  test('is said with the page and the day on which it was read', () => {
    const all = connectors.flatMap(({ service, conditions = [] }) => conditions.map((each) => ({ service, ...each })))
    for (const { service, says, source, checked } of all) {
      assert.match(says, /\.$/, service)
      assert.equal(new URL(source).protocol, 'https:', service)
      if (checked !== undefined) assert.match(checked, /^20\d\d-\d\d-\d\d$/, service)
    }
    const said = new Set(all.flatMap(({ service, checked }) => (checked === undefined ? [] : [service])))
    for (const service of ['spotify', 'strava', 'google', 'x', 'instagram', 'facebook', 'withings'])
      assert.ok(said.has(service), service)
  })
})

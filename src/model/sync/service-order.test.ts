import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inListOrder } from './service-order.ts'

const order = (...services: [service: string, title: string][]) =>
  inListOrder(services.map(([service, title]) => ({ service, title }))).map(({ title }) => title)

suite('order of services', () => {
  test('those of the demo first, as the demo shows them; then by title', () => {
    assert.deepEqual(
      order(
        ['x', 'X'],
        ['caldav', 'CalDAV'],
        ['demo-health', 'Demo Health'],
        ['a-later-name', 'éclair'],
        ['demo-micro', 'Demo Micro'],
        ['bluesky', 'Bluesky'],
        ['demo-social', 'Demo Social'],
        ['demo-own', 'Demo Own'],
      ),
      ['Demo Social', 'Demo Micro', 'Demo Health', 'Bluesky', 'CalDAV', 'Demo Own', 'éclair', 'X'],
    )
    assert.deepEqual(order(), [])
  })
})

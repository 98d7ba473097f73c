import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { orders, pagesOf, type SyncHouse, startSyncHouse } from '../sync/house.ts'

/** The quotas of every app in this file, unless a test sets others. */
const PROFILE_ITEMS = 25

let house: SyncHouse
before(async () => {
  house = await startSyncHouse({ TRIBUTARY_QUOTA_PROFILE_ITEMS: String(PROFILE_ITEMS) })
})
after(() => house.stop())

const own = (token: string, items: unknown[]) =>
  house.ask('POST', '/services/self/notes', token, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(items),
  })
const reason = ({ body }: { body: unknown }) => (body as { reason?: string }).reason

suite('a service with ever new items', () => {
  test('fills a profile up to its quota and no further', async () => {
    let calls = 0
    house.service.on('/orders', ({ query }) => {
      calls += 1
      const page = Number(query['page'])
      return { body: { orders: orders(10).map(({ at, text }, i) => ({ id: `p${page}-${i}`, at, text })) } }
    })
    const { access_token: token } = await house.connect('endless')
    const stopped = await house.until(token, ({ last_error }) => last_error?.startsWith('quota_reached') === true)
    assert.equal(stopped.items, PROFILE_ITEMS)
    assert.ok(calls < 100, String(calls))
  })
})

suite("an app's own items", () => {
  test('beyond the quota are refused whole, with the reason; nothing stored is lost', async () => {
    house.service.on(
      '/orders',
      pagesOf(() => []),
    )
    const { access_token: token } = await house.connect('own')
    const many = Array.from({ length: PROFILE_ITEMS }, (_, i) => ({ id: `n${i}` }))
    assert.equal((await own(token, many)).status, 200)
    const refused = await own(token, [{ id: 'one more' }])
    assert.deepEqual([refused.status, reason(refused)], [403, 'quota_reached'])
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { SyncOverview } from '#flows/sync/overview.ts'
import { basic } from '../../harness/app.ts'
import { newPerson } from '../../harness/person.ts'
import { send } from '../../harness/send.ts'
import { until } from '../../harness/until.ts'
import { gate } from './scripted-service.ts'
import { orders, pagesOf, type SyncHarness, startSyncHarness } from './shop-fixture.ts'

suite('the sync state of an account', () => {
  let harness: SyncHarness
  before(async () => {
    harness = await startSyncHarness()
  })
  after(() => harness.stop())

  const overview = async (token: string) =>
    (await send(harness, 'GET', '/sync', { token })).body as unknown as SyncOverview
  const reaches = (token: string, state: SyncOverview['state']) =>
    until(
      `the state is ${state}`,
      () => overview(token),
      (seen) => seen.state === state,
    )

  test('is first_sync until every endpoint was read once, then complete; followed live to its end', async () => {
    const pageGate = gate()
    harness.service.on('/orders', async (request) => {
      if (request.query['page'] === '3') await pageGate.opened
      return pagesOf(() => orders(45))(request)
    })
    const { access_token: token, account } = await harness.connect('ada')
    await harness.until(token, ({ items }) => items === 20)
    const during = await overview(token)
    assert.deepEqual(during, {
      state: 'first_sync',
      items: 20,
      endpoints: { done: 0, of: 1 },
      profiles: [
        { profile: 'ada@shop', service: 'shop', state: 'first_sync', items: 20, endpoints: { done: 0, of: 1 } },
      ],
    })
    const follow = (path: string) =>
      fetch(`${harness.tributary.url}${path}`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
      })
    const [ofAccount, ofProfile] = await Promise.all([follow('/sync'), follow('/profiles/shop/sync')])
    pageGate.open()
    const [text, profileText] = await Promise.all([ofAccount.text(), ofProfile.text()])
    const names = (events: string) => [...events.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
    assert.equal(names(text)[0], 'progress')
    assert.equal(names(text).at(-1), 'done')
    const last = JSON.parse(/data: (.*)\n\n$/.exec(text)![1]!) as SyncOverview
    assert.deepEqual([last.state, last.items], ['complete', 45])
    assert.equal(names(profileText)[0], 'overall')
    assert.equal(names(profileText).at(-1), 'done')
    assert.match(profileText, /event: overall\ndata: \{"state":"complete","first_completed_at":\d+,"items":45/)
    const complete = await overview(token)
    assert.equal(typeof complete.first_completed_at, 'number')
    assert.deepEqual([complete.state, complete.endpoints], ['complete', { done: 1, of: 1 }])
    const shown = await send(harness, 'GET', `/accounts/${account}`, { headers: basic(harness) })
    assert.deepEqual(shown.body['sync'], complete)
  })

  test('is failing, paused or needs_auth where that is so, and first_completed_at stays', async () => {
    let status = 200
    harness.service.on('/orders', (request) =>
      status === 200 ? pagesOf(() => orders(5))(request) : { status, body: {} },
    )
    const { access_token: token } = await harness.connect('ben')
    const { first_completed_at: completedAt } = await reaches(token, 'complete')
    await send(harness, 'POST', '/profiles/shop/pause', { token })
    const paused = await reaches(token, 'paused')
    assert.equal(paused.first_completed_at, completedAt)
    await send(harness, 'POST', '/profiles/shop/resume', { token })
    await reaches(token, 'complete')
    status = 500
    await send(harness, 'POST', '/profiles/shop/sync', { token })
    const failing = await reaches(token, 'failing')
    assert.equal(failing.first_completed_at, completedAt)
    await harness.sql(`update profile set state = 'needs_auth' where native_id = 'ben'`)
    assert.equal((await overview(token)).state, 'needs_auth')
  })

  test('a first sync that cannot be read is failing and has no first_completed_at', async () => {
    harness.service.on('/orders', () => ({ status: 500, body: {} }))
    const { access_token: token } = await harness.connect('cyd')
    const failing = await reaches(token, 'failing')
    assert.equal(failing.first_completed_at, undefined)
  })

  test('without profiles it is complete and empty; HEAD does not follow', async () => {
    const { token } = await newPerson(harness.tributary.store, harness.clientId)
    assert.deepEqual(await overview(token), {
      state: 'complete',
      items: 0,
      endpoints: { done: 0, of: 0 },
      profiles: [],
    })
    const head = await fetch(`${harness.tributary.url}/sync`, {
      method: 'HEAD',
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
    })
    assert.deepEqual([head.status, await head.text()], [200, ''])
  })
})

import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { loadConfig } from '#config/config.ts'
import { basic } from '../../harness/app.ts'
import { auditTrail } from '../../harness/audit.ts'
import { tributary as cli } from '../../harness/command-line.ts'
import { purgeExpired } from '../../harness/maintenance.ts'
import { until } from '../../harness/until.ts'
import { type Order, orders, pagesOf, type SyncHarness, startSyncHarness } from '../sync/shop-fixture.ts'

/** The quotas of this file, unless a test sets others. */
const PROFILE_ITEMS = 25
const SETTINGS = { TRIBUTARY_QUOTA_PROFILE_ITEMS: String(PROFILE_ITEMS) }

interface Use {
  used: number
  limit: number | null
  state: string
}
interface Usage {
  quotas: Record<string, Use>
  profiles?: { profile: string; id: string; items: number; bytes: number; quotas: Record<string, Use> }[]
  notices?: { quota: string; state: string; account?: string; profile?: string }[]
}

let harness: SyncHarness
let list: Order[] = []
before(async () => {
  harness = await startSyncHarness(SETTINGS)
})
after(() => harness.stop())
beforeEach(async () => {
  list = []
  harness.service.on(
    '/orders',
    pagesOf(() => list),
  )
  await setQuotas({})
})

const setQuotas = async (quotas: Record<string, number | 'none'>) => {
  const { status, body } = await harness.tributary.admin('PUT', `/admin/apps/${harness.clientId}/quotas`, quotas)
  assert.equal(status, 200, JSON.stringify(body))
  return body as Record<string, { limit: number | null; own: boolean }>
}
const usage = async (query = ''): Promise<Usage> => {
  const headers = basic({ clientId: harness.clientId, secret: harness.secret })
  const response = await fetch(`${harness.tributary.url}/usage${query}`, { headers })
  assert.equal(response.status, 200)
  return (await response.json()) as Usage
}
const own = (token: string, items: unknown[]) =>
  harness.ask('POST', '/services/self/notes', token, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(items),
  })
const byText = (a: string, b: string) => (a < b ? -1 : 1)
const reason = ({ body }: { body: unknown }) => (body as { reason?: string }).reason
const notes = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ id: `n${from + i}` }))
const isFull = ({ last_reason }: { last_reason?: string }) => last_reason === 'quota_reached'
const isDone = ({ state }: { state: string }) => state === 'done'
/**
 * Requests a run until one ended after the request: a request at the end of a run only takes effect with the next
 * one.
 */
const syncOnce = async (token: string, query = '') => {
  const asked = Date.now()
  let looks = 0
  return until(
    'a run has ended',
    async () => {
      if (looks++ % 20 === 0) await harness.ask('POST', `/profiles/shop/sync${query}`, token)
      return harness.progress(token)
    },
    (now) => (now.last_run ?? 0) >= asked && now.state !== 'running',
  )
}
/** Waits for what is written after the items are stored. */
const eventually = (isSo: () => Promise<boolean>) => until(isSo.toString(), isSo)
/** The maintenance that runs every ten minutes. */
const upkeep = () => purgeExpired({ ...harness.tributary.store, config: loadConfig(SETTINGS) })
/** Profiles whose counters differ from their items. */
const miscounted = () =>
  harness.sql(
    `select s.profile_id, s.items::int, c.n, s.bytes::int, c.bytes as counted from profile_sync s, lateral (
       select count(*)::int as n, coalesce(sum(octet_length(i.data::text)), 0)::int as bytes from item i
       where i.shard = s.shard and i.profile_id = s.profile_id) c where s.items <> c.n or s.bytes <> c.bytes`,
  )

suite('a service that always has new items', () => {
  test('fills a profile up to its quota; the reason is shown, and it continues when the quota is raised', async () => {
    harness.service.on('/orders', ({ query }) => {
      const page = Number(query['page'])
      return { body: { orders: orders(10).map((order, i) => ({ ...order, id: `p${page}-${i}` })) } }
    })
    const { access_token: token } = await harness.connect('endless')
    const stopped = await harness.until(token, (now) => isFull(now) && now.state === 'failing')
    assert.equal(stopped.items, PROFILE_ITEMS)
    assert.match(stopped.last_error!, /quota profile_items is reached/)
    assert.equal(
      ((await harness.ask('GET', '/services/shop/orders?limit=100', token)).body as unknown[]).length,
      PROFILE_ITEMS,
    )
    await setQuotas({ profile_items: 45 })
    const more = await harness.until(token, (now) => isFull(now) && now.items === 45)
    assert.equal(more.items, 45)
    assert.deepEqual(await miscounted(), [])
  })

  test('while it is full, stored items are updated and deleted, and freed space is used', async () => {
    list = orders(40)
    const { access_token: token, account } = await harness.connect('full')
    await harness.until(token, isFull)
    // The newest items of the list came first and are stored: one changes, and five disappear.
    list = list.map((order) => (order.id === 'o3' ? { ...order, text: 'another text' } : order)).slice(5)
    list.unshift({ ...orders(1)[0]!, id: 'o3', text: 'another text' })
    const after = await syncOnce(token)
    assert.equal(isFull(after), true)
    const read = (await harness.ask('GET', '/services/shop/orders?limit=100', token)).body as { data: Order }[]
    assert.equal(read.find(({ data }) => data.id === 'o3')?.data.text, 'another text')
    assert.equal(
      read.some(({ data }) => data.id === 'o1'),
      false,
    )
    await syncOnce(token)
    const { profiles } = await usage(`?account=${account}`)
    assert.equal(profiles![0]!.items, PROFILE_ITEMS)
    // Then so many disappear that all the others fit.
    list = list.slice(0, 20)
    const last = await syncOnce(token, '?confirm_deletes=true')
    assert.deepEqual([last.items, last.state], [20, 'done'])
    assert.deepEqual(await miscounted(), [])
  })

  test('continues by itself after another profile of the account is disconnected', async () => {
    await setQuotas({ account_items: 30 })
    harness.service.on('/orders', (asked) =>
      pagesOf(() => (asked.headers.authorization === 'Bearer token-guest' ? orders(10) : list))(asked),
    )
    const { access_token: token, account } = await harness.connect('guest')
    await harness.until(token, isDone)
    list = orders(25)
    await harness.connect('host', account)
    const stopped = await harness.until(token, isFull)
    assert.match(stopped.last_error ?? '', /quota account_items is reached/)
    assert.equal(stopped.items, 20)
    assert.deepEqual((await usage(`?account=${account}`)).quotas['account_items'], {
      used: 30,
      limit: 30,
      state: 'reached',
    })
    assert.equal((await harness.ask('DELETE', '/profiles/guest@shop', token)).status, 200)
    await upkeep()
    assert.equal((await harness.until(token, isDone)).items, 25)
    const reached = (await usage()).notices?.filter((each) => each.account === account && each.state === 'reached')
    assert.deepEqual(reached, [])
    assert.deepEqual(await miscounted(), [])
  })
})

suite("an app's own items", () => {
  test('beyond a quota are refused as a whole, with the reason; stored ones can still be changed', async () => {
    const { access_token: token } = await harness.connect('own')
    assert.equal((await own(token, notes(PROFILE_ITEMS - 1))).status, 200)
    const refused = await own(token, notes(2, 100))
    assert.deepEqual([refused.status, reason(refused)], [413, 'quota_reached'])
    assert.match((refused.body as { error: string }).error, /quota profile_items of 25 does not allow 2 more items/)
    assert.deepEqual((await own(token, [{ id: 'n0', text: 'changed' }])).body, { added: 0, changed: 1, unchanged: 0 })
    assert.equal((await own(token, notes(1, 100))).status, 200)
    assert.equal((await own(token, notes(1, 101))).status, 413)
    assert.deepEqual((await own(token, [{ id: 'n1', text: 'changed too' }])).body, {
      added: 0,
      changed: 1,
      unchanged: 0,
    })
    assert.equal(
      ((await harness.ask('GET', '/services/self/notes?limit=100', token)).body as unknown[]).length,
      PROFILE_ITEMS,
    )
    assert.deepEqual(await miscounted(), [])
  })

  test('are limited over all accounts of the app, also when they arrive at the same time', async () => {
    const people = await Promise.all(['p1', 'p2', 'p3', 'p4'].map((person) => harness.connect(person)))
    const ownItems = async () =>
      (
        await harness.sql<{ n: number }>(
          `select count(*)::int as n from item i join profile p on p.shard = i.shard and p.id = i.profile_id where p.service = 'self'`,
        )
      )[0]!.n
    const before = await ownItems()
    await setQuotas({ own_items: before + 10 })
    const responses = await Promise.all(
      people.flatMap(({ access_token: token }) => [0, 1, 2, 3, 4].map((i) => own(token, notes(1, 200 + i)))),
    )
    assert.ok(responses.filter(({ status }) => status === 200).length <= 10)
    assert.ok(responses.every((response) => response.status === 200 || reason(response) === 'quota_reached'))
    // Concurrent reservations may refuse more than necessary; afterwards the free space is used exactly.
    const stored = async () => (await ownItems()) - before
    let next = 300
    await until('there is room', async () => {
      if ((await stored()) >= 10) return true
      await own(people[0]!.access_token, notes(1, next++))
      return false
    })
    assert.equal(await stored(), 10)
    assert.equal((await own(people[0]!.access_token, notes(1, 1000))).status, 413)
    assert.deepEqual(await miscounted(), [])
  })

  test('are limited in bytes', async () => {
    const { access_token: token, account } = await harness.connect('bytes')
    await setQuotas({ account_bytes: 2000 })
    assert.equal((await own(token, [{ id: 'a', text: 'x'.repeat(1500) }])).status, 200)
    const refused = await own(token, [{ id: 'b', text: 'ü'.repeat(300) }])
    assert.deepEqual([refused.status, reason(refused)], [413, 'quota_reached'])
    const { quotas } = await usage(`?account=${account}`)
    assert.deepEqual([quotas['account_bytes']!.used, quotas['account_bytes']!.state], [1520, 'ok'])
    assert.equal((await own(token, [{ id: 'b', text: 'x'.repeat(300) }])).status, 200)
    assert.equal((await usage(`?account=${account}`)).quotas['account_bytes']!.state, 'near')
    await setQuotas({ account_bytes: 'none' })
    assert.equal((await own(token, [{ id: 'c', text: 'x'.repeat(9000) }])).status, 200)
  })
})

suite('quotas', () => {
  test('warn before they are reached: in the usage, by an event, in metrics', async () => {
    harness.service.on('/events', () => ({ status: 200, body: {} }))
    const made = await fetch(`${harness.tributary.url}/push`, {
      method: 'POST',
      headers: { ...basic({ clientId: harness.clientId, secret: harness.secret }), 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Events',
        kind: 'webhook',
        url: `${harness.service.url}/events`,
        filter: ['/types/tracks'],
        options: { events: true },
      }),
    })
    assert.equal(made.status, 201, await made.text())
    list = orders(21)
    const { access_token: token, account } = await harness.connect('warned')
    await harness.until(token, isDone)
    const ownNotices = async () => (await usage()).notices?.filter((each) => each.account === account)
    const states = async () => ((await ownNotices()) ?? []).map(({ quota, state }) => `${quota} ${state}`).join()
    await eventually(async () => (await states()) === 'profile_items near')
    const audit = async () =>
      (await auditTrail(harness.sql, 'quota.%', { account })).map(
        ({ action, detail }) => `${action} ${String(detail['quota'])}`,
      )
    assert.deepEqual(await audit(), ['quota.near profile_items'])
    list = orders(30)
    await syncOnce(token)
    await eventually(async () => (await states()) === 'profile_items reached')
    await syncOnce(token)
    assert.deepEqual(await audit(), ['quota.near profile_items', 'quota.reached profile_items'])
    const received = () =>
      ['quota.near', 'quota.reached'].every((type) =>
        harness.service.requestsTo('/events').some(({ body }) => body.includes(type) && body.includes(account)),
      )
    await eventually(async () => received())
    const metrics = await (await fetch(`${harness.tributary.url}/metrics`)).text()
    assert.match(metrics, /^tributary_quota_notices\{quota="profile_items",state="reached"\} \d+$/m)
    assert.match(
      metrics,
      new RegExp(`^tributary_quota_used_ratio\\{app="${harness.clientId}",quota="app_items"\\} [\\d.e-]+$`, 'm'),
    )
  })

  test('are set and shown by the API and the command line', async () => {
    assert.deepEqual((await setQuotas({ profile_items: 7, app_bytes: 'none' }))['profile_items'], {
      limit: 7,
      own: true,
    })
    const path = `/admin/apps/${harness.clientId}/quotas`
    const shown = (await harness.tributary.admin('GET', path)).body as Record<string, unknown>
    assert.deepEqual(shown['app_bytes'], { limit: null, own: true })
    assert.deepEqual(shown['account_items'], { limit: 5_000_000, own: false })
    for (const wrong of [{ nothing: 1 }, { profile_items: -1 }, { profile_items: '5' }, { profile_items: 1.5 }])
      assert.equal((await harness.tributary.admin('PUT', path, wrong)).status, 400)
    assert.equal((await harness.tributary.admin('PUT', '/admin/apps/app_none/quotas', {})).status, 404)
    const env = { DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir }
    const set = await cli(
      ['app', 'quotas', harness.clientId, '--set', 'account_items=9', '--set', 'profile_items=default', '--json'],
      env,
    )
    assert.equal(set.code, 0, set.stderr)
    const after = JSON.parse(set.stdout) as Record<string, unknown>
    assert.deepEqual(
      [after['account_items'], after['app_bytes']],
      [
        { limit: 9, own: true },
        { limit: null, own: true },
      ],
    )
    const used = await cli(['app', 'usage', harness.clientId, '--json'], env)
    assert.equal(used.code, 0, used.stderr)
    assert.equal((JSON.parse(used.stdout) as Usage).quotas['app_items']!.limit, 100_000_000)
  })

  test('show an app only its own accounts', async () => {
    const { account } = await harness.connect('hers')
    const other = (
      await harness.tributary.admin('POST', '/admin/apps', { name: 'Other', redirect_uris: ['https://o.test/'] })
    ).body as { client_id: string; client_secret: string }
    const headers = basic({ clientId: other.client_id, secret: other.client_secret })
    assert.equal((await fetch(`${harness.tributary.url}/usage?account=${account}`, { headers })).status, 404)
    assert.equal((await fetch(`${harness.tributary.url}/usage?account=nonsense`, { headers })).status, 404)
    assert.equal((await fetch(`${harness.tributary.url}/usage?profile=shop`, { headers })).status, 400)
    assert.equal((await fetch(`${harness.tributary.url}/usage`)).status, 401)
  })
})

suite('the item counts', () => {
  test('stay correct over resets, merges of accounts and profiles, disconnects and erasure', async () => {
    list = orders(12)
    const one = await harness.connect('fold')
    await harness.until(one.access_token, isDone)
    await own(one.access_token, notes(3))
    const two = await harness.connect('fold')
    await harness.until(two.access_token, isDone)
    assert.notEqual(one.account, two.account)
    await harness.ask('POST', '/profiles/shop/reset', one.access_token)
    list = orders(14)
    await harness.until(one.access_token, ({ items, state }) => items === 14 && state === 'done')
    const merged = await fetch(`${harness.tributary.url}/auth/merge`, {
      method: 'POST',
      body: new URLSearchParams({ source: two.access_token, dest: one.access_token }),
    })
    assert.equal(merged.status, 200, await merged.text())
    const { profiles } = await usage(`?account=${one.account}`)
    assert.deepEqual(profiles!.map(({ profile, items }) => `${profile.replace(/.*@/, '')} ${items}`).toSorted(byText), [
      'self 3',
      'shop 12',
      'shop 14',
    ])
    assert.deepEqual(await miscounted(), [])
    await harness.ask('DELETE', '/profiles/shop', one.access_token)
    assert.deepEqual(
      (await usage(`?account=${one.account}`)).profiles!.map(({ items }) => items),
      [3],
    )
    await harness.ask('DELETE', '/profiles', one.access_token)
    assert.deepEqual(await miscounted(), [])
    assert.deepEqual(
      await harness.sql(
        'select 1 from profile_sync s join profile p on p.shard = s.shard and p.id = s.profile_id where p.account_id = $1',
        [one.account],
      ),
      [],
    )
  })

  test('are corrected by maintenance', async () => {
    list = orders(9)
    const { access_token: token, account } = await harness.connect('wrong')
    await harness.until(token, isDone)
    await harness.sql(
      `update profile_sync s set items = 1000, bytes = 5, recounted_at = null from profile p where p.shard = s.shard and p.id = s.profile_id and p.account_id = $1`,
      [account],
    )
    await until('they are mended', async () => {
      await upkeep()
      return (await usage(`?account=${account}`)).profiles![0]!.items === 9
    })
    assert.deepEqual(await miscounted(), [])
  })

  test('a reached quota that was not recorded, because the process died in between, is found by maintenance', async () => {
    list = orders(30)
    const { access_token: token, account } = await harness.connect('untold')
    await harness.until(token, isFull)
    const noticed = async () =>
      (await harness.sql(`select 1 from quota_notice where account_id = $1 and level = 'reached'`, [account])).length
    await eventually(async () => (await noticed()) === 1)
    await harness.sql('delete from quota_notice')
    const newest = await harness.sql<{ shard: number; profile_id: string; id: string }>(
      `select i.shard, i.profile_id, i.id from item i join profile p on p.shard = i.shard and p.id = i.profile_id
       where p.account_id = $1 order by i.at desc limit 10`,
      [account],
    )
    for (const { shard, profile_id: profileId, id } of newest)
      await harness.sql('delete from item where shard = $1 and profile_id = $2 and id = $3', [shard, profileId, id])
    await harness.sql(
      `update profile_sync s set recounted_at = null from profile p where p.shard = s.shard and p.id = s.profile_id and p.account_id = $1`,
      [account],
    )
    list = orders(20)
    await until('it is synced', async () => {
      await upkeep()
      return isDone(await harness.progress(token))
    })
    assert.deepEqual(await miscounted(), [])
  })
})

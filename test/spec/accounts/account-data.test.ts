import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic, makeApp } from '../../harness/app.ts'
import { holdTable } from '../../harness/database/hold-table.ts'
import { type RequestOptions, send } from '../../harness/send.ts'
import { until } from '../../harness/until.ts'
import { orders, pagesOf, type SyncHarness, startSyncHarness } from '../sync/shop-fixture.ts'

let harness: SyncHarness
before(async () => {
  harness = await startSyncHarness()
  harness.service.on(
    '/orders',
    pagesOf(() => orders(45)),
  )
})
after(() => harness.stop())

const byApp = (method: string, path: string, options: RequestOptions = {}) =>
  send(harness, method, path, { ...options, headers: { ...basic(harness), ...options.headers } })
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { account?: string; profiles?: Record<string, unknown>; id?: string })
const connected = async (person: string) => {
  const { access_token: token, account } = await harness.connect(person)
  await harness.until(token, ({ state }) => state === 'done')
  await send(harness, 'POST', '/services/self/notes', { token, json: [{ id: 'note-1' }] })
  return { token, account }
}
const audited = async (account: string) =>
  (
    await harness.sql<{ actor: string; action: string }>(
      'select actor, action from audit where account_id = $1 order by id',
      [account],
    )
  ).map(({ actor, action }) => `${actor} ${action}`)

suite('the export of an account', () => {
  test('has the profiles, then every item once, the own ones too; for the app and for the account’s token', async () => {
    const { account, token } = await connected('ada')
    const exported = await byApp('GET', `/accounts/${account}/export`)
    assert.deepEqual(
      [exported.status, exported.headers.get('content-type')],
      [200, 'application/x-ndjson; charset=utf-8'],
    )
    const [head, ...items] = linesOf(exported.text)
    assert.deepEqual([head!.account, Object.keys(head!.profiles!)], [account, ['id', 'shop']])
    assert.deepEqual([items.length, new Set(items.map(({ id }) => id)).size], [46, 46])
    const own = await send(harness, 'GET', '/export', { token })
    assert.equal(own.text, exported.text)
    const exports = (await audited(account)).filter((entry) => entry.endsWith('account.export'))
    assert.deepEqual(exports, [`app:${harness.clientId} account.export`, `account:${account} account.export`])
  })

  test('HEAD exports nothing, and is not recorded', async () => {
    const { account } = await connected('bea')
    const { status, text } = await byApp('HEAD', `/accounts/${account}/export`)
    assert.deepEqual([status, text], [200, ''])
    assert.ok(!(await audited(account)).some((entry) => entry.includes('export')))
  })

  test('S22 another app, an unknown account and a wrong secret get nothing', async () => {
    const { account } = await connected('cyd')
    const other = await makeApp(harness.tributary)
    for (const method of ['GET', 'DELETE']) {
      const path = `/accounts/${account}${method === 'GET' ? '/export' : ''}`
      assert.equal((await send(harness, method, path, { headers: basic(other) })).status, 404)
      assert.equal((await send(harness, method, path, { headers: basic({ ...other, secret: 'x' }) })).status, 401)
      assert.equal((await byApp(method, path.replace(account, 'none'))).status, 404)
    }
    assert.equal((await byApp('GET', `/accounts/${account}`)).status, 200)
  })

  test('of an account that is erased meanwhile does not look complete', async () => {
    const { account } = await connected('dan')
    const held = await holdTable(harness.tributary.databaseUrl, 'item')
    const exported = byApp('GET', `/accounts/${account}/export`).then(
      () => 'complete',
      () => 'broken off',
    )
    await held.awaited()
    await harness.sql('delete from account where id = $1', [account])
    await held.release()
    assert.equal(await exported, 'broken off')
  })
})

suite('many requests at once', () => {
  const waiting = () =>
    harness.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)

  test('more exports than a few wait for one to end; those of others do not', async () => {
    const [hal, ivy] = [await connected('hal'), await connected('ivy')]
    const held = await holdTable(harness.tributary.databaseUrl, 'item')
    const running = Array.from({ length: 5 }, () => send(harness, 'GET', '/export', { token: hal.token }))
    const begun = (count: number) =>
      until(`${count} exports have begun`, async () => {
        const exports = (await audited(hal.account)).filter((entry) => entry.endsWith('account.export'))
        return exports.length === count
      })
    await begun(5)
    const sixth = send(harness, 'GET', '/export', { token: hal.token })
    await Promise.race([sixth, begun(6)])
    const other = send(harness, 'GET', '/export', { token: ivy.token })
    await held.release()
    const refused = await sixth
    assert.equal(refused.status, 429)
    assert.equal(refused.body['reason'], 'too_many_readers')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal((await other).status, 200)
    for (const { status } of await Promise.all(running)) assert.equal(status, 200)
    assert.equal((await send(harness, 'GET', '/export', { token: hal.token })).status, 200)
  })

  test('erasures of one account that nobody waits for occupy one connection to the database', async () => {
    const { account } = await connected('jim')
    const held = await holdTable(harness.tributary.databaseUrl, 'item')
    for (let n = 0; n < 6; n += 1) {
      const begun = await byApp('DELETE', `/accounts/${account}`, { headers: { prefer: 'wait=0' } })
      assert.equal(begun.status, 202)
    }
    await held.awaited()
    assert.equal((await waiting()).length, 1)
    await held.release()
    assert.equal((await byApp('DELETE', `/accounts/${account}`)).body['state'], 'erased')
    assert.equal((await audited(account)).filter((entry) => entry.endsWith('account.delete')).length, 1)
  })
})

suite('erasing an account by its app', () => {
  test('erases items, profiles and tokens, says what was done, is recorded, and can be repeated', async () => {
    const { account, token } = await connected('eve')
    const first = await byApp('DELETE', `/accounts/${account}`)
    assert.deepEqual([first.status, first.body['state'], first.body['account']], [200, 'erased', account])
    assert.deepEqual(
      (first.body['deleted'] as { profile: string }[]).map(({ profile }) => profile),
      ['eve@shop'],
    )
    assert.equal((await send(harness, 'GET', '/profiles', { token })).status, 401)
    assert.equal((await byApp('GET', `/accounts/${account}`)).status, 404)
    assert.equal((await byApp('GET', `/accounts/${account}/export`)).status, 404)
    const again = await byApp('DELETE', `/accounts/${account}`)
    assert.deepEqual([again.status, again.body['state'], again.body['deleted']], [200, 'erased', []])
    assert.equal(again.body['erased_at'], first.body['erased_at'])
    const actor = `app:${harness.clientId}`
    assert.deepEqual(
      (await audited(account)).filter((entry) => /disconnect|delete/.test(entry)),
      [`${actor} profile.disconnect`, `${actor} account.delete`],
    )
    for (const table of ['item', 'profile', 'account'])
      assert.equal(
        (await harness.sql(`select 1 from ${table} t where t::text like '%' || $1 || '%'`, [account])).length,
        0,
        table,
      )
  })

  test('two at once: both succeed, and it happens once', async () => {
    const { account } = await connected('fay')
    const replies = await Promise.all([1, 2].map(() => byApp('DELETE', `/accounts/${account}`)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    )
    assert.equal((await audited(account)).filter((entry) => entry.endsWith('account.delete')).length, 1)
  })

  test('that takes long is answered with 202; repeating it tells when it is done', async () => {
    const { account } = await connected('gus')
    const held = await holdTable(harness.tributary.databaseUrl, 'item')
    const begun = await byApp('DELETE', `/accounts/${account}`, { headers: { prefer: 'respond-async, wait=0' } })
    assert.deepEqual([begun.status, begun.body['state']], [202, 'erasing'])
    await held.awaited()
    await held.release()
    const done = await byApp('DELETE', `/accounts/${account}`)
    assert.deepEqual([done.status, done.body['state']], [200, 'erased'])
    assert.equal(typeof done.body['erased_at'], 'number')
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type App, makeApp } from '../../harness/app.ts'
import { newOperator } from '../../harness/operator.ts'
import { newPerson } from '../../harness/person.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let one: App
let two: App
before(async () => {
  tributary = await startTributary()
  ;[one, two] = [await makeApp(tributary, { name: 'One' }), await makeApp(tributary, { name: 'Two' })]
})
after(() => tributary.stop())

interface Entry {
  id: string
  at: number
  actor: string
  action: string
  app?: string
  account?: string
}

async function read(query: Record<string, string>, headers?: Record<string, string>) {
  const own = headers ?? { authorization: `Bearer ${tributary.adminToken}` }
  const { status, body, text } = await send({ tributary }, 'GET', '/admin/audit', { query, headers: own })
  assert.equal(status, 200, text)
  return body as unknown as { entries: Entry[]; next?: string }
}

suite('the audit log', () => {
  test('is read newest first, page by page, by each filter', async () => {
    const person = await newPerson(tributary.store, one.clientId)
    const hourOf = () => Math.floor(Date.now() / 3_600_000)
    const firstHour = hourOf()
    const acting = { authorization: `Bearer ${tributary.adminToken}`, 'tributary-account': person.account.id }
    for (let n = 0; n < 2; n += 1) await send({ tributary }, 'GET', '/profiles', { headers: acting })
    await send({ tributary }, 'DELETE', '/profiles', { headers: acting })
    const all = (await read({})).entries
    assert.deepEqual(
      all.map(({ id }) => id),
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    const pages: Entry[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await read({ limit: '2', ...(cursor === undefined ? {} : { cursor }) })
      pages.push(...page.entries)
      cursor = page.next
      if (cursor === undefined) break
    }
    assert.deepEqual(pages, all)
    const of = (pick: (entry: Entry) => boolean) => all.filter(pick)
    assert.deepEqual(
      (await read({ app: one.clientId })).entries,
      of(({ app }) => app === one.clientId),
    )
    assert.deepEqual(
      (await read({ actor: 'admin' })).entries,
      of(({ actor }) => actor === 'admin'),
    )
    assert.deepEqual((await read({ action: 'app.create' })).entries.length, 2)
    const ofAccount = (await read({ account: person.account.id })).entries
    const reads = ofAccount.filter(({ action }) => action === 'account.read')
    assert.ok(reads.length >= 1 && reads.length <= 1 + hourOf() - firstHour, 'once per hour')
    assert.deepEqual(
      ofAccount.filter((entry) => !reads.includes(entry)).map(({ action }) => action),
      ['account.delete'],
    )
    assert.deepEqual((await read({ account: person.account.id, action: 'account.read' })).entries, reads)
    assert.deepEqual((await read({ account: person.account.id, app: two.clientId })).entries, [])
    assert.deepEqual((await read({ account: 'none' })).entries, [])
    const { at } = all[0]!
    assert.deepEqual(
      (await read({ until: String(at) })).entries,
      of((entry) => entry.at < at),
    )
    assert.deepEqual((await read({ since: String(at + 1) })).entries, [])
  })

  test("shows a developer the entries of their apps, and nothing of others'", async () => {
    const { headers } = await newOperator(tributary, { role: 'developer', apps: [two.clientId] })
    const { entries } = await read({}, headers)
    assert.ok(entries.length > 0)
    assert.ok(entries.every(({ app }) => app === two.clientId))
    for (const filter of [{ app: one.clientId }, { actor: 'cli' }, { action: 'operator.sign_in' }])
      assert.deepEqual((await read(filter as unknown as Record<string, string>, headers)).entries, [])
    const alone = await newOperator(tributary, { role: 'developer' })
    assert.deepEqual((await read({}, alone.headers)).entries, [])
  })

  test('uses an index for each filter, whatever its size', async () => {
    await tributary.sql(
      `insert into audit (shard, id, at, actor, action, app_id, account_id, detail)
       select n % 1024, lpad(n::text, 26, '0'), n, 'app:' || n % 7, 'made.' || n % 50, 'app_' || n % 20, null, '{}'
       from generate_series(1, 20000) n`,
      [],
    )
    await tributary.sql('analyze audit', [])
    for (const where of [
      "id < '~'",
      "actor = 'app:1'",
      "action = 'made.3'",
      "app_id = 'app_2'",
      "shard = 3 and account_id = 'x'",
    ]) {
      const plan = await tributary.sql<Record<string, string>>(
        `explain select id from audit where ${where} and id >= '' and id < '~' order by id desc limit 51`,
        [],
      )
      const text = plan.map((row) => Object.values(row).join()).join('\n')
      assert.match(text, /Index (Only )?Scan/, text)
      assert.doesNotMatch(text, /Seq Scan/, text)
    }
  })
})

test('the settings describe the installation without secrets', async () => {
  const { body } = await tributary.admin('GET', '/admin/settings')
  const text = JSON.stringify(body)
  for (const secret of [tributary.adminToken, tributary.databaseUrl, tributary.dataDir])
    assert.ok(!text.includes(secret))
  const { version, keys, database, retention, quotas } = body as {
    version: string
    keys: { source: string; old: number }
    database: { kind: string; pending_migrations: number }
    retention: unknown[]
    quotas: unknown[]
  }
  assert.equal(version, '0.0.0-test')
  assert.deepEqual([keys.source, keys.old], ['file', 0])
  assert.deepEqual([database.kind, database.pending_migrations], ['external', 0])
  assert.ok(retention.length > 4 && quotas.length === 10)
})

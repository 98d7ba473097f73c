import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { DESTINATION_KINDS } from '#model/apps/destination.ts'
import { makeApp } from '../../harness/app.ts'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { pusher } from '../../harness/push.ts'
import { startTributary } from '../../harness/start.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

interface Checked {
  check: string
  ok: boolean
  detail: string
  hint?: string
}

suite('before a destination is added', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  before(async () => {
    harness = await startPushHarness()
    theirs = await clientDatabase()
    app = await harness.newTenant()
    await harness.put(await app.newPerson(), [
      { id: 'a', data: { n: 1 } },
      { id: 'b', data: { n: 2 } },
    ])
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
  })

  const tried = async (fields: Record<string, unknown>, by: Pick<Tenant, 'ask'> = app) => {
    const { status, body, text } = await by.ask('POST', '/push/test', { kind: 'postgres', url: theirs.url, ...fields })
    return { status, text, body, checks: (body['checks'] ?? []) as Checked[] }
  }

  test('every kind says which options it accepts, and accepts what it says', async () => {
    interface Described {
      kind: string
      options: { name: string; type: string; choices?: string[]; default?: unknown; example?: unknown }[]
    }
    const kinds = (await app.ask('GET', '/push/kinds')).body as unknown as Described[]
    assert.deepEqual(kinds.map(({ kind }) => kind).sort(), [...DESTINATION_KINDS].sort())
    const typesOf = (name: string) =>
      Object.fromEntries(kinds.find(({ kind }) => kind === name)!.options.map((each) => [each.name, each.type]))
    assert.deepEqual(typesOf('postgres'), { schema: 'text', ca: 'lines', deletes: 'choice', quiet_hours: 'json' })
    assert.deepEqual(typesOf('webhook'), { events: 'json', quiet_hours: 'json' })
    assert.equal(typesOf('nats')['create'], 'flag')
    for (const { kind, options } of kinds)
      for (const { name, choices, default: preset, example } of options) {
        const values = [...(choices ?? []), preset, example].filter((value) => value !== undefined)
        for (const value of [...values, { no: 'value' }]) {
          const tested = await tried({ kind, url: 'none', options: { [name]: value } })
          const isAccepted = values.includes(value)
          const isRefused = tested.body['param'] === `options.${name}` || tested.text.includes(`options.${name}`)
          assert.equal(isRefused, !isAccepted, `${kind} ${name} ${JSON.stringify(value)}: ${tested.text}`)
        }
      }
    assert.doesNotMatch(JSON.stringify(kinds), /\]\(/)
  })

  test('its address is tested step by step, and nothing is stored or left behind', async () => {
    const good = await tried({})
    assert.equal(good.body['ok'], true, good.text)
    assert.deepEqual(
      good.checks.map(({ check }) => check),
      ['connect', 'rights'],
    )
    assert.deepEqual(good.body['matches'], { profiles: 1, items: 2, exact: true })
    assert.deepEqual((await app.ask('GET', '/push')).body, [])
    assert.deepEqual(await theirs.sql("select 1 from pg_class where relname like 'tributary%'"), [])
  })

  test('a wrong password is named, with a hint, and appears nowhere', async () => {
    const wrong = new URL(theirs.url)
    wrong.password = 'wrong-secret-word'
    wrong.username = 'nobody-here'
    const { body, checks, text } = await tried({ url: wrong.href })
    assert.equal(body['ok'], false)
    assert.equal(checks[0]?.check, 'connect')
    assert.match(checks[0]?.hint ?? '', /password is wrong/)
    assert.doesNotMatch(text, /wrong-secret-word/)
  })

  test('a server without TLS is explained', async () => {
    const strict = new URL(theirs.url)
    strict.searchParams.delete('sslmode')
    const { checks } = await tried({ url: strict.href })
    assert.match(checks[0]?.hint ?? '', /sslmode=disable/)
  })

  test('a malformed address is a finding; other faults are refused as when it is added', async () => {
    const malformed = await tried({ url: 'postgres://host-without-user/db' })
    assert.deepEqual([malformed.status, malformed.checks[0]?.check, malformed.checks[0]?.ok], [200, 'address', false])
    assert.deepEqual(malformed.body['matches'], { profiles: 1, items: 2, exact: true })
    const option = await tried({ options: { schemaa: 'x' } })
    assert.deepEqual([option.status, option.body['param']], [400, 'options.schemaa'])
    const filter = await tried({ filter: ['/nothing/like/that'] })
    assert.equal(filter.status, 400)
  })

  test('a preview has tables, columns, rows and counts', async () => {
    const { body } = await app.ask('POST', '/push/preview', { kind: 'postgres' })
    const { tables, views, examples, matches } = body as unknown as {
      tables: { name: string; columns: { name: string; type: string }[] }[]
      views: string[]
      examples: Record<string, unknown>[]
      matches: unknown
    }
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['tributary_profiles', 'tributary_items', 'tributary_participants', 'tributary_checkpoint'],
    )
    const columns = tables[1]!.columns
    assert.deepEqual(columns.slice(0, 2), [
      { name: 'profile_id', type: 'text' },
      { name: 'id', type: 'text' },
    ])
    assert.ok(views.includes('tributary_photos'))
    assert.deepEqual(matches, { profiles: 1, items: 2, exact: true })
    assert.deepEqual(examples.map((row) => String(row['native_id'])).toSorted(), ['a', 'b'])
    assert.deepEqual(
      Object.keys(examples[0]!),
      columns.map(({ name }) => name),
    )
    const messages = await app.ask('POST', '/push/preview', { kind: 'webhook', filter: ['/types/photos'] })
    assert.deepEqual([messages.body['tables'], messages.body['examples']], [[], []])
  })

  test("the columns of a preview are those that the kind's statements create", async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await app.caughtUp(made)
    const { tables } = (await app.ask('POST', '/push/preview', { kind: 'postgres' })).body as unknown as {
      tables: { name: string; columns: { name: string }[] }[]
    }
    for (const { name, columns } of tables) {
      const found = await theirs.sql<{ column_name: string }>(
        'select column_name from information_schema.columns where table_name = $1 order by ordinal_position',
        [name],
      )
      assert.deepEqual(
        columns.map((each) => each.name),
        found.map((each) => each.column_name),
        name,
      )
    }
    await app.ask('DELETE', `/push/${made.id}?drop=true`)
  })

  test('the SQL of the rights is the one of the command line', async () => {
    const { body } = await app.ask('GET', '/push/rights?kind=postgres&place=ours')
    assert.match(String(body['sql']), /create schema if not exists ours/)
    assert.equal((await app.ask('GET', '/push/rights?kind=nats')).status, 400)
    assert.equal((await app.ask('GET', '/push/rights?kind=mysql&place=a;drop')).status, 400)
  })

  test('an app previews and counts only what is its own', async () => {
    const other = await harness.newTenant()
    const { body } = await other.ask('POST', '/push/preview', { kind: 'webhook' })
    assert.deepEqual([body['examples'], body['matches']], [[], { profiles: 0, items: 0, exact: true }])
  })

  test('an address that the operator did not allow is not called', async () => {
    const closed = await startTributary({ DATABASE_POOL: '4' })
    try {
      const guarded = pusher({ tributary: closed }, await makeApp(closed))
      const refused = await tried({}, { ask: guarded.request })
      assert.deepEqual([refused.checks[0]?.check, refused.checks[0]?.ok], ['address', false])
      assert.match(refused.checks[0]?.hint ?? '', /TRIBUTARY_ALLOW_PRIVATE/)
    } finally {
      await closed.stop()
    }
  })

  test('names are unique within an app, also for concurrent requests and changes', async () => {
    const own = await harness.newTenant()
    const fields = { name: 'Orders', kind: 'webhook', url: 'https://app.test/hook', schedule: 'manual' }
    const made = await Promise.all([1, 2, 3].map(() => own.ask('POST', '/push', fields)))
    assert.deepEqual(made.map(({ status }) => String(status)).toSorted(), ['201', '409', '409'])
    const refused = made.find(({ status }) => status === 409)!
    assert.deepEqual([refused.body['reason'], refused.body['param']], ['already_exists', 'name'])
    const second = await own.add({ ...fields, name: 'Second' })
    const renamed = await own.ask('PATCH', `/push/${second.id}`, { name: 'Orders' })
    assert.equal(renamed.body['reason'], 'already_exists')
    assert.equal((await own.ask('PATCH', `/push/${second.id}`, { name: 'Second' })).status, 200)
    const other = await harness.newTenant()
    assert.equal((await other.ask('POST', '/push', fields)).status, 201)
  })
})

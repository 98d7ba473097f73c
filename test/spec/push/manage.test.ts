import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openSecrets } from '#store/push/destinations.ts'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import type { Shown } from '../../harness/push.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

suite('managing destinations over HTTP', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  before(async () => {
    harness = await startPushHarness()
    app = await harness.newTenant()
    theirs = await clientDatabase()
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
  })

  const refusal = async (fields: Record<string, unknown>) => {
    const { status, body } = await app.ask('POST', '/push', {
      name: 'Ours',
      kind: 'postgres',
      url: theirs.url,
      filter: ['*'],
      ...fields,
    })
    assert.equal(status, 400, JSON.stringify(body))
    return `${String(body['reason'])}: ${String(body['error'])}`
  }

  test('create, list, read, change and delete', async () => {
    const made = await app.ask('POST', '/push', { name: 'Warehouse', kind: 'postgres', url: theirs.url })
    assert.equal(made.status, 201)
    const { id } = made.body as { id: string }
    assert.match(id, /^dst_/)
    assert.deepEqual(
      { ...made.body, id: '', url: '', created_at: 0 },
      {
        id: '',
        name: 'Warehouse',
        kind: 'postgres',
        url: '',
        filter: ['*'],
        schedule: 'on_change',
        options: {},
        state: 'active',
        profiles: 0,
        rows: 0,
        profiles_behind: 0,
        profiles_failing: 0,
        changes_behind: 0,
        lag_ms: 0,
        last_5_minutes: { rows: 0, batches: 0, failed: 0 },
        dead_letters: 0,
        created_at: 0,
      },
    )
    const listed = (await app.ask('GET', '/push')).body as unknown as Shown[]
    assert.deepEqual(
      listed.map((each) => each.id),
      [id],
    )
    const changed = await app.ask('PATCH', `/push/${id}`, { name: 'Lake', schedule: 'every 15m' })
    assert.deepEqual([changed.status, changed.body['name'], changed.body['schedule']], [200, 'Lake', 'every 15m'])
    assert.equal(typeof changed.body['next_run_at'], 'number')
    assert.deepEqual((await app.ask('DELETE', `/push/${id}`)).body, { deleted: id })
    assert.equal((await app.ask('GET', `/push/${id}`)).status, 404)
    assert.deepEqual((await app.ask('GET', '/push')).body, [])
  })

  test('a destination of another app gets the same response as one that does not exist', async () => {
    const stranger = await harness.newTenant()
    const { id } = await app.add({ kind: 'postgres', url: theirs.url })
    const routes: [method: string, rest: string, body?: unknown][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', ''],
      ...['pause', 'resume', 'test', 'run', 'backfill', 'redrive', 'rotate-secret'].map((verb): [string, string] => [
        'POST',
        `/${verb}`,
      ]),
      ['POST', '/replay', { seq: 1 }],
      ['GET', '/deliveries'],
      ['GET', '/dead-letters'],
    ]
    for (const [method, rest, body] of routes) {
      const [theirsSeen, nobodys] = await Promise.all(
        [id, 'dst_01zzzzzzzzzzzzzzzzzzzzzzzzzz'].map((each) => stranger.ask(method, `/push/${each}${rest}`, body)),
      )
      const plain = ({ status, text }: { status: number; text: string }) => [
        status,
        text.replace(/"request_id":"[^"]*"/, ''),
      ]
      assert.equal(theirsSeen!.status, 404, `${method} ${rest}`)
      assert.deepEqual(plain(theirsSeen!), plain(nobodys!), `${method} ${rest}`)
    }
    assert.deepEqual((await stranger.ask('GET', '/push')).body, [])
    assert.equal((await app.show({ id })).state, 'active')
    await app.ask('DELETE', `/push/${id}`)
  })

  test('calls without the secret are refused', async () => {
    for (const [method, path] of [
      ['GET', '/push'],
      ['POST', '/push'],
      ['GET', '/push/x'],
    ] as const) {
      const response = await fetch(harness.tributary.url + path, { method })
      assert.equal(response.status, 401, `${method} ${path}`)
      await response.body?.cancel()
    }
  })

  test('passwords and signing secrets are shown at most once, and never logged or stored in clear text', async () => {
    const url = new URL(theirs.url)
    url.username = 'pusher'
    url.password = 'geheim-Pass4711'
    const made = await app.add({ kind: 'postgres', url: url.href })
    const hook = await app.add({
      kind: 'webhook',
      url: 'https://app.test/in/PathSecret77?sig=T0psecret99&QuerySecret55',
    })
    const stream = await app.add({ kind: 'nats', url: 'nats://TokenSecret33@app.test', schedule: 'manual' })
    assert.match(hook.secret!, /^whsec_/)
    await app.ask('PATCH', `/push/${made.id}`, { name: 'Again' })
    const rotated = await app.ask('POST', `/push/${hook.id}/rotate-secret`)
    const seen = [
      (await app.ask('GET', '/push')).text,
      (await app.ask('GET', `/push/${made.id}`)).text,
      (await app.ask('GET', `/push/${hook.id}`)).text,
      (await app.ask('GET', `/push/${stream.id}`)).text,
      (await app.ask('POST', `/push/${stream.id}/test`)).text,
      (await app.ask('POST', `/push/${made.id}/test`)).text,
      (await app.ask('GET', `/push/${made.id}/deliveries`)).text,
      harness.tributary.logged.join(''),
      JSON.stringify(await harness.sql('select * from destination')),
      JSON.stringify(await harness.sql('select * from audit')),
    ].join('\n')
    const inAddresses = ['geheim-Pass4711', 'PathSecret77', 'T0psecret99', 'QuerySecret55', 'TokenSecret33']
    for (const secret of [...inAddresses, hook.secret!, String(rotated.body['secret'])])
      assert.ok(!seen.includes(secret), `${secret} is shown somewhere`)
    assert.match((await app.show(made)).url, /pusher:\*\*\*@/)
    assert.equal((await app.ask('POST', `/push/${made.id}/rotate-secret`)).status, 400)
    for (const { id } of [made, hook, stream]) await app.ask('DELETE', `/push/${id}`)
  })

  test('an invalid filter is refused, and the error names the path', async () => {
    for (const [filter, why] of [
      [[], /filter: give at least one path/],
      [['/types/kittens'], /“\/types\/kittens” names an unknown type/],
      [['types/photos'], /“types\/photos” is not a path/],
      [['/services/nobody/posts'], /is not a path such as/],
      [['/services/demo-social/nothing'], /Demo Social has no endpoint “nothing”\. Its endpoints: .*posts/],
      [['/services/demo-social/posts/17'], /has too many segments/],
      [['/types/photos?near=here'], /near.*must be <latitude>,<longitude>/],
      [['/types/photos?participants=>99'], /participants/],
      [['/types/photos?since=x'], /since/],
      [['/types/photos?services=nobody'], /“nobody”, which is not a known service/],
      [['/id/17'], /is not a path/],
      [['*', '/types/'], /names an unknown type/],
    ] as const)
      assert.match(
        await refusal({ filter }),
        new RegExp(`^bad_body: ${why.source.startsWith('filter') ? '' : '.*'}${why.source}`),
        filter.join(),
      )
  })

  test('every form of path is accepted', async () => {
    const filter = [
      '*',
      '*?q=cat',
      '/types/photos',
      '/types/all_feed?q="two words" -but&near=52.5,13.4&within=3&participants=self,>2&since=0&services=self,demo-social',
      '/services/demo-social',
      '/services/demo-social/*',
      '/services/demo-social/posts?q=x',
      '/services/42%40N01@demo-social/posts',
      '/services/self/anything',
    ]
    const { id } = await app.add({ kind: 'postgres', url: theirs.url, filter })
    assert.deepEqual((await app.show({ id }))['filter'], filter)
    await app.ask('DELETE', `/push/${id}`)
  })

  test('an invalid schedule is refused, and the error quotes it', async () => {
    for (const schedule of [
      'sometimes',
      'every 1s',
      'every day',
      '61 * * * *',
      '0 6 * * * Nowhere/Land',
      '0 0 30 2 *',
      '',
    ])
      assert.match(await refusal({ schedule }), /schedule/, schedule)
    for (const [options, why] of [
      [{ quiet_hours: { from: '25:00', to: '07:00' } }, /quiet_hours/],
      [{ quiet_hours: { from: '22:00', to: '07:00', zone: 'Nowhere/Land' } }, /not a known time zone/],
      [{ quiet_hours: 'nights' }, /quiet_hours/],
      [{ events: 'yes' }, /events/],
    ] as const)
      assert.match(await refusal({ options }), why)
  })

  test('an unknown option is refused by name when it is set; a stored one is ignored', async () => {
    const says = /options.shcema: Unknown option “shcema” of postgres. Known: ca, deletes, quiet_hours, schema\./
    assert.match(await refusal({ options: { shcema: 'x' } }), says)
    const other = await harness.newTenant()
    const made = await other.add({ kind: 'postgres', url: theirs.url, options: { schema: 'older' } })
    // As another release may have stored it.
    await harness.sql(`update destination set options = '{"schema": "older", "shcema": "x"}' where id = $1`, [made.id])
    const person = await other.newPerson()
    await harness.put(person, [{ id: 'kept' }])
    await other.caughtUp(made)
    const [found] = await theirs.sql<{ n: number }>('select count(*)::int as n from older.tributary_items')
    assert.equal(found?.n, 1)
    const renamed = await other.ask('PATCH', `/push/${made.id}`, { name: 'Renamed' })
    assert.deepEqual([renamed.status, renamed.body['options']], [200, { schema: 'older', shcema: 'x' }])
    const wrong = await other.ask('PATCH', `/push/${made.id}`, { options: { schema: 'older', shcema: 'x' } })
    assert.equal(wrong.status, 400)
    assert.match(String(wrong.body['error']), says)
    assert.equal((await other.ask('PATCH', `/push/${made.id}`, { options: { schema: 'older' } })).status, 200)
    await other.ask('DELETE', `/push/${made.id}`)
    await theirs.sql('drop schema older cascade')
  })

  test('events are sent to destinations that subscribed and whose kind supports them', async () => {
    const made = await app.add({ kind: 'webhook', url: 'https://receiver.test/', options: { events: true } })
    const wants = async () =>
      (await harness.sql<{ wants_events: boolean }>('select wants_events from destination where id = $1', [made.id]))[0]
        ?.wants_events
    assert.equal(await wants(), true)
    await app.ask('PATCH', `/push/${made.id}`, { name: 'Renamed' })
    assert.equal(await wants(), true)
    await app.ask('PATCH', `/push/${made.id}`, { options: {} })
    assert.equal(await wants(), false)
    await app.ask('DELETE', `/push/${made.id}`)
  })

  test('addresses that are not a server on the network are refused', async () => {
    for (const [kind, url] of [
      ['postgres', 'postgres:///db'],
      ['postgres', 'postgres://u@%2Fvar%2Frun%2Fpostgresql/db'],
      ['postgres', 'postgres://u@a.test,b.test/db'],
      ['postgres', 'postgres://u@a.test/db?sslrootcert=/etc/passwd'],
      ['postgres', 'postgres://u@a.test/db?options=-csearch_path=x'],
      ['postgres', 'http://a.test/db'],
      ['webhook', 'ftp://a.test/'],
      ['webhook', 'https://user:pass@a.test/'],
      ['webhook', 'not an address'],
    ])
      assert.match(await refusal({ kind, url }), /^bad_body: url/, url)
    assert.match(await refusal({ kind: 'carrier-pigeon' }), /kind/)
  })

  test('test connects, checks privileges, counts what the filter matches and leaves nothing behind', async () => {
    const ada = await app.newPerson()
    await harness.put(ada, [
      { id: 1, type: 'photos', title: 'A cat' },
      { id: 2, type: 'photos', title: 'A dog' },
      { id: 3 },
    ])
    const { id } = await app.add({
      kind: 'postgres',
      url: theirs.url,
      filter: ['/types/photos?q=cat'],
      schedule: 'manual',
    })
    const tried = await app.ask('POST', `/push/${id}/test`)
    assert.equal(tried.status, 200)
    const { ok, checks, matches } = tried.body as {
      ok: boolean
      checks: { check: string; ok: boolean }[]
      matches: Record<string, unknown>
    }
    assert.deepEqual([ok, checks.map(({ check }) => check)], [true, ['connect', 'rights']])
    assert.deepEqual(matches, { profiles: 1, items: 1, exact: true })
    assert.deepEqual(await theirs.sql(`select * from pg_class where relname like 'tributary%'`), [])
    await app.ask('PATCH', `/push/${id}`, { filter: ['/types/photos?q=cat', '/types/photos', '*?q=dog'] })
    assert.deepEqual((await app.ask('POST', `/push/${id}/test`)).body['matches'], {
      profiles: 1,
      items: 2,
      exact: true,
    })
    await theirs.line.cut()
    const dead = await app.ask('POST', `/push/${id}/test`)
    await theirs.line.mend()
    assert.deepEqual([dead.status, dead.body['ok']], [200, false])
    await app.ask('DELETE', `/push/${id}`)
  })

  test('an app has at most 20 destinations', async () => {
    const crowded = await harness.newTenant()
    const fields = (n: number) => ({ name: `N${n}`, kind: 'webhook', url: 'https://app.test/hook' })
    const made = await Promise.all(Array.from({ length: 24 }, (_, n) => crowded.ask('POST', '/push', fields(n))))
    assert.equal(made.filter(({ status }) => status === 201).length, 20)
    const over = await crowded.ask('POST', '/push', fields(24))
    assert.deepEqual([over.status, over.body['reason']], [400, 'bad_request'])
  })

  test('concurrent changes do not undo each other', async () => {
    const own = await harness.newTenant()
    const made = await own.add({ kind: 'webhook', url: 'https://app.test/hook', schedule: 'manual' })
    const secrets: string[] = []
    for (let round = 0; round < 8; round += 1) {
      const answers = await Promise.all([
        own.ask('POST', `/push/${made.id}/rotate-secret`),
        own.ask('PATCH', `/push/${made.id}`, { url: `https://app${round}.test/` }),
        own.ask('PATCH', `/push/${made.id}`, { name: `Name ${round}` }),
        own.ask('PATCH', `/push/${made.id}`, { filter: [`/types/photos?q=w${round}`] }),
      ])
      for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
      secrets.unshift((answers[0].body as { secret: string }).secret)
      const shown = await own.show(made)
      assert.deepEqual(
        [shown.url, shown['name'], shown['filter']],
        [`https://app${round}.test/`, `Name ${round}`, [`/types/photos?q=w${round}`]],
      )
      const { database, keyring } = harness.tributary.store
      const kept = (await openSecrets(database, keyring, made.id))!
      assert.equal(kept.signing?.[0], secrets[0], 'the new secret is the one that signs')
    }
  })

  test('dropped tables are not created again by deliveries in progress', async () => {
    const own = await harness.newTenant()
    const people = await Promise.all(Array.from({ length: 6 }, () => own.newPerson()))
    const there = async () =>
      (await theirs.sql(`select relname from pg_class where relname like 'tributary%' and relkind in ('r', 'v')`))
        .length
    for (let round = 0; round < 4; round += 1) {
      const made = await own.add({ kind: 'postgres', url: theirs.url })
      await until('rows come', async () => (await own.show(made)).rows > 0 || round === 0)
      const writing = people.map((person) =>
        harness.put(
          person,
          Array.from({ length: 300 }, (_, i) => ({ id: `n${i}`, round })),
        ),
      )
      await until('the tables exist', async () => (await there()) > 0)
      assert.equal((await own.ask('DELETE', `/push/${made.id}?drop=true`)).status, 200)
      await Promise.all(writing)
      await until('nothing writes any more', async () => (await there()) === 0)
    }
  })

  test('delete keeps the rows; with drop=true it drops the tables', async () => {
    const ada = await app.newPerson()
    await harness.put(ada, [{ id: 'kept' }])
    const tables = async () =>
      (await theirs.sql(`select relname from pg_class where relname like 'tributary%' and relkind in ('r', 'v')`))
        .length
    const first = await app.add({ kind: 'postgres', url: theirs.url })
    await until('the row is delivered', async () => (await theirs.live()).includes('kept'))
    await app.ask('DELETE', `/push/${first.id}`)
    assert.ok((await theirs.live()).includes('kept'))
    assert.ok((await tables()) > 4)
    const second = await app.add({ kind: 'postgres', url: theirs.url })
    await until('it is caught up', async () => (await app.show(second)).profiles_behind === 0)
    await theirs.line.cut()
    const failed = await app.ask('DELETE', `/push/${second.id}?drop=true`)
    await theirs.line.mend()
    assert.deepEqual([failed.status, failed.body['reason']], [502, 'destination_failed'])
    assert.equal((await app.show(second)).id, second.id)
    assert.equal((await app.ask('DELETE', `/push/${second.id}?drop=true`)).status, 200)
    assert.equal(await tables(), 0)
    const left = await harness.sql(
      'select 1 from delivery_cursor where destination_id = $1 union all select 1 from delivery where destination_id = $1',
      [second.id],
    )
    assert.deepEqual(left, [])
  })
})

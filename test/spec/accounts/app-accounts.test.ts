import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { tributary as runCommand } from '../../harness/command-line.ts'
import { watchStatements } from '../../harness/database/statements.ts'
import { purgeExpired } from '../../harness/maintenance.ts'
import { newPerson } from '../../harness/person.ts'
import { newProfile } from '../../harness/profile.ts'
import { type Reply, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { assertRefused } from '../sign-in/fixture.ts'

interface Listed {
  id: string
  created_at: number
  profiles: Record<string, unknown>[]
}

let tributary: Tributary
before(async () => {
  tributary = await startTributary()
})
after(() => tributary.stop())

const ask = (app: App, path: string) => send({ tributary }, 'GET', path, { headers: basic(app) })
const listOf = ({ body }: Reply) => body as unknown as Listed[]
const nextOf = ({ headers }: Reply) => {
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return next === undefined ? undefined : next.slice(next.indexOf('/accounts'))
}
const newAccount = async (app: App, profiles: [service: string, nativeId: string, state?: string][] = []) => {
  const { account, token } = await newPerson(tributary.store, app.clientId)
  for (const [service, nativeId, state = 'active'] of profiles) {
    const id = await newProfile(tributary.store.database, account, { service, nativeId })
    await tributary.sql('update profile set state = $2 where id = $1', [id, state])
  }
  return { id: account.id, token, account }
}

/** Follows `Link` to the end. */
async function walk(app: App, first: string, onPage: (page: Listed[]) => Promise<void> | void = () => {}) {
  const found: string[] = []
  for (let path: string | undefined = first; path !== undefined; ) {
    const reply = await ask(app, path)
    assert.equal(reply.status, 200, reply.text)
    found.push(...listOf(reply).map(({ id }) => id))
    await onPage(listOf(reply))
    path = nextOf(reply)
  }
  return found
}

suite('GET /accounts', () => {
  test('shows each account with the states of its profiles', async () => {
    const app = await makeApp(tributary)
    const one = await newAccount(app, [
      ['github', '42'],
      ['flickr', '1@N', 'needs_auth'],
    ])
    await tributary.sql(
      `update profile set synced_at = 7, error = 'Refused.', self = '{"name":"Ada"}' where service = 'flickr'`,
    )
    const [shown] = listOf(await ask(app, '/accounts'))
    const { connected_at: connectedAt, ...flickr } = shown?.profiles[0] ?? {}
    assert.equal(typeof connectedAt, 'number')
    assert.deepEqual([shown?.id, shown?.created_at], [one.id, one.account.createdAt])
    assert.deepEqual(flickr, {
      profile: '1%40N@flickr',
      service: 'flickr',
      name: 'Ada',
      state: 'needs_auth',
      synced_at: 7,
      error: 'Refused.',
      reconnect: `${tributary.url}/accounts/${one.id}/profiles/1%2540N%40flickr/reconnect`,
    })
    assert.deepEqual(Object.keys(shown?.profiles[1] ?? {}), ['profile', 'service', 'state', 'connected_at'])
  })

  test('say when a profile was read last, also where a process of the release before read it', async () => {
    const app = await makeApp(tributary)
    const { id } = await newAccount(app, [['flickr', '2@N']])
    const [profile] = await tributary.sql<{ id: string }>('select id from profile where account_id = $1', [id])
    const readAt = async () => listOf(await ask(app, '/accounts'))[0]?.profiles[0]?.synced_at
    const here = (at: number) =>
      tributary.sql(
        `insert into profile_sync (shard, profile_id, app_id, service, seq, synced_at)
         select shard, id, app_id, service, 0, ${at} from profile where id = $1
         on conflict (shard, profile_id) do update set synced_at = excluded.synced_at`,
        [profile!.id],
      )
    assert.equal(await readAt(), undefined)
    await here(8)
    assert.equal(await readAt(), 8)
    await tributary.sql('update profile set synced_at = 9 where id = $1', [profile!.id])
    assert.equal(await readAt(), 9)
    await here(10)
    assert.equal(await readAt(), 10)
  })

  test('pages by Link to the end, each account once, also while others are created', async () => {
    const app = await makeApp(tributary)
    const before = new Set<string>()
    for (let i = 0; i < 23; i += 1) before.add((await newAccount(app)).id)
    const found = await walk(app, '/accounts?limit=5', async (page) => {
      assert.ok(page.length <= 5)
      await newAccount(app)
    })
    assert.equal(new Set(found).size, found.length, 'none twice')
    for (const id of before) assert.ok(found.includes(id))
    const again = await walk(app, '/accounts?limit=5')
    assert.deepEqual(again, (await walk(app, '/accounts')).slice(0, again.length), 'always in the same order')
  })

  test('state and service filter, together for one profile; the alias of a service works', async () => {
    const app = await makeApp(tributary)
    const a = await newAccount(app, [
      ['x', '1', 'needs_auth'],
      ['github', '1'],
    ])
    const b = await newAccount(app, [
      ['x', '2'],
      ['github', '2', 'needs_auth'],
    ])
    const none = await newAccount(app)
    const found = async (query: string) => (await walk(app, `/accounts?${query}`)).toSorted()
    assert.deepEqual(await found(''), [a.id, b.id, none.id].toSorted())
    assert.deepEqual(await found('service=x'), [a.id, b.id].toSorted())
    assert.deepEqual(await found('service=twitter&state=needs_auth'), [a.id])
    assert.deepEqual(await found('state=needs_auth'), [a.id, b.id].toSorted())
    assert.deepEqual(await found('state=paused'), [])
    const { headers } = await ask(app, '/accounts?count=true&limit=1&state=needs_auth')
    assert.equal(headers.get('x-total-count'), '2')
    assert.equal((await ask(app, '/accounts?count=true')).headers.get('x-total-count'), '3')
    assert.equal((await ask(app, '/accounts')).headers.get('x-total-count'), null)
  })

  test('the next page keeps the filters, and a rare match is found at once among many accounts', async () => {
    const app = await makeApp(tributary)
    await tributary.sql(
      `insert into account (shard, id, app_id, shards, created_at)
       select 0, '00' || lpad(n::text, 26, '0'), $1, '{0}', 1 from generate_series(1, 4500) n`,
      [app.clientId],
    )
    await tributary.sql(
      `insert into profile (shard, id, account_id, app_id, service, native_id, state, self, data, connected_at)
       select 0, '00' || lpad(n::text, 26, '7'), '00' || lpad(n::text, 26, '0'), $1, 'github', '1', 'paused', '{}', '{}', 1
       from unnest('{4321, 4400}'::int[]) n`,
      [app.clientId],
    )
    const first = await ask(app, '/accounts?state=paused&limit=1')
    assert.deepEqual(
      listOf(first).map(({ id }) => id),
      [`00${'4321'.padStart(26, '0')}`],
    )
    assert.match(nextOf(first) ?? '', /state=paused/)
    let statements = 0
    const end = watchStatements(tributary.store.database, ({ name }) => {
      if (name === 'account-matches') statements += 1
      return undefined
    })
    const both = ['4321', '4400'].map((n) => `00${n.padStart(26, '0')}`)
    assert.deepEqual(await walk(app, '/accounts?state=paused&limit=1').finally(end), both)
    assert.equal(statements, 2)
    assert.equal((await walk(app, '/accounts?limit=200')).length, 4500)
  })

  test('finds people by words of name, handle, e-mail and native id, also of an older release after maintenance', async () => {
    const [app, other] = [await makeApp(tributary), await makeApp(tributary)]
    const ada = await newAccount(app, [['github', 'Ada.Lovelace-1815']])
    const ben = await newAccount(app, [['github', '77_42']])
    await newAccount(other, [['github', 'Ada.Lovelace-1815']])
    const found = (query: string) => walk(app, `/accounts?${query}`)
    for (const q of ['ada', 'LOVEL', 'lovelace ada', '1815', ada.id])
      assert.deepEqual(await found(`q=${q}`), [ada.id], q)
    assert.deepEqual(await found('q=77_4'), [ben.id])
    for (const q of ['ove', 'ada 77', '%27', ':*', '!ada | ben', ada.id.slice(1)])
      assert.deepEqual(await found(`q=${encodeURIComponent(q)}`), [], q)
    assert.deepEqual(await found('q=ada&service=twitter'), [])
    assert.equal((await ask(app, '/accounts?q=ada&count=true')).headers.get('x-total-count'), '1')
    const [profile] = await tributary.sql<{ id: string }>('select id from profile where account_id = $1', [ada.id])
    assert.deepEqual(await found(`q=${profile!.id}`), [ada.id])
    await tributary.sql('update profile set person_terms = null where account_id = $1', [ada.id])
    assert.deepEqual(await found('q=ada'), [])
    await purgeExpired({ ...tributary.store, clock: Date })
    assert.deepEqual(await found('q=ada'), [ada.id])
  })

  test('finds accounts by what fails', async () => {
    const app = await makeApp(tributary)
    const [ada, ben] = [await newAccount(app, [['github', '1']]), await newAccount(app, [['github', '2']])]
    const fails = (account: { id: string }, reason: string) =>
      tributary.sql(
        `insert into endpoint_sync (shard, profile_id, endpoint, next_run_at, interval_ms, epoch, items, fails, faults,
           quarantined, suspect_deletes, last_reason)
         select shard, id, 'repos', 1, 1, 0, 0, 1, 0, 0, 0, $2 from profile where account_id = $1`,
        [account.id, reason],
      )
    await fails(ada, 'rate_limited')
    await fails(ben, 'scope_missing')
    const found = (query: string) => walk(app, `/accounts?${query}`)
    assert.deepEqual(await found('failing=true'), [ada.id])
    assert.deepEqual(await found('reason=scope_missing'), [ben.id])
    assert.deepEqual(await found('reason=rate_limited&q=2'), [])
    assert.equal((await ask(app, '/accounts?failing=true&count=true')).headers.get('x-total-count'), '1')
    assertRefused(await ask(app, '/accounts?reason=nonsense'), 400, 'bad_parameter')
  })

  test('a page is found by the index on app, shard and id', async () => {
    const [row] = await tributary.sql<{ indexdef: string }>(
      `select indexdef from pg_indexes where indexname = 'account_app'`,
    )
    assert.match(row?.indexdef ?? '', /\(app_id, shard, id\)/)
  })

  test('never shows another app’s, a merged or an erased account', async () => {
    const [app, other] = [await makeApp(tributary), await makeApp(tributary)]
    const [ada, ben, gone] = [await newAccount(app, [['github', '1']]), await newAccount(app), await newAccount(app)]
    const foreign = await newAccount(other)
    const form = { source: ben.token, dest: ada.token }
    assert.equal((await send({ tributary }, 'POST', '/auth/merge', { form })).status, 200)
    assert.equal((await send({ tributary }, 'DELETE', '/profiles', { token: gone.token })).status, 200)
    assert.deepEqual(await walk(app, '/accounts'), [ada.id])
    assert.equal((await ask(app, '/accounts?count=true')).headers.get('x-total-count'), '1')
    const cursorOfOther = Buffer.from(foreign.id).toString('base64url')
    const { body } = await ask(app, `/accounts?cursor=${cursorOfOther}`)
    assert.ok((body as unknown as Listed[]).every(({ id }) => id === ada.id))
    for (const { id } of [foreign, ben, gone]) assertRefused(await ask(app, `/accounts/${id}`), 404, 'not_found')
    for (const id of ['nonsense', `${ada.id}0`]) assert.equal((await ask(app, `/accounts/${id}`)).status, 404)
    assertRefused(await ask(app, '/accounts/%00'), 400, 'bad_parameter')
  })

  test('after a merge, the account has the profiles of both', async () => {
    const app = await makeApp(tributary)
    const [ada, ben] = [await newAccount(app, [['github', '1']]), await newAccount(app, [['x', '2']])]
    await send({ tributary }, 'POST', '/auth/merge', { form: { source: ben.token, dest: ada.token } })
    const [shown] = listOf(await ask(app, '/accounts?service=x'))
    assert.deepEqual(
      shown?.profiles.map(({ profile }) => profile),
      ['1@github', '2@x'],
    )
  })

  test('refuses what it does not understand, and callers without the app’s secret', async () => {
    const app = await makeApp(tributary)
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=x',
      'state=nope',
      'service=nope',
      'cursor=nope',
      'count=maybe',
    ]) {
      const reply = await ask(app, `/accounts?${query}`)
      assertRefused(reply, 400, 'bad_parameter')
      assert.ok(String(reply.body['error']).startsWith(`${query.split('=')[0]}: `), reply.text)
    }
    const { token } = await newAccount(app)
    assertRefused(await send({ tributary }, 'GET', '/accounts', { token }), 401, 'app_secret_invalid')
    const bare = await send({ tributary }, 'GET', '/accounts')
    assertRefused(bare, 401, 'app_secret_invalid')
    assert.match(JSON.stringify(bare.body), /No client id and client secret were sent/)
    const asToken = await send({ tributary }, 'GET', '/profile', { token: app.secret })
    assertRefused(asToken, 401, 'token_invalid')
    assert.match(JSON.stringify(asToken.body), /This is a client secret, not an access token/)
    assertRefused(await ask({ ...app, secret: 'wrong' }, '/accounts'), 401, 'app_secret_invalid')
  })
})

test('GET /accounts/:id shows one account, and how much of its quotas it uses', async () => {
  const app = await makeApp(tributary)
  const { id, token } = await newAccount(app)
  await send({ tributary }, 'POST', '/services/self/notes', { token, json: [{ id: 'one' }, { id: 'two' }] })
  const { status, body } = await ask(app, `/accounts/${id}`)
  assert.equal(status, 200)
  const { usage, sync, ...account } = body as unknown as Listed & {
    sync: { state: string }
    usage: { quotas: Record<string, { used: number; state: string }>; profiles: { items: number }[] }
  }
  assert.deepEqual(account, listOf(await ask(app, '/accounts'))[0])
  assert.equal(sync.state, 'complete')
  assert.deepEqual(
    [usage.quotas['account_items']?.used, usage.quotas['account_items']?.state, usage.profiles[0]?.items],
    [2, 'ok', 2],
  )
})

test('`tributary accounts list` lists them for an operator', async () => {
  const app = await makeApp(tributary)
  const env = { DATABASE_URL: tributary.databaseUrl, TRIBUTARY_DATA: tributary.dataDir }
  const list = async (...flags: string[]) => runCommand(['accounts', 'list', app.clientId, ...flags], env)
  assert.deepEqual(JSON.parse((await list('--json')).stdout), [])
  const one = await newAccount(app, [['x', '1', 'needs_auth']])
  const two = await newAccount(app, [['github', '2']])
  const all = JSON.parse((await list('--json')).stdout) as Listed[]
  assert.deepEqual(all.map(({ id }) => id).toSorted(), [one.id, two.id].toSorted())
  const found = JSON.parse((await list('--service', 'twitter', '--state', 'needs_auth', '--json')).stdout) as Listed[]
  assert.deepEqual(
    found.map(({ id }) => id),
    [one.id],
  )
  assert.match((await list()).stdout, new RegExp(`${one.id}\n  1@x +needs_auth`))
  assert.equal((await list('--state', 'nope')).code, 2)
  assert.match((await runCommand(['accounts', 'list', 'app_nobody'], env)).stderr, /There is no app app_nobody/)
})

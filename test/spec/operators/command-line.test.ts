import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { makeApp } from '../../harness/app.ts'
import { tributary as run } from '../../harness/command-line.ts'
import { FROM_DASHBOARD, headersOf, newOperator, PASSWORD, secretIn } from '../../harness/operator.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
before(async () => {
  tributary = await startTributary()
})
after(() => tributary.stop())

const env = () => ({
  DATABASE_URL: tributary.databaseUrl,
  TRIBUTARY_DATA: tributary.dataDir,
  BASE_URL: tributary.url,
})
const said = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(args, env())
  assert.equal(code, 0, stdout + stderr)
  return stdout
}
const document = async <Value>(...args: string[]) => JSON.parse(await said(...args, '--json')) as Value
const refused = async (...args: string[]) => {
  const { code, stderr, stdout } = await run(args, env())
  assert.notEqual(code, 0)
  return stderr + stdout
}
interface Listed {
  operators: { id: string; name: string; role: string; apps: string[]; sessions: number }[]
  links: { name?: string; role: string }[]
}
const named = async (name: string) =>
  (await document<Listed>('operator', 'list')).operators.find((each) => each.name === name)
const accept = (url: string, name: string) =>
  send({ tributary }, 'POST', '/dashboard/link/accept', {
    json: { token: secretIn(url), name, password: PASSWORD },
    headers: FROM_DASHBOARD,
  })
const whoAmI = (headers: Record<string, string>) => send({ tributary }, 'GET', '/dashboard/session', { headers })

suite('tributary operator', () => {
  test('add makes a link that works once; list, set, sessions and remove act on the person', async () => {
    assert.match(await said('operator', 'list'), /There is no operator yet/)
    const app = await makeApp(tributary)
    const { url } = await document<{ url: string }>('operator', 'add', '--app', app.clientId, '--name', 'Grace')
    assert.match(await said('operator', 'list'), /A link for Grace is open until/)
    assert.equal((await run(['operator', 'add'], env())).stdout.includes('It works once, until '), true)
    const accepted = await accept(url, 'Grace')
    assert.equal(accepted.status, 200, accepted.text)
    assert.equal((await accept(url, 'Second')).body['reason'], 'link_invalid')
    const grace = await named('Grace')
    assert.deepEqual([grace?.role, grace?.apps, grace?.sessions], ['developer', [app.clientId], 1])

    const headers = headersOf(accepted.headers)
    assert.equal((await send({ tributary }, 'GET', '/admin/operators', { headers })).status, 403)
    assert.match(
      await said('operator', 'set', 'grace', '--role', 'operator', '--name', 'Grace H'),
      /Grace H is operator/,
    )
    assert.equal((await send({ tributary }, 'GET', '/admin/operators', { headers })).status, 200)

    const [session] = await document<{ id: string; name: string }[]>('operator', 'sessions')
    assert.equal(session?.name, 'Grace H')
    assert.match(await said('operator', 'sessions', '--end', session.id), /Nobody is signed in/)
    assert.equal((await whoAmI(headers)).status, 401)
  })

  test('link lets a person set a new password and ends their sessions; end-all signs them out', async () => {
    const { name, headers } = await newOperator(tributary)
    assert.equal((await whoAmI(headers)).status, 200)
    const { url } = await document<{ url: string }>('operator', 'link', name)
    const again = headersOf((await accept(url, name)).headers)
    assert.deepEqual([(await whoAmI(headers)).status, (await whoAmI(again)).status], [401, 200])
    await said('operator', 'sessions', '--end-all', name)
    assert.equal((await whoAmI(again)).status, 401)
  })

  test('S74 remove removes all but the last operator, by name or id, in one way or another written', async () => {
    await newOperator(tributary)
    const { id, name, headers } = await newOperator(tributary)
    assert.match(await said('operator', 'remove', name.toUpperCase()), /Removed/)
    assert.equal(await named(name), undefined)
    assert.equal((await whoAmI(headers)).status, 401)
    assert.match(await refused('operator', 'remove', id), /no operator|There is no/i)
    const others = (await document<Listed>('operator', 'list')).operators.filter(({ role }) => role === 'operator')
    for (const each of others.slice(1)) await said('operator', 'remove', each.name)
    assert.match(await refused('operator', 'remove', others[0]!.name), /last/)
  })

  test('refuses an unknown role, an app of an operator, and an unknown name', async () => {
    assert.match(await refused('operator', 'add', '--role', 'owner'), /--role must be operator or developer/)
    assert.match(await refused('operator', 'add', '--role', 'operator', '--app', 'x'), /--app is for developers/)
    assert.match(await refused('operator', 'set', 'nobody', '--role', 'developer'), /nobody/)
  })
})

suite('tributary audit', () => {
  interface Page {
    entries: { id: string; at: number; actor: string; action: string; app?: string }[]
    next?: string
  }

  test('shows who did what, newest first, filtered and page by page', async () => {
    const app = await makeApp(tributary)
    await tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { name: 'Renamed' })
    const all = await document<Page>('audit', '--app', app.clientId)
    assert.deepEqual(
      all.entries.map(({ actor, action, app: of }) => [actor, action, of]),
      [
        ['admin', 'app.update', app.clientId],
        ['admin', 'app.create', app.clientId],
      ],
    )
    const first = await document<Page>('audit', '--app', app.clientId, '--limit', '1')
    assert.deepEqual([first.entries.length, first.next], [1, all.entries[0]!.id])
    const second = await document<Page>('audit', '--app', app.clientId, '--limit', '1', '--cursor', first.next!)
    assert.deepEqual([second.entries[0]?.id, second.next], [all.entries[1]!.id, undefined])
    assert.match(await said('audit', '--app', app.clientId, '--limit', '1'), /There are more: --cursor /)
    const { entries: byCli } = await document<Page>('audit', '--actor', 'cli', '--action', 'operator.invite')
    assert.ok(byCli.length > 0 && byCli.every(({ actor, action }) => actor === 'cli' && action === 'operator.invite'))
    const until = new Date(all.entries[1]!.at).toISOString()
    assert.equal(await said('audit', '--app', app.clientId, '--until', until), 'No entries.\n')
    assert.equal((await document<Page>('audit', '--app', app.clientId, '--since', until)).entries.length, 2)
  })

  test('refuses a limit and a time that are none', async () => {
    assert.match(await refused('audit', '--limit', '0'), /--limit must be a whole number from 1 to 1000/)
    assert.match(await refused('audit', '--since', 'yesterday'), /--since is not a time/)
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import { tributary } from '../../harness/command-line.ts'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { idsOfApp, tablesWithRowsOf } from '../../harness/database/rows-of-app.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, newCode, signIn } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { auditOf, entryOf, startQuietHarness } from '../sign-in/fixture.ts'

interface Progress {
  client_id: string
  state: string
  accounts: number
  erased: number
  service_tokens: { revoked: number; refused: number; unreachable: number; not_offered: number }
  destinations_waiting?: number
  destinations_untold?: number
}

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const sql = <Row extends object>(text: string, values: unknown[] = []) => harness.sql<Row>(text, values)
const remove = (app: LabApp, query = '') => harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}${query}`)
const progressOf = async (app: LabApp): Promise<Progress> =>
  ((await harness.tributary.admin('GET', '/admin/deletions')).body as Progress[]).find(
    (each) => each.client_id === app.clientId,
  )!
const deleted = (app: LabApp) => until('the app is deleted', async () => (await progressOf(app)).state === 'deleted')
const serviceToken = async (granted: Granted, app: LabApp) => {
  const query = { auth: 'true', access_token: granted.access_token }
  const { body } = await send(harness, 'GET', '/profiles', { query, headers: basic(app) })
  return entryOf(body, 'demo-social').auth.token
}
const worksAtService = async (token: string) =>
  (await fetch(`${harness.lab.services['demo-social'].url}/api/me`, { headers: { authorization: `Bearer ${token}` } }))
    .status === 200

/** An app with people, a merge, own items, logs, unfinished sign-ins and optionally a destination. */
async function livedInApp(destination?: string) {
  const app = await harness.makeApp()
  if (destination !== undefined) {
    const json = { name: 'Ours', kind: 'postgres', url: destination, filter: ['*'] }
    const made = await send(harness, 'POST', '/push', { headers: basic(app), json })
    assert.equal(made.status, 201, made.text)
  }
  const ada = await signIn(harness, 'demo-social', 'ada', {}, app)
  await signIn(harness, 'demo-micro', 'ada', { access_token: ada.access_token }, app)
  const ben = await signIn(harness, 'demo-social', 'ben', {}, app)
  const chloe = await signIn(harness, 'demo-social', 'chloe', {}, app)
  const items = await send(harness, 'POST', '/services/self/notes', {
    token: ada.access_token,
    json: [{ id: 'n1', text: 'one' }],
  })
  assert.equal(items.status, 200, items.text)
  const merged = await send(harness, 'POST', '/auth/merge', {
    headers: basic(app),
    json: { source: chloe.access_token, dest: ben.access_token },
  })
  assert.equal(merged.status, 200, merged.text)
  await send(harness, 'GET', '/proxy/demo-social/api/me', { token: ada.access_token })
  // Calls are logged within a second; one that is logged after the deletion would stay until it is old.
  await until('the call is logged', async () => {
    const logged = await harness.sql('select 1 from call_log where app_id = $1', [app.clientId])
    return logged.length > 0
  })
  await newCode(harness, 'demo-social', 'esra', {}, app)
  const tokens = [await serviceToken(ada, app)]
  return { app, ada, tokens, ids: await idsOfApp(sql, app.clientId) }
}

suite('an app that has people', () => {
  test('is only deleted when that is requested explicitly, over HTTP or by a command', async () => {
    const { app, ada, tokens } = await livedInApp()
    const response = await remove(app)
    assert.deepEqual([response.status, (response.body as { reason: string }).reason], [409, 'app_has_accounts'])
    const env = { DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir }
    const command = await tributary(['app', 'delete', app.clientId, '--yes', '--json'], env)
    assert.notEqual(command.code, 0)
    assert.match(command.stdout + command.stderr, /--erase/)
    assert.equal((await get(harness, '/profiles', ada.access_token)).status, 200)
    assert.equal(await worksAtService(tokens[0]!), true)
  })

  test('is deleted with everything of them: here, at the services and at destinations', async () => {
    const neighbour = await harness.makeApp()
    const neighbourPerson = await signIn(harness, 'demo-social', 'ada', {}, neighbour)
    const target: ClientDatabase = await clientDatabase()
    try {
      const { app, ada, tokens, ids } = await livedInApp(target.url)
      await until('an item is at the destination', async () => (await target.live()).length > 0)
      const begun = await remove(app, '?erase=true')
      assert.equal(begun.status, 202, JSON.stringify(begun.body))
      assert.equal((await get(harness, '/profiles', ada.access_token)).status, 401)
      assert.equal((await send(harness, 'GET', '/push', { headers: basic(app) })).status, 401)
      await deleted(app)
      const progress = await progressOf(app)
      assert.deepEqual([progress.erased, progress.service_tokens.unreachable], [progress.accounts, 0])
      assert.ok(progress.service_tokens.revoked >= 3)
      assert.equal(progress.destinations_untold, undefined)
      assert.deepEqual(await tablesWithRowsOf(sql, ids), [])
      for (const token of tokens) assert.equal(await worksAtService(token), false)
      assert.deepEqual(await target.live(), [])
      assert.equal((await remove(app, '?erase=true')).status, 404)
      for (const action of ['app.delete_begin', 'app.delete'])
        assert.equal((await auditOf(harness, action)).filter(({ app_id: id }) => id === app.clientId).length, 1, action)
      assert.equal((await get(harness, '/profiles', neighbourPerson.access_token)).status, 200)
      assert.equal(await worksAtService(await serviceToken(neighbourPerson, neighbour)), true)
    } finally {
      await target.drop()
    }
  })

  test('is also deleted by the command, which prints what was done', async () => {
    const { app, ids } = await livedInApp()
    const env = {
      DATABASE_URL: harness.tributary.databaseUrl,
      TRIBUTARY_DATA: harness.tributary.dataDir,
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    }
    const command = await tributary(['app', 'delete', app.clientId, '--yes', '--erase', '--json'], env)
    assert.equal(command.code, 0, command.stderr)
    const done = JSON.parse(command.stdout) as Progress
    assert.deepEqual([done.state, done.erased], ['deleted', done.accounts])
    assert.deepEqual(await tablesWithRowsOf(sql, ids), [])
  })

  test('waits for an unreachable destination until the operator stops waiting', async () => {
    const target: ClientDatabase = await clientDatabase()
    try {
      const { app, ids } = await livedInApp(target.url)
      await until('an item is at the destination', async () => (await target.live()).length > 0)
      await target.line.cut()
      assert.equal((await remove(app, '?erase=true')).status, 202)
      await until('it waits', async () => (await progressOf(app)).state === 'waiting_for_destinations')
      const waiting = await progressOf(app)
      assert.deepEqual([waiting.erased, waiting.service_tokens.unreachable], [waiting.accounts, 0])
      assert.ok(waiting.destinations_waiting! > 0)
      const again = await remove(app, '?erase=true')
      assert.deepEqual([again.status, (again.body as Progress).state], [202, 'waiting_for_destinations'])
      await remove(app, '?erase=true&give_up=true')
      await deleted(app)
      assert.equal((await progressOf(app)).destinations_untold, 1)
      assert.deepEqual(await tablesWithRowsOf(sql, ids), [])
    } finally {
      await target.drop()
    }
  })

  test('that is being deleted accepts no sign-in', async () => {
    const { app } = await livedInApp()
    const code = await newCode(harness, 'demo-social', 'dmitri', {}, app)
    await harness.sql('update app set deleting_at = 1 where id = $1', [app.clientId])
    const start = await fetch(harness.startUrl('demo-social', {}, app), { redirect: 'manual' })
    assert.equal(start.status, 400)
    const response = await fetch(`${harness.tributary.url}/oauth/access_token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: app.clientId, client_secret: app.secret, code }),
    })
    assert.equal(response.status, 401)
  })
})

test('an app without people is deleted at once', async () => {
  const app = await harness.makeApp()
  assert.deepEqual(await remove(app), { status: 200, body: { deleted: app.clientId } })
  assert.equal((await remove(app)).status, 404)
})

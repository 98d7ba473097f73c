import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createExportTicket } from '#flows/operators/export-links.ts'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { holdTable } from '../../harness/database/hold-table.ts'
import { FROM_DASHBOARD, newOperator, type SignedIn } from '../../harness/operator.ts'
import { putItems } from '../../harness/own-items.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let app: App
let person: Person
let operator: SignedIn

before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary)
  person = await newPerson(tributary.store, app.clientId)
  operator = await newOperator(tributary)
  const notes = Array.from({ length: 30 }, (_, n) => ({ id: `note-${n}`, type: 'photo' }))
  await putItems(tributary, person, notes, 'notes')
})
after(() => tributary.stop())

const create = (headers: Record<string, string>, account = person.account.id) =>
  send({ tributary }, 'POST', '/dashboard/exports', { headers, json: { account } })
const linkFor = async (who = operator, account = person.account.id) => {
  const { status, body, text } = await create(who.headers, account)
  assert.equal(status, 201, text)
  return (body as { url: string }).url
}
/** As a browser that follows a link: with the cookie, and without the header of the dashboard. */
const follow = (url: string, { headers }: Pick<SignedIn, 'headers'> = operator, more: Record<string, string> = {}) =>
  send({ tributary }, 'GET', url, { headers: { cookie: headers['cookie']!, ...more } })
const exportsOf = async (account = person.account.id) =>
  tributary.sql<{ actor: string }>(
    `select actor from audit where account_id = $1 and action = 'account.export' order by id`,
    [account],
  )

suite('S78 the export of an account by a link of the dashboard', () => {
  test('is a file with what the app gets, once, recorded for the operator', async () => {
    const url = await linkFor()
    assert.deepEqual(await exportsOf(), [], 'the link itself exports nothing')
    const saved = await follow(url)
    assert.equal(saved.status, 200, saved.text)
    assert.equal(saved.headers.get('content-disposition'), `attachment; filename="account-${person.account.id}.ndjson"`)
    assert.equal(saved.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await exportsOf(), [{ actor: `operator:${operator.id}` }])
    const byApp = await send({ tributary }, 'GET', `/accounts/${person.account.id}/export`, { headers: basic(app) })
    assert.equal(saved.text, byApp.text)
    assert.equal(saved.text.trimEnd().split('\n').length, 31)
    assert.equal((await follow(url)).body['reason'], 'link_invalid')
    // Other texts that decode to the same bytes are the same link.
    assert.equal((await follow(`${url}=`)).body['reason'], 'link_invalid')
    const page = await follow(url, operator, { accept: 'text/html' })
    assert.match(page.text, /Export again in the dashboard/)
  })

  test('two requests at once get one file', async () => {
    const url = await linkFor()
    const statuses = (await Promise.all([follow(url), follow(url)])).map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 400],
    )
  })

  test('belongs to its session, its account and its minute', async () => {
    const other = await newOperator(tributary)
    const second = await newPerson(tributary.store, app.clientId)
    const url = await linkFor()
    assert.equal((await follow(url, other)).body['reason'], 'link_invalid')
    assert.equal((await send({ tributary }, 'GET', url)).body['reason'], 'signed_out')
    const moved = url.replace(person.account.id, second.account.id)
    assert.equal((await follow(moved)).body['reason'], 'link_invalid')
    assert.equal((await follow(url.slice(0, -4))).body['reason'], 'link_invalid')
    const [row] = await tributary.sql<{ id: string }>('select id from operator_session where operator_id = $1', [
      operator.id,
    ])
    const session = { id: row!.id, operatorId: operator.id, authenticatedAt: 0 }
    const caller = { actor: '', name: '', role: 'operator' as const, apps: [], session }
    const early = { ...tributary.store, clock: { ...tributary.store.clock, now: () => Date.now() - 60_001 } }
    const { ticket } = await createExportTicket(early, caller, person.account.id)
    assert.equal((await follow(url.replace(/[^/]+$/, ticket))).body['reason'], 'link_invalid', 'it has expired')
    assert.equal((await follow(url)).status, 200, 'none of these used it up')
  })

  test('is not used up by HEAD, a prefetch or a preview', async () => {
    const url = await linkFor()
    assert.equal((await send({ tributary }, 'HEAD', url, { headers: operator.headers })).status, 405)
    assert.equal((await follow(url, operator, { 'sec-purpose': 'prefetch' })).status, 400)
    assert.equal((await follow(url)).status, 200)
  })

  test('is made by pages of the dashboard only', async () => {
    const { cookie } = operator.headers as { cookie: string }
    assert.equal((await create({ cookie })).body['reason'], 'origin_refused')
    assert.equal((await create({ ...operator.headers, origin: 'http://localhost:1' })).body['reason'], 'origin_refused')
    assert.equal((await create(FROM_DASHBOARD)).body['reason'], 'signed_out')
    const form = { account: person.account.id }
    const posted = await send({ tributary }, 'POST', '/dashboard/exports', { form, headers: { cookie } })
    assert.equal(posted.body['reason'], 'origin_refused')
  })

  test('a developer exports accounts of their apps, while they are theirs', async () => {
    const other = await makeApp(tributary)
    const stranger = await newPerson(tributary.store, other.clientId)
    const developer = await newOperator(tributary, { role: 'developer', apps: [app.clientId] })
    assert.equal((await create(developer.headers, stranger.account.id)).body['reason'], 'not_found')
    assert.equal((await create(developer.headers, 'none')).body['reason'], 'not_found')
    const url = await linkFor(developer)
    await tributary.admin('PATCH', `/admin/operators/${developer.id}`, { apps: [other.clientId] })
    assert.equal((await follow(url, developer)).body['reason'], 'not_found')
  })

  test('of an account that was erased meanwhile says so', async () => {
    const gone = await newPerson(tributary.store, app.clientId)
    const url = await linkFor(operator, gone.account.id)
    await send({ tributary }, 'DELETE', `/accounts/${gone.account.id}`, { headers: basic(app) })
    assert.equal((await follow(url)).body['reason'], 'not_found')
  })

  test('breaks off when the session ends', async () => {
    const leaving = await newOperator(tributary)
    const url = await linkFor(leaving)
    const held = await holdTable(tributary.databaseUrl, 'item')
    try {
      const { cookie } = leaving.headers as { cookie: string }
      const response = await fetch(`${tributary.url}${url}`, { headers: { cookie } })
      assert.equal(response.status, 200)
      const rest = response.text().then(
        () => 'complete',
        () => 'broken off',
      )
      await held.awaited()
      await send({ tributary }, 'DELETE', '/dashboard/session', { headers: leaving.headers })
      assert.equal((await follow(url, leaving)).body['reason'], 'signed_out')
      assert.equal(await rest, 'broken off')
    } finally {
      await held.release()
    }
  })
})

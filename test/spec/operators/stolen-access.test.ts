import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { makeApp } from '../../harness/app.ts'
import { auditTrail } from '../../harness/audit.ts'
import { FROM_DASHBOARD, newOperator, PASSWORD, type SignedIn, secretIn } from '../../harness/operator.ts'
import { newPerson } from '../../harness/person.ts'
import { type Reply, type RequestOptions, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'

let tributary: Tributary
before(async () => {
  tributary = await startTributary({ TRUST_PROXY: '127.0.0.1' })
})
after(() => tributary.stop())

const call = (method: string, path: string, headers: Record<string, string>, json?: unknown): Promise<Reply> => {
  const options: RequestOptions = { headers, ...(json === undefined ? {} : { json }) }
  return send({ tributary }, method, path, options)
}
const linkBy = async ({ headers }: SignedIn): Promise<string> => {
  const made = await call('POST', '/admin/operators', headers, { role: 'operator' })
  assert.equal(made.status, 201, made.text)
  return secretIn(made.body['url'] as string)
}
const accept = (token: string, fields: object) =>
  call('POST', '/dashboard/link/accept', FROM_DASHBOARD, { token, ...fields })
/** As if the password had been given eleven minutes ago. */
const letTimePass = ({ id }: SignedIn) =>
  tributary.sql('update operator_session set authenticated_at = $1 where operator_id = $2', [
    Date.now() - 11 * 60_000,
    id,
  ])

suite('S72 a link that an operator created', () => {
  test('does not bring back an operator who was removed or became a developer', async () => {
    await newOperator(tributary)
    const [removed, demoted] = [await newOperator(tributary), await newOperator(tributary)]
    const links = [await linkBy(removed), await linkBy(demoted)]
    assert.equal((await tributary.admin('DELETE', `/admin/operators/${removed.id}`)).status, 200)
    const change = { role: 'developer', apps: [] }
    assert.equal((await tributary.admin('PATCH', `/admin/operators/${demoted.id}`, change)).status, 200)
    for (const token of links) {
      assert.equal((await call('POST', '/dashboard/link', FROM_DASHBOARD, { token })).body['reason'], 'link_invalid')
      assert.equal((await accept(token, { name: 'Back', password: PASSWORD })).body['reason'], 'link_invalid')
    }
    const listed = (await tributary.admin('GET', '/admin/operators/links')).body as { created_by: string }[]
    const creators = [removed, demoted].map(({ id }) => `operator:${id}`)
    assert.ok(listed.every(({ created_by: by }) => !creators.includes(by)))
  })

  test('works while its creator is an operator, after a new name too', async () => {
    const creator = await newOperator(tributary)
    const token = await linkBy(creator)
    assert.equal((await tributary.admin('PATCH', `/admin/operators/${creator.id}`, { name: 'Renamed' })).status, 200)
    assert.equal((await accept(token, { name: 'Invited', password: PASSWORD })).status, 200)
  })
})

test('S72 a link for an operator replaces every way to sign in that there was', async () => {
  const { id } = await newOperator(tributary)
  await tributary.sql(
    `insert into operator_passkey (id, operator_id, name, public_key, counter, created_at)
     values ('left-by-a-thief', $1, 'Phone', '\\x00', 0, 0)`,
    [id],
  )
  const made = await tributary.admin('POST', `/admin/operators/${id}/link`)
  const reply = await accept(secretIn((made.body as { url: string }).url), { password: 'another long password' })
  assert.equal(reply.status, 200, reply.text)
  const listed = (await tributary.admin('GET', '/admin/operators')).body as { id: string; passkeys: number }[]
  assert.equal(listed.find((each) => each.id === id)?.passkeys, 0)
})

suite('S76 guesses of a password', () => {
  const guess = async (name: string, from: string) => {
    const headers = { ...FROM_DASHBOARD, 'x-forwarded-for': from }
    assert.equal((await call('POST', '/dashboard/session', headers, { name, password: 'a wrong one' })).status, 401)
  }
  /** What guesses of this name were counted for. */
  const countedFor = async (name: string) => {
    const rows = await tributary.sql<{ subject: string }>(
      "select distinct subject from attempt where lower(subject) like '%operator ' || lower($1)",
      [name],
    )
    return rows.map(({ subject }) => subject)
  }

  test('count for one operator, however the name is written', async () => {
    const { name } = await newOperator(tributary)
    for (const written of [name, name.toUpperCase(), name.toLowerCase()]) await guess(written, '203.0.113.20')
    assert.equal((await countedFor(name)).length, 1)
  })

  test('count for a whole IPv6 network', async () => {
    const { name } = await newOperator(tributary)
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6']) await guess(name, address)
    assert.equal((await countedFor(name)).length, 1)
    await guess(name, '2001:db8:1:3::1')
    assert.equal((await countedFor(name)).length, 2)
  })
})

suite('S76 many strangers who guess', () => {
  const signIn = (name: string, password: string, from: string, cookie = '') =>
    call('POST', '/dashboard/session', { ...FROM_DASHBOARD, 'x-forwarded-for': from, cookie }, { name, password })

  test('keep out nobody whose browser signed in before; a forged cookie, or one for somebody else, does not help', async () => {
    const { name } = await newOperator(tributary)
    const other = await newOperator(tributary)
    const knownCookie = async (of: string) => {
      const [, known = ''] = (await signIn(of, PASSWORD, '203.0.113.30')).headers.getSetCookie()
      return known.split(';')[0]!
    }
    const [own, foreign] = [await knownCookie(name), await knownCookie(other.name)]
    const attack = { isOver: false, refused: 0 }
    const strangers = Array.from({ length: 32 }, async (_, n) => {
      while (!attack.isOver) {
        const { status } = await signIn(`nobody ${n}`, 'a wrong password', `198.51.100.${n}`)
        if (status === 429) attack.refused += 1
      }
    })
    await until('strangers are refused', () => attack.refused > 0)
    const right = await signIn(name, PASSWORD, '203.0.113.31', own)
    const forged = `${own.slice(0, -4)}0000`
    const replies = await Promise.all(
      [forged, foreign, ''].map((cookie, n) => signIn(name, PASSWORD, `203.0.113.${40 + n}`, cookie)),
    )
    attack.isOver = true
    await Promise.all(strangers)
    assert.equal(right.status, 200, right.text)
    // They wait like strangers, and may be refused like them; none of it counts as a wrong password.
    for (const { status } of replies) assert.ok([200, 429].includes(status))
    assert.deepEqual(
      await tributary.sql("select 1 from attempt where subject like '203.0.113.4%' and failures > 0"),
      [],
    )
  })
})

suite('S75 a session whose password was given long ago', () => {
  test('cannot delete an account as its person, nor open an app to others, nor drop a destination', async () => {
    const app = await makeApp(tributary)
    const { account } = await newPerson(tributary.store, app.clientId)
    const operator = await newOperator(tributary)
    await letTimePass(operator)
    const acting = { ...operator.headers, 'tributary-app': app.clientId }
    const asAccount = { ...operator.headers, 'tributary-account': account.id }
    const own = `/admin/apps/${app.clientId}`
    const refused: [string, string, Record<string, string>, object?][] = [
      ['POST', '/connections/sessions', acting, { account: account.id }],
      ['POST', '/connections/link', asAccount, {}],
      ['DELETE', '/push/none', acting],
      ['PATCH', own, operator.headers, { redirect_uris: ['https://evil.test/'] }],
      ['PATCH', own, operator.headers, { public: true }],
      ['PATCH', own, operator.headers, { token_flow: true }],
      ['PATCH', own, operator.headers, { apply: 'any' }],
      ['PATCH', own, operator.headers, { agents: { redirect_uris: ['https://evil.test/'] } }],
    ]
    for (const [method, path, headers, json] of refused)
      assert.equal((await call(method, path, headers, json)).body['reason'], 'sign_in_again', `${method} ${path}`)
    assert.equal((await call('PATCH', own, operator.headers, { name: 'New name' })).status, 200)
  })
})

test('S77 what an operator does for an app has the operator as its actor', async () => {
  const app = await makeApp(tributary, { redirectUris: ['http://localhost/back'] })
  const { account } = await newPerson(tributary.store, app.clientId)
  const developer = await newOperator(tributary, { role: 'developer', apps: [app.clientId] })
  const acting = { ...developer.headers, 'tributary-app': app.clientId }
  const asAccount = { ...developer.headers, 'tributary-account': account.id }
  const session = await call('POST', '/connect/sessions', acting, {
    account: account.id,
    redirect_uri: 'http://localhost/back',
  })
  assert.equal(session.status, 201, session.text)
  assert.equal((await call('DELETE', `/connect/sessions/${session.body['id'] as string}`, acting)).status, 200)
  assert.equal((await call('POST', '/connections/sessions', acting, { account: account.id })).status, 201)
  assert.equal((await call('POST', '/connections/link', asAccount, {})).status, 201)
  for (const action of ['connect_session.create', 'connect_session.revoke', 'connections.link']) {
    const entries = await auditTrail(tributary.sql, action, { account: account.id })
    assert.ok(entries.length > 0, action)
    for (const { actor } of entries) assert.equal(actor, `operator:${developer.id}`, action)
  }
})

test('S77 items that an operator reads by routes of an app are in the audit log', async () => {
  const app = await makeApp(tributary)
  const developer = await newOperator(tributary, { role: 'developer', apps: [app.clientId] })
  const acting = { ...developer.headers, 'tributary-app': app.clientId }
  assert.equal((await call('GET', '/accounts/changes', acting)).status, 200)
  const previewed = await call('POST', '/push/preview', acting, { kind: 'webhook', filter: ['*'] })
  assert.equal(previewed.status, 200, previewed.text)
  for (const action of ['feed.read', 'push.preview']) {
    const entries = await auditTrail(tributary.sql, action, { app: app.clientId })
    assert.deepEqual(
      entries.map(({ actor }) => actor),
      [`operator:${developer.id}`],
      action,
    )
  }
})

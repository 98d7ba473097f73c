import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { guessedOperator, signInWithPassword } from '#flows/operators/passwords.ts'
import { systemClock } from '#platform/clock.ts'
import { makeApp } from '../../harness/app.ts'
import { auditTrail } from '../../harness/audit.ts'
import { WAITING_STATEMENTS } from '../../harness/database/cluster.ts'
import { startSecondServer } from '../../harness/database/second-server.ts'
import { openSql } from '../../harness/database/sql.ts'
import { FROM_DASHBOARD, headersOf, newOperator, PASSWORD, secretIn } from '../../harness/operator.ts'
import { newPerson } from '../../harness/person.ts'
import { type Reply, type RequestOptions, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'

const HOUR = 3_600_000
let tributary: Tributary
before(async () => {
  tributary = await startTributary()
})
after(() => tributary.stop())

const call = (method: string, path: string, headers: Record<string, string>, json?: unknown): Promise<Reply> => {
  const options: RequestOptions = { headers, ...(json === undefined ? {} : { json }) }
  return send({ tributary }, method, path, options)
}
const signIn = (name: string, password = PASSWORD, headers: Record<string, string> = FROM_DASHBOARD) =>
  call('POST', '/dashboard/session', headers, { name, password })
const whoAmI = (headers: Record<string, string>) => call('GET', '/dashboard/session', headers)
const newLink = async (fields: object = { role: 'operator' }) =>
  secretIn(((await tributary.admin('POST', '/admin/operators', fields)).body as { url: string }).url)
const accept = (token: string, fields: object) =>
  call('POST', '/dashboard/link/accept', FROM_DASHBOARD, { token, ...fields })

suite('S72 a link', () => {
  test('works once, also for two at the same moment, and signs in', async () => {
    const token = await newLink({ role: 'operator', name: 'Ada' })
    const shown = await call('POST', '/dashboard/link', FROM_DASHBOARD, { token })
    assert.deepEqual([shown.status, shown.body['name'], shown.body['new_operator']], [200, 'Ada', true])
    const replies = await Promise.all(['Ada', 'Ada B'].map((name) => accept(token, { name, password: PASSWORD })))
    assert.deepEqual(replies.map(({ status }) => String(status)).toSorted(), ['200', '400'])
    const [right] = replies.filter(({ status }) => status === 200)
    assert.equal((await whoAmI(headersOf(right!.headers))).status, 200)
    assert.equal((await call('POST', '/dashboard/link', FROM_DASHBOARD, { token })).body['reason'], 'link_invalid')
  })

  test('stays when the name is taken or the password is weak', async () => {
    const { name } = await newOperator(tributary)
    const token = await newLink()
    assert.equal(
      (await accept(token, { name: name.toUpperCase(), password: PASSWORD })).body['reason'],
      'already_exists',
    )
    for (const password of ['short', 'aaaaaaaaaaaaaaaa', 'abababababababab'])
      assert.equal((await accept(token, { name: 'Bob', password })).body['param'], 'password')
    assert.equal((await accept(token, { name: 'Bob' })).body['param'], 'password')
    for (const wrong of ['', ' ', '<b>', 'x'.repeat(65)])
      assert.equal((await accept(token, { name: wrong, password: PASSWORD })).body['param'], 'name')
    assert.equal((await accept(token, { name: 'Bob', password: PASSWORD })).status, 200)
  })

  test('for an operator sets a new password and ends the sessions', async () => {
    const { id, name, headers } = await newOperator(tributary)
    const made = await tributary.admin('POST', `/admin/operators/${id}/link`)
    const reply = await accept(secretIn((made.body as { url: string }).url), { password: 'another long password' })
    assert.equal(reply.status, 200, reply.text)
    assert.equal((await whoAmI(headers)).body['reason'], 'signed_out')
    assert.equal((await signIn(name)).status, 401)
    assert.equal((await signIn(name, 'another long password')).status, 200)
  })

  test('ends after a day, and when it is revoked', async () => {
    const late = await newLink()
    await tributary.sql('update operator_link set expires_at = $1', [Date.now() - 1])
    assert.equal((await accept(late, { name: 'Late', password: PASSWORD })).body['reason'], 'link_invalid')
    const beganAt = Date.now()
    const token = await newLink()
    const madeAt = Date.now()
    const [open] = (await tributary.admin('GET', '/admin/operators/links')).body as { id: string; expires_at: number }[]
    assert.ok(open!.expires_at >= beganAt + 24 * HOUR && open!.expires_at <= madeAt + 24 * HOUR)
    assert.equal((await tributary.admin('DELETE', `/admin/operators/links/${open!.id}`)).status, 200)
    assert.equal((await accept(token, { name: 'Late', password: PASSWORD })).body['reason'], 'link_invalid')
  })
})

suite('a session', () => {
  test('S73 begins with the right password only, and its cookie is closed to scripts and other sites', async () => {
    const { name } = await newOperator(tributary)
    assert.equal((await signIn(name, 'a wrong password')).body['reason'], 'password_wrong')
    assert.equal((await signIn('nobody')).body['reason'], 'password_wrong')
    const reply = await signIn(name.toUpperCase())
    assert.equal(reply.status, 200)
    const port = new URL(tributary.url).port
    const [session = '', known = '', ...others] = reply.headers.getSetCookie()
    const attributes = 'Path=/; HttpOnly; SameSite=Strict'
    assert.match(session, new RegExp(`^tributary-session-${port}=[0-9a-z]{52}; ${attributes}$`))
    assert.match(
      known,
      new RegExp(`^tributary-operator-${port}=op_[0-9a-z]+\\.[0-9a-z]{52}; ${attributes}; Max-Age=15552000$`),
    )
    assert.deepEqual(others, [])
    const stored = await tributary.sql<{ hash: Buffer }>('select hash from operator_session')
    const value = headersOf(reply.headers)['cookie']!.split('=')[1]!
    assert.ok(stored.every(({ hash }) => !hash.equals(Buffer.from(value))))
  })

  test('S73 is rotated at each sign-in of a browser', async () => {
    const { name, headers } = await newOperator(tributary)
    const again = await signIn(name, PASSWORD, headers)
    assert.equal((await whoAmI(headers)).status, 401)
    assert.equal((await whoAmI(headersOf(again.headers))).status, 200)
  })

  test('S52 S73 counts only with the header of the dashboard and the same origin', async () => {
    const { headers } = await newOperator(tributary)
    const { cookie } = headers as { cookie: string }
    assert.equal((await call('GET', '/admin/apps', { cookie })).body['reason'], 'admin_token_invalid')
    for (const path of ['/admin/apps', '/dashboard/session']) {
      const refused = await call('GET', path, { ...headers, origin: 'http://localhost:5000' })
      assert.equal(refused.body['reason'], 'origin_refused', path)
      assert.equal((await call('GET', path, { ...headers, origin: 'null' })).body['reason'], 'origin_refused')
      assert.equal((await call('GET', path, { ...headers, origin: tributary.url })).status, 200)
    }
    assert.equal((await call('DELETE', '/dashboard/session', { cookie })).body['reason'], 'origin_refused')
    assert.equal((await whoAmI(headers)).status, 200)
    const preflight = await call('OPTIONS', '/dashboard/session', { origin: 'http://localhost:5000' })
    assert.equal(preflight.headers.get('access-control-allow-origin'), null)
    // The cookie of another server on this machine has another name.
    assert.equal((await whoAmI({ ...headers, cookie: cookie.replace(/-\d+=/, '-1=') })).status, 401)
  })

  test('S73 ends after it was idle, and after a week', async () => {
    const { id, headers } = await newOperator(tributary)
    const set = (column: string, value: number) =>
      tributary.sql(`update operator_session set ${column} = $1 where operator_id = $2`, [value, id])
    await set('seen_at', Date.now() - 11 * HOUR)
    assert.equal((await whoAmI(headers)).status, 200)
    const [touched] = await tributary.sql<{ seen_at: string }>(
      'select seen_at from operator_session where operator_id = $1',
      [id],
    )
    assert.ok(Number(touched!.seen_at) > Date.now() - HOUR)
    await set('seen_at', Date.now() - 12 * HOUR)
    assert.equal((await whoAmI(headers)).status, 401)
    await set('seen_at', Date.now())
    await set('expires_at', Date.now())
    assert.equal((await whoAmI(headers)).status, 401)
  })

  test('S73 ends by signing out, here or everywhere, and by an operator; a second process knows at once', async () => {
    const { id, name, headers } = await newOperator(tributary)
    const second = await startSecondServer(tributary, { BASE_URL: tributary.url })
    const there = () => send(second, 'GET', '/admin/apps', { headers })
    try {
      assert.equal((await there()).status, 200)
      const browsers = await Promise.all([0, 1, 2].map(async () => headersOf((await signIn(name)).headers)))
      assert.equal((await call('DELETE', '/dashboard/session', browsers[0]!)).body['ended'], 1)
      assert.equal((await whoAmI(browsers[0]!)).status, 401)
      const listed = (await call('GET', '/admin/sessions', headers)).body as unknown as {
        id: string
        operator: string
        current: boolean
      }[]
      const own = listed.filter(({ operator }) => operator === id)
      assert.deepEqual(own.filter(({ current }) => current).length, 1)
      assert.equal(own.length, 3)
      const [victim] = own.filter(({ current }) => !current)
      assert.equal((await call('DELETE', `/admin/sessions/${victim!.id}`, headers)).status, 200)
      assert.equal((await call('DELETE', '/dashboard/session?everywhere=true', headers)).body['ended'], 2)
      for (const browser of [headers, ...browsers]) assert.equal((await whoAmI(browser)).status, 401)
      assert.equal((await there()).status, 401)
    } finally {
      await second.stop()
    }
  })

  test('has the rights that the operator has now', async () => {
    const [own, other] = [await makeApp(tributary), await makeApp(tributary)]
    const { id, headers } = await newOperator(tributary)
    const get = (app: { clientId: string }) => call('GET', `/admin/apps/${app.clientId}`, headers)
    assert.equal((await get(other)).status, 200)
    await tributary.admin('PATCH', `/admin/operators/${id}`, { role: 'developer', apps: [own.clientId] })
    assert.deepEqual([(await get(own)).status, (await get(other)).status], [200, 404])
    assert.equal((await call('GET', '/admin/operators', headers)).body['reason'], 'role_refused')
    assert.equal((await tributary.admin('DELETE', `/admin/operators/${id}`)).status, 200)
    assert.equal((await get(own)).status, 401)
  })

  test('S75 asks for the password again before dangerous actions', async () => {
    const app = await makeApp(tributary)
    const person = await newPerson(tributary.store, app.clientId)
    const { id, name, headers } = await newOperator(tributary)
    await tributary.sql('update operator_session set authenticated_at = $1 where operator_id = $2', [
      Date.now() - 11 * 60_000,
      id,
    ])
    const acting = { ...headers, 'tributary-app': app.clientId, 'tributary-account': person.account.id }
    const dangerous: [string, string][] = [
      ['DELETE', '/profiles'],
      ['DELETE', `/accounts/${person.account.id}`],
      ['DELETE', `/admin/apps/${app.clientId}`],
      ['POST', `/admin/apps/${app.clientId}/rotate-secret`],
      ['POST', '/admin/operators'],
      ['PUT', '/dashboard/password'],
    ]
    const bodies: Record<string, unknown> = {
      '/admin/operators': { role: 'operator' },
      '/dashboard/password': { password: PASSWORD },
    }
    for (const [method, path] of dangerous)
      assert.equal((await call(method, path, acting, bodies[path])).body['reason'], 'sign_in_again', path)
    assert.equal((await call('GET', '/profiles', acting)).status, 200)
    const confirmed = headersOf((await signIn(name, PASSWORD, headers)).headers)
    assert.equal((await call('DELETE', '/profiles', { ...acting, ...confirmed })).status, 200)
    const [erased] = await auditTrail(tributary.sql, 'account.delete', { account: person.account.id })
    assert.equal(erased?.actor, `operator:${id}`)
  })

  test('of others ends when the password is changed', async () => {
    const { name, headers } = await newOperator(tributary)
    const elsewhere = headersOf((await signIn(name)).headers)
    const changed = await call('PUT', '/dashboard/password', headers, { password: 'quite another password' })
    assert.deepEqual([changed.status, changed.body['ended']], [200, 1])
    assert.deepEqual([(await whoAmI(headers)).status, (await whoAmI(elsewhere)).status], [200, 401])
    assert.equal((await signIn(name)).status, 401)
  })
})

suite('a password that an earlier release hashed with scrypt', () => {
  const hashOf = async (id: string) =>
    (await tributary.sql<{ password: string }>('select password from operator where id = $1', [id]))[0]!.password
  /** As an earlier release stored it, with cheap parameters. */
  const scryptOf = (password: string) => {
    const [salt, peppered] = ['0123456789abcdef', tributary.store.hasher.hash('operator_password', password)]
    const hash = scryptSync(peppered, salt, 32, { N: 1024, r: 8, p: 1 })
    return `scrypt$1024$8$1$${Buffer.from(salt).toString('base64url')}$${hash.toString('base64url')}`
  }
  const oldOperator = async () => {
    const { id, name } = await newOperator(tributary)
    await tributary.sql('update operator set password = $2 where id = $1', [id, scryptOf(PASSWORD)])
    return { id, name }
  }
  /** Whether sign-ins succeed that compared the password before another hash, `meanwhile`, was committed. Those of one address would wait for each other. */
  const signInsDuring = async ({ id, name }: { id: string; name: string }, count: number, meanwhile: string) => {
    const { sql, close } = openSql(tributary.databaseUrl)
    try {
      await sql('begin')
      await sql('update operator set password = $2 where id = $1', [id, meanwhile])
      const { database, hasher } = tributary.store
      const deps = { database, hasher, clock: systemClock, passwordCost: { memory: 64, passes: 1, parallelism: 1 } }
      const given = { name, password: PASSWORD }
      const cookies = Promise.all(
        Array.from({ length: count }, () => signInWithPassword(deps, given, { name: 'test', address: '::1' })),
      )
      const update = ['^update operator set password']
      await until('the sign-ins wait', async () => (await tributary.sql(WAITING_STATEMENTS, update)).length === count)
      await sql('commit')
      return (await cookies).map((cookie) => cookie !== undefined)
    } finally {
      await close()
    }
  }

  test('works, and the right one is hashed anew', async () => {
    const { id, name } = await oldOperator()
    assert.equal((await signIn(name, 'a wrong password')).status, 401)
    assert.match(await hashOf(id), /^scrypt/)
    assert.equal((await signIn(name)).status, 200)
    const renewed = await hashOf(id)
    assert.match(renewed, /^argon2id\$/)
    assert.equal((await signIn(name)).status, 200)
    assert.equal(await hashOf(id), renewed)
    assert.equal((await signIn(name, 'a wrong password')).status, 401)
  })

  test('is hashed anew by one of two sign-ins at once, and both succeed', async () => {
    const operator = await oldOperator()
    assert.deepEqual(await signInsDuring(operator, 2, scryptOf(PASSWORD)), [true, true])
    assert.match(await hashOf(operator.id), /^argon2id\$/)
  })

  test('does not return when the operator changes it during the sign-in, which is refused', async () => {
    const operator = await oldOperator()
    const changed = scryptOf('quite another password')
    assert.deepEqual(await signInsDuring(operator, 1, changed), [false])
    assert.equal(await hashOf(operator.id), changed)
  })
})

suite('S76 guesses', () => {
  test('of a password are limited, and the right one is refused until the minute is over', async () => {
    const { name } = await newOperator(tributary)
    assert.equal((await signIn(name, 'a wrong password')).status, 401)
    // Comparing as many may take longer than the minute they are counted for, so they are counted without it.
    const statusAfter = async (guesses: number, password: string) => {
      const counted = "update attempt set failures = $1 where subject like '%' || $2"
      await tributary.sql(counted, [guesses, guessedOperator(name).slice(0, 64)])
      return (await signIn(name, password)).status
    }
    // A new minute may begin in between.
    await until('the right password is refused', async () => (await statusAfter(10, PASSWORD)) === 429)
    await until('a guess is refused', async () => (await statusAfter(10, 'a wrong password')) === 429)
    assert.equal(await statusAfter(9, PASSWORD), 200)
  })
})

suite('operators', () => {
  test('S74 the last one with all rights can neither be removed nor made a developer', async () => {
    await newOperator(tributary)
    const listed = (await tributary.admin('GET', '/admin/operators')).body as { id: string; role: string }[]
    const operators = listed.filter(({ role }) => role === 'operator')
    for (const { id } of operators.slice(1))
      assert.equal((await tributary.admin('DELETE', `/admin/operators/${id}`)).status, 200)
    const last = `/admin/operators/${operators[0]!.id}`
    const reasons = [await tributary.admin('DELETE', last), await tributary.admin('PATCH', last, { role: 'developer' })]
    for (const { body } of reasons) assert.equal((body as { reason: string }).reason, 'last_operator')
  })

  test('S77 everything they do is in the audit log', async () => {
    const actions = new Set((await auditTrail(tributary.sql, 'operator.%')).map(({ action }) => action))
    for (const action of [
      'invite',
      'accept',
      'sign_in',
      'sign_out',
      'link',
      'revoke_link',
      'update',
      'delete',
      'password',
      'end_session',
      'end_sessions',
    ])
      assert.ok(actions.has(`operator.${action}`), action)
  })
})

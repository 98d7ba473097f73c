import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { z } from 'zod'
import { ROUTES } from '#http/routes.ts'
import { developersOf } from '#http/server/permissions.ts'
import { PROOFS, type Proof } from '../../../scripts/threat-model/proofs.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { FROM_DASHBOARD, newOperator, type SignedIn } from '../../harness/operator.ts'
import { putItems } from '../../harness/own-items.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { type Reply, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let own: App
let other: App
let ownPerson: Person
let otherPerson: Person
let developer: SignedIn

before(async () => {
  tributary = await startTributary()
  ;[own, other] = [await makeApp(tributary), await makeApp(tributary)]
  ownPerson = await newPerson(tributary.store, own.clientId)
  otherPerson = await newPerson(tributary.store, other.clientId)
  await putItems(tributary, otherPerson, [{ id: 'one', type: 'photo' }], 'notes')
  developer = await newOperator(tributary, { role: 'developer', apps: [own.clientId] })
})
after(() => tributary.stop())

const addressOf = (path: string, app: App, person: Person) =>
  path
    .replace('/accounts/:id', `/accounts/${person.account.id}`)
    .replace(':client_id', app.clientId)
    .replaceAll(/:\w+/g, 'none')

function call(
  method: string,
  path: string,
  app: App,
  person: Person,
  acting: 'app' | 'account' | 'none',
): Promise<Reply> {
  const headers = {
    ...developer.headers,
    ...(acting === 'app' ? { 'tributary-app': app.clientId } : {}),
    ...(acting === 'account' ? { 'tributary-account': person.account.id } : {}),
  }
  const json = method === 'GET' || method === 'DELETE' ? {} : { json: {} }
  return send({ tributary }, method, addressOf(path, app, person), { headers, ...json })
}

const allRoutes = ROUTES.map(([method, path, route]) => ({ method, path, route }))
const adminRoutes = allRoutes.filter(({ route }) => route.auth === 'admin')
const acting = allRoutes.flatMap(({ method, path, route: { auth } }) =>
  auth === 'app' || auth === 'account' ? [{ method, path, auth }] : [],
)
// Every secret word of the other app: its id, its account, and what the account stores.
const hidesOther = ({ text }: Reply) =>
  [other.clientId, otherPerson.account.id].every((id) => !text.includes(id)) || text.includes('There is no account')

suite('S71 a developer', () => {
  for (const { method, path, route } of adminRoutes) {
    const who = developersOf(path, route)
    test(`${method} ${path}: ${who === 'none' ? 'is refused' : 'gets nothing of the other app'}`, async () => {
      const reply = await call(method, path, other, otherPerson, 'none')
      if (path.includes(':client_id')) assert.equal(reply.status, 404, reply.text)
      else if (who === 'none') assert.equal(reply.body['reason'], 'role_refused', reply.text)
      else assert.ok([200, 404].includes(reply.status) && hidesOther(reply), reply.text)
      if (!path.includes(':client_id')) return
      const ofOwn = await call(method === 'DELETE' ? 'OPTIONS' : method, path, own, ownPerson, 'none')
      if (who === 'none' && method !== 'DELETE') assert.equal(ofOwn.body['reason'], 'role_refused')
      else assert.notEqual(ofOwn.body['reason'], 'role_refused', ofOwn.text)
    })
  }

  for (const { method, path, auth } of acting)
    test(`${method} ${path}: is refused for the other ${auth}`, async () => {
      const reply = await call(method, path, other, otherPerson, auth)
      assert.equal(reply.body['reason'], auth === 'app' ? 'client_unknown' : 'not_found', reply.text)
      assert.ok(hidesOther(reply), reply.text)
      // With the own app, the ids of the other one do not help.
      if (auth === 'app')
        assert.ok(hidesOther(await call(method, path, { ...other, clientId: own.clientId }, otherPerson, 'app')))
    })

  test('reads own apps, accounts and items', async () => {
    const apps = await send({ tributary }, 'GET', '/admin/apps', { headers: developer.headers })
    assert.deepEqual(
      (apps.body as unknown as { client_id: string }[]).map(({ client_id }) => client_id),
      [own.clientId],
    )
    for (const [path, as] of [
      ['/accounts', 'app'],
      ['/types/photos', 'account'],
      [`/admin/apps/${own.clientId}`, 'none'],
    ] as const)
      assert.equal((await call('GET', path, own, ownPerson, as)).status, 200, path)
  })

  test('is refused what has no app: metrics of the installation', async () => {
    const headers = { ...developer.headers, 'x-forwarded-for': '203.0.113.9' }
    const { status } = await send({ tributary }, 'GET', '/metrics', { headers })
    assert.notEqual(status, 200)
  })
})

suite('S68 the addresses of a service', () => {
  const overrides = { authorize_url: 'https://evil.test/authorize', token_url: 'https://evil.test/token' }
  const set = (headers: Record<string, string>, json: Record<string, unknown>) =>
    send({ tributary }, 'PUT', `/admin/apps/${own.clientId}/keys/github`, { headers, json })
  const keys = { key: 'k', secret: 's' }

  test('are refused of a developer, who reads why and whom to ask; nothing is stored', async () => {
    for (const given of [overrides, { base_url: 'https://evil.test' }, {}]) {
      const reply = await set(developer.headers, { ...keys, overrides: given })
      assert.deepEqual([reply.status, reply.body['reason'], reply.body['param']], [403, 'role_refused', 'overrides'])
      assert.match(String(reply.body['error']), /codes of people and the secrets.*ask an operator/)
    }
    const stored = await send({ tributary }, 'GET', `/admin/apps/${own.clientId}/keys`, { headers: developer.headers })
    assert.equal(stored.text, '[]')
  })

  test('are set by an operator and with the admin token, and stay when a developer replaces key and secret', async () => {
    const operator = await newOperator(tributary)
    const admin = { authorization: `Bearer ${tributary.adminToken}` }
    for (const [index, headers] of [operator.headers, admin].entries()) {
      const given = { base_url: `https://github${index}.test` }
      const made = await set(headers, { ...keys, overrides: given })
      assert.deepEqual([made.status, made.body['overrides']], [200, given], made.text)
      const replaced = await set(developer.headers, { key: `own ${index}`, secret: 'other' })
      assert.deepEqual(
        [replaced.status, replaced.body['key'], replaced.body['overrides']],
        [200, `own ${index}`, given],
        replaced.text,
      )
    }
    const removed = await set(admin, keys)
    assert.deepEqual(removed.body['overrides'], {})
  })
})

suite('a stranger', () => {
  // A word that no ticket, code, id or secret equals, for every field that a route requires.
  const made = (name: string) => (name === 'grant_type' ? 'authorization_code' : 'made-up')
  const filled = (schema: unknown) =>
    schema instanceof z.ZodObject ? Object.fromEntries(Object.keys(schema.shape).map((name) => [name, made(name)])) : {}
  const isPublic = ({ proof }: Proof) => proof.startsWith('nothing')
  // A redirect to a page of ours is as good as that page.
  const refusedBy = async ({ status, headers }: Reply) => {
    const next = headers.get('location') ?? ''
    if (status < 300 || !next.startsWith('/')) return status
    return status < 400 ? (await send({ tributary }, 'GET', next)).status : status
  }

  for (const proof of PROOFS)
    for (const name of proof.routes) {
      const [method, path, route] = ROUTES.find(([, , , operationId]) => operationId === name)!
      test(`${method} ${path}: ${isPublic(proof) ? 'is answered' : 'is refused'}`, async () => {
        const from = { ...FROM_DASHBOARD, 'x-forwarded-for': '203.0.113.9' }
        for (const given of [{}, { query: filled(route.query), json: filled(route.body) }]) {
          const { json = {}, query = {} } = given as { json?: object; query?: Record<string, string> }
          const body = method === 'GET' || method === 'DELETE' ? {} : { json }
          const reply = await send({ tributary }, method, path.replaceAll(/:\w+/g, 'none'), {
            headers: from,
            query,
            ...body,
          })
          // The client is built with the pages, which these tests do not need.
          const isBuilding = reply.status === 503 && reply.text.includes('The client is being built')
          assert.ok(reply.status < 500 || isBuilding, reply.text)
          if (isPublic(proof)) assert.ok(![401, 403].includes(reply.status), reply.text)
          // RFC 7009: an unknown token counts as revoked.
          else if (name !== 'revokeAgentToken')
            assert.ok((await refusedBy(reply)) >= 400, `${reply.status} ${reply.text}`)
        }
      })
    }
})

test('every route that is open by its `auth` says what it requires', () => {
  const open = allRoutes.filter(({ route: { auth } }) => ['none', 'browser', 'dashboard'].includes(auth))
  assert.equal(PROOFS.flatMap(({ routes }) => routes).length, open.length)
})

test('the list of routes has all three kinds', () => {
  assert.ok(adminRoutes.length > 20)
  for (const auth of ['app', 'account'] as const) assert.ok(acting.filter((each) => each.auth === auth).length > 10)
})

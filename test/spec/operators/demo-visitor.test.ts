import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { removeVisitor } from '#flows/operators/demo-visitor.ts'
import { firstLink } from '#flows/operators/links.ts'
import { freePort } from '../../harness/free-port.ts'
import { FROM_DASHBOARD, headersOf, newOperator, PASSWORD, secretIn } from '../../harness/operator.ts'
import { send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { exchange } from '../operating/raw-http.ts'
import { assertRefused } from '../sign-in/fixture.ts'

const PATH = '/dashboard/session/demo'
const visit = (tributary: Tributary, headers: Record<string, string> = {}) =>
  send({ tributary }, 'POST', PATH, { headers: { ...FROM_DASHBOARD, ...headers } })
const reasonOf = async (tributary: Tributary, headers?: Record<string, string>) =>
  (await visit(tributary, headers)).body['reason']
const link = ({ store, url }: Tributary) => firstLink({ ...store, config: { baseUrl: url } })

suite('the visitor of a demo in its dashboard', () => {
  let tributary: Tributary
  before(async () => {
    tributary = await startTributary({}, {}, { demo: true })
  })
  after(() => tributary.stop())

  test('is signed in as its operator, also again, and confirms dangerous actions by it', async () => {
    const first = await visit(tributary)
    assert.equal(first.status, 200, first.text)
    assert.deepEqual(first.body['operator'], { id: 'op_demo', name: 'demo', role: 'operator', apps: [] })
    const headers = headersOf(first.headers)
    assert.equal((await send({ tributary }, 'GET', '/admin/apps', { headers })).status, 200)
    const again = await visit(tributary, headers)
    assert.equal(again.status, 200)
    assertRefused(await send({ tributary }, 'GET', '/admin/apps', { headers }), 401, 'signed_out')
    assert.ok((await link(tributary)) !== undefined, 'the link of the first start still works')
  })

  test('is nobody through a proxy, under another name, or from another page', async () => {
    for (const [name, value] of [
      ['x-forwarded-for', '127.0.0.1'],
      ['forwarded', 'for=127.0.0.1'],
      ['via', '1.1 proxy'],
      ['x-real-ip', '127.0.0.1'],
    ] as const)
      assert.equal(await reasonOf(tributary, { [name]: value }), 'demo_exposed', name)
    for (const origin of ['https://other.example', 'null'])
      assert.equal(await reasonOf(tributary, { origin }), 'origin_refused', origin)
    assertRefused(await send({ tributary }, 'POST', PATH), 403, 'origin_refused')
    const { port } = new URL(tributary.url)
    const rebound = await exchange(
      tributary.url,
      `POST ${PATH} HTTP/1.1\r\nHost: rebound.example:${port}\r\nTributary-Dashboard: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    )
    assert.equal(rebound.status, 403)
    assert.match(rebound.body, /demo_exposed/)
  })

  test('is nobody where others can reach the demo, where it has a public address, and without a demo', async () => {
    const servers: [env: Record<string, string>, demo: boolean, reason: string][] = [
      [{ HOST: '0.0.0.0' }, true, 'demo_exposed'],
      [{ BASE_URL: 'https://demo.example.com' }, true, 'demo_exposed'],
      [{}, false, 'not_found'],
    ]
    for (const [env, demo, reason] of servers) {
      const port = String(await freePort())
      const other = await startTributary({ PORT: port, ...env }, {}, { demo })
      try {
        assert.equal(await reasonOf({ ...other, url: `http://127.0.0.1:${port}` }), reason, JSON.stringify(env))
      } finally {
        await other.stop()
      }
    }
  })

  test('ends when somebody operates by the link of the first start, and stays out', async () => {
    const headers = headersOf((await visit(tributary)).headers)
    const json = { token: secretIn((await link(tributary))!.url), name: 'Grace', password: PASSWORD }
    const accepted = await send({ tributary }, 'POST', '/dashboard/link/accept', { json, headers: FROM_DASHBOARD })
    assert.equal(accepted.status, 200, accepted.text)
    assertRefused(await send({ tributary }, 'GET', '/admin/apps', { headers }), 401, 'signed_out')
    assertRefused(await visit(tributary), 401, 'signed_out')
    assert.equal(await link(tributary), undefined)
    const own = await visit(tributary, headersOf(accepted.headers))
    assert.equal((own.body['operator'] as { name: string }).name, 'Grace', 'who is signed in stays it')
  })

  test('who set a password is an operator like any other', async () => {
    const other = await startTributary({}, {}, { demo: true })
    try {
      const headers = headersOf((await visit(other)).headers)
      const set = await send({ tributary: other }, 'PUT', '/dashboard/password', {
        headers,
        json: { password: PASSWORD },
      })
      assert.equal(set.status, 200, set.text)
      assertRefused(await visit(other), 401, 'signed_out')
      await removeVisitor(other.store.database)
      assert.equal((await send({ tributary: other }, 'GET', '/admin/apps', { headers })).status, 200)
      await newOperator(other)
    } finally {
      await other.stop()
    }
  })

  test('without a password is gone when the server starts as no demo', async () => {
    const other = await startTributary({}, {}, { demo: true })
    try {
      const headers = headersOf((await visit(other)).headers)
      const later = await startTributary({ DATABASE_URL: other.databaseUrl, TRIBUTARY_DATA: other.dataDir })
      await later.stop()
      assertRefused(await send({ tributary: other }, 'GET', '/admin/apps', { headers }), 401, 'signed_out')
    } finally {
      await other.stop()
    }
  })
})

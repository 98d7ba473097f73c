import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { authenticateApp } from '#flows/apps/authenticate-app.ts'
import { ROUTES } from '#http/routes.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

interface AppBody {
  client_id: string
  client_secret: string
  name: string
  redirect_uris: string[]
  token_flow: boolean
  created_at: number
  secrets: { id: string; created_at: number; expires_at?: number }[]
  previous_ends_at: number
  deleted: string
  error: string
  reason: string
}

let tributary: Tributary
before(async () => {
  tributary = await startTributary()
})
after(() => tributary.stop())

const call = async (method: string, path: string, body?: unknown) =>
  (await tributary.admin(method, path, body)) as { status: number; body: AppBody }
const create = async (more: object = {}) =>
  (await call('POST', '/admin/apps', { name: 'App', redirect_uris: ['https://app.test/cb'], ...more })).body

/** The response must have exactly the documented fields. */
function assertPromised(method: string, path: string, body: unknown): void {
  const [, , route] = ROUTES.find(([m, p]) => m === method && p === path)!
  const checked = route.response!.safeParse(body)
  assert.ok(checked.success, `${method} ${path}: ${checked.error?.message}`)
  assert.deepEqual(checked.data, body)
}

suite('apps in the admin API', () => {
  test('are created, shown, changed, listed and deleted, each response as documented', async () => {
    const made = await call('POST', '/admin/apps', {
      name: ' My App ',
      redirect_uris: ['https://a.test/', 'https://a.test/', 'com.app:/cb'],
    })
    assert.equal(made.status, 201)
    assertPromised('POST', '/admin/apps', made.body)
    assert.match(made.body.client_id, /^app_[0-9a-z]{26}$/)
    assert.match(made.body.client_secret, /^trs_[0-9a-z]{52}$/)
    assert.equal(made.body.name, 'My App')
    assert.deepEqual(made.body.redirect_uris, ['https://a.test/', 'com.app:/cb'])
    assert.equal(made.body.token_flow, true)
    const where = `/admin/apps/${made.body.client_id}`

    const shown = await call('GET', where)
    assertPromised('GET', '/admin/apps/:client_id', shown.body)
    assert.equal(shown.body.secrets.length, 1)
    assert.ok(!JSON.stringify(shown.body).includes(made.body.client_secret))

    const changed = await call('PATCH', where, { name: 'New', token_flow: false })
    assertPromised('PATCH', '/admin/apps/:client_id', changed.body)
    assert.deepEqual([changed.body.name, changed.body.token_flow, changed.body.redirect_uris.length], ['New', false, 2])
    assert.deepEqual((await call('PATCH', where, {})).body, changed.body)

    const listed = await call('GET', '/admin/apps')
    assertPromised('GET', '/admin/apps', listed.body)
    assert.deepEqual(
      (listed.body as unknown as AppBody[]).find(({ client_id }) => client_id === made.body.client_id),
      changed.body,
    )

    const deleted = await call('DELETE', where)
    assertPromised('DELETE', '/admin/apps/:client_id', deleted.body)
    for (const [method, path, body] of [
      ['GET', where],
      ['PATCH', where, {}],
      ['DELETE', where],
      ['POST', `${where}/rotate-secret`, {}],
    ] as const) {
      const response = await call(method, path, body)
      assert.deepEqual([response.status, response.body.reason], [404, 'not_found'], `${method} ${path}`)
    }
  })

  test('keep both secrets valid during a rotation, until the old one expires', async () => {
    const app = await create()
    const proves = (secret: string, at = Date.now()) =>
      authenticateApp({ ...tributary.store, clock: { now: () => at } }, app.client_id, secret, '10.9.9.9').then(
        () => true,
        () => false,
      )
    assert.equal(await proves(app.client_secret), true)
    const rotated = await call('POST', `/admin/apps/${app.client_id}/rotate-secret`, { overlap_seconds: 600 })
    assertPromised('POST', '/admin/apps/:client_id/rotate-secret', rotated.body)
    assert.notEqual(rotated.body.client_secret, app.client_secret)
    const later = rotated.body.previous_ends_at
    assert.deepEqual(await Promise.all([proves(app.client_secret), proves(rotated.body.client_secret)]), [true, true])
    assert.deepEqual(await Promise.all([proves(app.client_secret, later - 1), proves(app.client_secret, later)]), [
      true,
      false,
    ])
    assert.equal(await proves(rotated.body.client_secret, later + 1e12), true)
    assert.deepEqual(
      (await call('GET', `/admin/apps/${app.client_id}`)).body.secrets.map(({ expires_at }) => expires_at),
      [undefined, later],
    )
  })

  test('lose the old secret at once with an overlap of 0, and after a day by default', async () => {
    const app = await create()
    const before = Date.now()
    const day = await call('POST', `/admin/apps/${app.client_id}/rotate-secret`)
    assert.equal(day.status, 200)
    assert.ok(day.body.previous_ends_at >= before + 86_400_000)
    const now = await call('POST', `/admin/apps/${app.client_id}/rotate-secret`, { overlap_seconds: 0 })
    for (const secret of [app.client_secret, day.body.client_secret])
      await assert.rejects(authenticateApp(tributary.store, app.client_id, secret, '10.9.9.8'))
    assert.equal(
      (await authenticateApp(tributary.store, app.client_id, now.body.client_secret, '10.9.9.8')).id,
      app.client_id,
    )
  })

  const address = 'https://app.test/'
  for (const [field, bodies] of Object.entries({
    name: [
      { redirect_uris: [address] },
      { name: '', redirect_uris: [address] },
      { name: ' ', redirect_uris: [address] },
      { name: 'x'.repeat(101), redirect_uris: [address] },
      { name: 'a\u0000b', redirect_uris: [address] },
      { name: 'a\u202eb', redirect_uris: [address] },
      { name: 5, redirect_uris: [address] },
      { name: ['a'], redirect_uris: [address] },
      { name: null, redirect_uris: [address] },
    ],
    redirect_uri: [
      { name: 'a' },
      { name: 'a', redirect_uris: address },
      { name: 'a', redirect_uris: [] },
      { name: 'a', redirect_uris: [5] },
      { name: 'a', redirect_uris: ['http://app.test/'] },
      { name: 'a', redirect_uris: [`${address}\u0000`] },
      { name: 'a', redirect_uris: Array.from({ length: 51 }, (_, i) => `${address}${i}`) },
    ],
    token_flow: [
      { name: 'a', redirect_uris: [address], token_flow: 'yes' },
      { name: 'a', redirect_uris: [address], token_flow: 1 },
    ],
    'the body': [[], 'text', 5, null],
  })) {
    test(`a wrong ${field} is refused, and the error names it`, async () => {
      const before = ((await call('GET', '/admin/apps')).body as unknown as AppBody[]).length
      for (const body of bodies) {
        const response = await call('POST', '/admin/apps', body)
        assert.equal(response.status, 400, JSON.stringify(body))
        assert.match(response.body.reason, /^bad_(body|parameter)$/)
        if (body !== null) assert.ok(response.body.error.startsWith(field), response.body.error)
      }
      assert.equal(((await call('GET', '/admin/apps')).body as unknown as AppBody[]).length, before)
    })
  }

  test('refuse an invalid overlap', async () => {
    const app = await create()
    for (const overlap_seconds of [-1, 1.5, '60', 31 * 86_400, null, [1]]) {
      const response = await call('POST', `/admin/apps/${app.client_id}/rotate-secret`, { overlap_seconds })
      assert.equal(response.status, 400)
      assert.match(response.body.error, /^overlap_seconds/)
    }
    assert.equal((await call('GET', `/admin/apps/${app.client_id}`)).body.secrets.length, 1)
  })

  test('a client id with characters that PostgreSQL cannot store returns 404', async () => {
    for (const id of ['%00', 'a%00b', '%ff', 'x'.repeat(1500), '%F0%9F%98%80', "'; drop table app; --", '%2e%2e']) {
      const response = await call('GET', `/admin/apps/${id}`)
      assert.ok([400, 404].includes(response.status), `${id}: ${response.status}`)
    }
  })

  test('concurrent changes end as one of them', async () => {
    const app = await create()
    const names = Array.from({ length: 10 }, (_, i) => `n${i}`)
    const responses = await Promise.all(names.map((name) => call('PATCH', `/admin/apps/${app.client_id}`, { name })))
    assert.deepEqual(
      responses.map(({ status }) => status),
      names.map(() => 200),
    )
    assert.ok(names.includes((await call('GET', `/admin/apps/${app.client_id}`)).body.name))
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { checkOverrides } from '#flows/operations/check-overrides.ts'
import { ROUTES } from '#http/routes.ts'
import { OVERRIDES } from '#model/apps/app.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { callbackOf } from '../../harness/callback.ts'
import { tributary as command } from '../../harness/command-line.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

interface KeyBody {
  service: string
  key: string
  scope?: string
  overrides: Record<string, string>
  callback: string
  updated_at: number
  error: string
  reason: string
}

let tributary: Tributary
let where: string
let id: string
before(async () => {
  tributary = await startTributary()
  const { body } = await tributary.admin('POST', '/admin/apps', { name: 'App', redirect_uris: ['https://app.test/'] })
  id = (body as { client_id: string }).client_id
  where = `/admin/apps/${id}/keys`
})
after(() => tributary.stop())

const call = async (method: string, path: string, body?: unknown) =>
  (await tributary.admin(method, path, body)) as { status: number; body: KeyBody }
const list = async () => (await call('GET', where)).body as unknown as KeyBody[]

function assertPromised(method: string, path: string, body: unknown): void {
  const [, , route] = ROUTES.find(([m, p]) => m === method && p === path)!
  assert.deepEqual(route.response!.parse(body), body)
}

suite('service keys in the admin API', () => {
  test('have settings where the service declares them, sealed and never shown', async () => {
    const fields = { key: 'k', secret: 's' }
    const set = await call('PUT', `${where}/facebook`, { ...fields, settings: { config_id: '1234-sealed' } })
    assert.equal(set.status, 200)
    assert.doesNotMatch(JSON.stringify([set.body, await list()]), /1234-sealed/)
    const stored = await tributary.sql<{ secret: Buffer }>('select secret from service_key where app_id = $1', [id])
    for (const { secret } of stored) assert.ok(!Buffer.from(secret).toString('latin1').includes('1234-sealed'))
    const refused = async (service: string, settings: Record<string, string>) => {
      const { status, body } = await call('PUT', `${where}/${service}`, { ...fields, settings })
      return [status, (body as unknown as { param?: string }).param]
    }
    assert.deepEqual(await refused('facebook', { config: 'x' }), [400, 'settings.config'])
    assert.deepEqual(await refused('github', { config_id: 'x' }), [400, 'settings.config_id'])
    for (const value of ['', 'a\r\nb', 'x'.repeat(4001)])
      assert.deepEqual(await refused('facebook', { config_id: value }), [400, 'settings.config_id'])
    const services = (await (await fetch(`${tributary.url}/services`)).json()) as Record<string, { settings: object[] }>
    assert.deepEqual(services['facebook']?.settings, [
      { name: 'config_id', title: 'Configuration ID (Facebook Login for Business)', required: false, secret: false },
    ])
    assert.deepEqual(services['github']?.settings, [])
    await call('DELETE', `${where}/facebook`)
  })

  test('are set, listed, replaced and deleted, each response as documented and without the secret', async () => {
    const overrides = { api_url: 'https://api.test' }
    const set = await call('PUT', `${where}/github`, { key: 'k1', secret: 's3cret-1', scope: 'user', overrides })
    assert.equal(set.status, 200)
    assertPromised('PUT', '/admin/apps/:client_id/keys/:service', set.body)
    const { detail } = await checkOverrides(tributary.store.database)
    assert.match(detail, new RegExp(`${id} github: api\\.test`), 'doctor names the hosts')
    assert.deepEqual(
      { ...set.body, updated_at: 0 },
      {
        service: 'github',
        key: 'k1',
        scope: 'user',
        overrides,
        callback: callbackOf(tributary, { clientId: id }, 'github', overrides),
        updated_at: 0,
      },
    )
    assertPromised('GET', '/admin/apps/:client_id/keys', await list())
    assert.deepEqual(await list(), [set.body])

    const replaced = await call('PUT', `${where}/github`, { key: 'k2', secret: '' })
    assert.deepEqual([replaced.body.key, replaced.body.scope, replaced.body.overrides], ['k2', undefined, {}])
    assert.equal(replaced.body.callback, `${tributary.url}/auth/github/callback`)
    assert.deepEqual(await list(), [replaced.body])
    assert.doesNotMatch(JSON.stringify(await list()), /s3cret/)

    const deleted = await call('DELETE', `${where}/github`)
    assertPromised('DELETE', '/admin/apps/:client_id/keys/:service', deleted.body)
    assert.deepEqual(await list(), [])
    assert.equal((await call('DELETE', `${where}/github`)).status, 404)
  })

  test('store the secret unchanged', async () => {
    for (const secret of ['a', ' spaces ', '日本 😀', '"\\\n\t', 'x'.repeat(10_000)]) {
      assert.equal((await call('PUT', `${where}/exact`, { key: 'k', secret })).status, 200)
      const found = await findServiceKey(tributary.store.database, tributary.store.keyring, id, 'exact')
      assert.equal(found?.secret, secret)
    }
  })

  test('accept every address that may be overridden, and no other', async () => {
    const overrides = Object.fromEntries(OVERRIDES.map((name) => [name, `https://${name.replaceAll('_', '-')}.test/x`]))
    assert.deepEqual(
      (await call('PUT', `${where}/self-hosted`, { key: 'k', secret: 's', overrides })).body.overrides,
      overrides,
    )
    for (const [name, value] of [
      ['api', 'https://a.test'],
      ['api_url', 'ftp://a.test'],
      ['api_url', 'a.test'],
      ['api_url', 'javascript:x'],
      ['constructor', 'https://a.test'],
    ] as const) {
      const response = await call('PUT', `${where}/self-hosted`, {
        key: 'k',
        secret: 's',
        overrides: { [name]: value },
      })
      assert.equal(response.status, 400, `${name}=${value}`)
      assert.ok(response.body.error.startsWith(`overrides.${name}: `), response.body.error)
    }
  })

  for (const address of [
    'https://ada@a.test',
    'https://ada:c4nary@a.test/x',
    'https://:c4nary@a.test',
    'https://@a.test',
  ])
    test(`the address ${address} is refused because of its user name, by the API and the command`, async () => {
      for (const name of OVERRIDES) {
        const overrides = { [name]: address }
        const { status, body } = await call('PUT', `${where}/self-hosted`, { key: 'k', secret: 's', overrides })
        assert.deepEqual([status, body.error], [400, `overrides.${name}: must not contain a user name or a password.`])
      }
      const set = ['keys', 'set', id, 'self-hosted', '--key', 'k', '--secret', 's', '--set', `api_url=${address}`]
      const env = { DATABASE_URL: tributary.databaseUrl, TRIBUTARY_DATA: tributary.dataDir }
      const { code, stderr } = await command(set, env)
      assert.notEqual(code, 0)
      assert.match(stderr, /overrides\.api_url: must not contain a user name or a password\./)
      assert.doesNotMatch(stderr, /c4nary/)
    })

  for (const [field, bodies] of Object.entries({
    key: [{ secret: 's' }, { key: '', secret: 's' }, { key: 5, secret: 's' }, { key: 'x'.repeat(2001), secret: 's' }],
    secret: [{ key: 'k' }, { key: 'k', secret: null }, { key: 'k', secret: 'x'.repeat(10_001) }],
    scope: [{ key: 'k', secret: 's', scope: ['a'] }],
    overrides: [
      { key: 'k', secret: 's', overrides: 'x' },
      { key: 'k', secret: 's', overrides: { api_url: 5 } },
    ],
  })) {
    test(`a wrong ${field} is refused, and the error names it`, async () => {
      for (const body of bodies) {
        const response = await call('PUT', `${where}/wrong`, body)
        assert.equal(response.status, 400, JSON.stringify(body).slice(0, 80))
        assert.ok(response.body.error.startsWith(field), response.body.error)
        assert.doesNotMatch(response.body.error, /xxx/)
      }
      assert.equal(
        (await list()).some(({ service }) => service === 'wrong'),
        false,
      )
    })
  }

  test('with a character that PostgreSQL cannot store are refused, never a 5xx', async () => {
    for (const body of [
      { key: 'a\u0000b', secret: 's' },
      { key: 'k', secret: 's', scope: '\u0000' },
      { key: 'k\ud800', secret: '\ud800' },
    ]) {
      const response = await call('PUT', `${where}/nul`, body)
      assert.ok([200, 400].includes(response.status), JSON.stringify(response))
    }
  })

  test('of an invalid service name are refused', async () => {
    for (const service of ['GitHub', '1x', 'a_b', 'a%20b', '-a', 'x'.repeat(51), '%00', '__proto__', 'a.b', 'é'])
      assert.equal((await call('PUT', `${where}/${service}`, { key: 'k', secret: 's' })).status, 400, service)
  })

  test('of an unknown app return 404', async () => {
    const unknownApp = '/admin/apps/app_none/keys'
    for (const [method, path, body] of [
      ['GET', unknownApp],
      ['PUT', `${unknownApp}/github`, { key: 'k', secret: 's' }],
      ['DELETE', `${unknownApp}/github`],
    ] as const)
      assert.equal((await call(method, path, body)).status, 404, method)
  })
})

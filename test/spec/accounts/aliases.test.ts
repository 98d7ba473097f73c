import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { tributary as runCommand } from '../../harness/command-line.ts'
import { holdStatements } from '../../harness/database/statements.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { newProfile } from '../../harness/profile.ts'
import { type Reply, type RequestOptions, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

// X was named Twitter; apps of that time use the old name.
const NAMES = ['x', 'twitter'] as const
type Name = (typeof NAMES)[number]

let tributary: Tributary
let app: App
let person: Person
let release: () => void
before(async () => {
  tributary = await startTributary()
  // No sync begins: between two requests it would find that the profile has no credential.
  release = holdStatements(tributary.store.database, ({ name }) => name.startsWith('sync-due'))
  app = await makeApp(tributary, { redirectUris: ['https://app.test/'] })
  await tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/x`, { key: 'key', secret: 'secret' })
  person = await newPerson(tributary.store, app.clientId)
  await newProfile(tributary.store.database, person.account, { service: 'x', nativeId: '7' })
  await tributary.sql(
    `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq)
     select shard, id, app_id, service, null, 0 from profile`,
  )
})
after(() => {
  release()
  return tributary.stop()
})

const ask = (method: string, path: string, options: RequestOptions = {}) =>
  send({ tributary }, method, path, { token: person.token, ...options })
const asApp = (method: string, path: string, json?: unknown) =>
  send({ tributary }, method, path, { headers: basic(app), ...(json === undefined ? {} : { json }) })
const admin = async (method: string, path: string, body?: unknown) => {
  const response = await tributary.admin(method, `/admin/apps/${app.clientId}${path}`, body)
  return { status: response.status, body: response.body as Record<string, unknown> }
}
const withoutTimes = (value: unknown) =>
  JSON.stringify(value, (name, each: unknown) => (/_at$|^id$|^request_id$/.test(name) ? undefined : each))
const shown = ({ status, body }: Pick<Reply, 'status' | 'body'>) => `${status} ${withoutTimes(body)}`

/** A request by a name of the service; what it returns must not depend on the name. */
const PATHS: Record<string, (name: Name) => Promise<string>> = {
  'GET /profiles/:service': async (name) => shown(await ask('GET', `/profiles/${name}`)),
  'GET /profiles/id@service': async (name) => shown(await ask('GET', `/profiles/7@${name}`)),
  'GET /profiles/:service/sync': async (name) => shown(await ask('GET', `/profiles/${name}/sync`)),
  'POST /profiles/:service/pause': async (name) => shown(await ask('POST', `/profiles/${name}/pause`)),
  'POST /profiles/:service/resume': async (name) => shown(await ask('POST', `/profiles/${name}/resume`)),
  'POST /profiles/:service/reconnect': async (name) =>
    String((await ask('POST', `/profiles/7@${name}/reconnect`)).status),
  'GET /services/:service': async (name) => shown(await ask('GET', `/services/${name}`)),
  'GET /services/:service/:endpoint': async (name) => shown(await ask('GET', `/services/${name}/tweets`)),
  'GET /services/:service/self': async (name) => shown(await ask('GET', `/services/7@${name}/self`)),
  'GET /id/:idr': async (name) => shown(await ask('GET', `/id/${encodeURIComponent(`profile:7@${name}/self#7`)}`)),
  'GET /types/:type?services=': async (name) => shown(await ask('GET', `/types/all?services=${name},7@${name}`)),
  'GET /usage?profile=': async (name) =>
    shown(await asApp('GET', `/usage?account=${person.account.id}&profile=${name}`)),
  'GET /accounts?service=': async (name) => shown(await asApp('GET', `/accounts?service=${name}`)),
  'the proxy': async (name) => String((await ask('GET', `/proxy/${name}/2/users/me`)).body['reason']),
  'the filter of a destination': async (name) => {
    const filter = [`/services/${name}/tweets`, `/types/all?services=7@${name}`]
    const url = 'https://app.test/hook'
    const made = await asApp('POST', '/push', { name: 'P', kind: 'webhook', url, filter, schedule: 'manual' })
    await asApp('DELETE', `/push/${String(made.body['id'])}`)
    return String(made.status)
  },
  'GET /oauth/authenticate': async (name) => {
    const query = { client_id: app.clientId, redirect_uri: 'https://app.test/', service: name }
    const { status, headers } = await send({ tributary }, 'GET', '/oauth/authenticate', { query })
    const location = new URL(headers.get('location') ?? '')
    return `${status} ${location.origin} ${String(location.searchParams.get('redirect_uri'))}`
  },
  'POST /auth/:service/apply': async (name) =>
    String((await asApp('POST', `/auth/${name}/apply`, { token: '' })).body['error']),
  'the keys of an app': async (name) => {
    const set = await admin('PUT', `/keys/${name}`, { key: 'key', secret: 'secret' })
    const listed = await admin('GET', '/keys')
    const deleted = await admin('DELETE', `/keys/${name}`)
    const none = await admin('GET', '/keys')
    await admin('PUT', '/keys/x', { key: 'key', secret: 'secret' })
    return withoutTimes([set.status, set.body['service'], listed.body, deleted.status, none.body])
  },
}

suite('an alias of a service works wherever its name does', () => {
  for (const [path, request] of Object.entries(PATHS))
    test(path, async () => {
      const [byName, byAlias] = [await request('x'), await request('twitter')]
      assert.equal(byAlias, byName)
      assert.doesNotMatch(byAlias, /no_profile|service_unknown|not a known service|undefined/)
    })

  test('DELETE /profiles/:service', async () => {
    for (const name of NAMES) {
      const own = await newPerson(tributary.store, app.clientId)
      await newProfile(tributary.store.database, own.account, { service: 'x', nativeId: '8' })
      const { body } = await ask('DELETE', `/profiles/${name}`, { token: own.token })
      assert.equal((body['deleted'] as { profile: string }[])[0]?.profile, '8@x', name)
    }
  })

  test('commands', async () => {
    const env = { DATABASE_URL: tributary.databaseUrl, TRIBUTARY_DATA: tributary.dataDir }
    const { id } = person.account
    for (const args of [
      ['sync', id, 'twitter', '--status'],
      ['profiles', 'reconnect', id, '7@twitter'],
      ['keys', 'set', app.clientId, 'twitter', '--key', 'key', '--secret', 'secret'],
    ]) {
      const { code, stdout, stderr } = await runCommand([...args, '--json'], env)
      assert.equal(code, 0, stderr)
      if (args[0] === 'keys') assert.equal((JSON.parse(stdout) as { service: string }).service, 'x')
    }
  })

  test('keys that an older release stored under the alias can be deleted by it', async () => {
    const other = await makeApp(tributary)
    await tributary.sql(
      `insert into service_key (app_id, service, key, secret, overrides, updated_at) values ($1, 'twitter', 'k', '', '{}', 1)`,
      [other.clientId],
    )
    const { status } = await tributary.admin('DELETE', `/admin/apps/${other.clientId}/keys/twitter`)
    assert.equal(status, 200)
    assert.deepEqual(await tributary.sql('select 1 from service_key where app_id = $1', [other.clientId]), [])
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type App, makeApp } from '../../harness/app.ts'
import { auditTrail } from '../../harness/audit.ts'
import { putItems } from '../../harness/own-items.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { type RequestOptions, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let app: App
let ada: Person
before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary)
  ada = await newPerson(tributary.store, app.clientId)
  await putItems(tributary, ada, [{ id: 'one', type: 'photo' }], 'notes')
})
after(() => tributary.stop())

type Headers = Record<string, string>
const asAdmin = (headers: Headers) => ({ headers: { authorization: `Bearer ${tributary.adminToken}`, ...headers } })
const forApp = (id = app.clientId) => asAdmin({ 'tributary-app': id })
const forAccount = (id = ada.account.id) => asAdmin({ 'tributary-account': id })
const call = (method: string, path: string, options: RequestOptions = {}) => send({ tributary }, method, path, options)
const basic = () => ({
  headers: { authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}` },
})

suite('an operator who names an app', () => {
  test('gets what the app gets', async () => {
    for (const path of ['/accounts', '/push', '/spending']) {
      const [own, acted] = [await call('GET', path, basic()), await call('GET', path, forApp())]
      assert.equal(own.status, 200)
      assert.deepEqual(acted.body, own.body, path)
    }
  })

  test('is refused an app that does not exist, and with a wrong token', async () => {
    assert.equal((await call('GET', '/accounts', forApp('none'))).body['reason'], 'client_unknown')
    const wrong = { headers: { ...forApp().headers, authorization: 'Bearer tra_wrong' } }
    assert.equal((await call('GET', '/accounts', wrong)).body['reason'], 'admin_token_invalid')
    const none = { headers: { 'tributary-app': app.clientId } }
    assert.equal((await call('GET', '/accounts', none)).body['reason'], 'admin_token_invalid')
    const ownSecret = { headers: { ...basic().headers, 'tributary-app': app.clientId } }
    assert.equal((await call('GET', '/accounts', ownSecret)).body['reason'], 'admin_token_invalid')
  })

  test('S77 is the actor in the audit log, and has keys of its own for repeated requests', async () => {
    const headers = { 'idempotency-key': '"one-key"' }
    const json = { name: 'hook', kind: 'webhook', url: 'https://hook.example/' }
    const first = await call('POST', '/push', { json, headers: { ...forApp().headers, ...headers } })
    assert.equal(first.status, 201, first.text)
    const again = await call('POST', '/push', { json, headers: { ...forApp().headers, ...headers } })
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const byApp = await call('POST', '/push', {
      json: { ...json, name: 'other' },
      headers: { ...basic().headers, ...headers },
    })
    assert.equal(byApp.headers.get('idempotency-replayed'), null)
    const actors = (await auditTrail(tributary.sql, 'push.add', { app: app.clientId })).map(({ actor }) => actor)
    assert.deepEqual(actors, ['admin', `app:${app.clientId}`])
  })
})

suite('an operator who names an account', () => {
  test('reads what the person reads, also by routes that cache accounts', async () => {
    for (const path of ['/profiles', '/types/photos', '/services/self/notes', '/sync', '/changes', '/export'])
      for (let n = 0; n < 2; n += 1) {
        const own = await call('GET', path, { token: ada.token })
        const acted = await call('GET', path, forAccount())
        assert.equal(acted.status, 200, acted.text)
        assert.equal(acted.text, own.text, path)
      }
  })

  test('is refused an account that does not exist, and with a wrong token', async () => {
    assert.equal((await call('GET', '/profiles', forAccount('none'))).status, 404)
    const asPerson = { headers: { authorization: `Bearer ${ada.token}`, 'tributary-account': ada.account.id } }
    assert.equal((await call('GET', '/types/photos', asPerson)).body['reason'], 'admin_token_invalid')
  })

  test('is not cached: an account that is erased is gone for the next request', async () => {
    const bob = await newPerson(tributary.store, app.clientId)
    await putItems(tributary, bob, [{ id: 'one', type: 'photo' }], 'notes')
    assert.equal((await call('GET', '/types/photos', forAccount(bob.account.id))).status, 200)
    assert.equal((await call('DELETE', '/profiles', forAccount(bob.account.id))).status, 200)
    assert.equal((await call('GET', '/types/photos', forAccount(bob.account.id))).status, 404)
    const [erased] = await auditTrail(tributary.sql, 'account.delete', { account: bob.account.id })
    assert.equal(erased?.actor, 'admin')
  })
})

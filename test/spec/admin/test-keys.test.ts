import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { auditTrail } from '../../harness/audit.ts'
import { callbackOf } from '../../harness/callback.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { startTributary } from '../../harness/start.ts'
import { oauthlibMissing, startOauthlibProvider } from '../../real/oauthlib-provider.ts'
import { oidcProviderMissing, startOidcProvider } from '../../real/oidc-provider.ts'
import { startQuietHarness } from '../sign-in/fixture.ts'

interface Tested {
  result: string
  callback: string
  steps: { step: string; result: string; reason: string; detail: string }[]
}

const [skipOidc, skipOauthlib] = [await oidcProviderMissing(), await oauthlibMissing()]

suite('testing keys', () => {
  let harness: LabHarness
  before(async () => {
    harness = await startQuietHarness()
  })
  after(() => harness.stop())

  const where = (service: string) => `/admin/apps/${harness.app.clientId}/keys/${service}`
  const setKey = async (service: string, key: Record<string, unknown>) => {
    const { status } = await harness.tributary.admin('PUT', where(service), key)
    assert.equal(status, 200)
  }
  const tested = async (service: string) => {
    const { status, body } = await harness.tributary.admin('POST', `${where(service)}/test`)
    assert.equal(status, 200, JSON.stringify(body))
    return body as Tested
  }
  const keysStep = ({ steps }: Tested) => steps.find(({ step }) => step === 'keys')

  for (const service of ['demo-social', 'demo-health', 'demo-micro'] as const)
    test(`${service} accepts the right keys and refuses a wrong secret`, async () => {
      const { url } = harness.lab.services[service]
      const { key, secret } = harness.app.keys[service]!
      await setKey(service, { key, secret, overrides: { base_url: url } })
      const good = await tested(service)
      assert.deepEqual([good.result, keysStep(good)?.reason], ['ok', 'ok'], JSON.stringify(good))
      assert.equal(good.callback, harness.app.keys[service]!.callback)
      await setKey(service, { key, secret: 'a-wrong-secret-word', overrides: { base_url: url } })
      const bad = await tested(service)
      assert.deepEqual([bad.result, keysStep(bad)?.reason], ['failed', 'keys_refused'], JSON.stringify(bad))
      assert.doesNotMatch(JSON.stringify(bad), /a-wrong-secret-word/)
      await setKey(service, { key, secret, overrides: { base_url: url } })
    })

  test('oidc-provider tells right from wrong', { skip: skipOidc }, async () => {
    const provider = await startOidcProvider({
      redirectUris: (issuer) => [callbackOf(harness.tributary, harness.app, 'oidc', { base_url: issuer })],
      requirePkce: true,
    })
    try {
      const overrides = { base_url: provider.issuer }
      await setKey('oidc', { key: provider.clientId, secret: provider.clientSecret, overrides })
      const good = await tested('oidc')
      assert.deepEqual(
        good.steps.map(({ step, result }) => `${step} ${result}`),
        ['addresses ok', 'sign_in_page ok', 'keys ok'],
      )
      await setKey('oidc', { key: provider.clientId, secret: 'another-secret', overrides })
      assert.equal(keysStep(await tested('oidc'))?.reason, 'keys_refused')
      await setKey('oidc', { key: 'unknown-client', secret: 'another-secret', overrides })
      const unknown = await tested('oidc')
      assert.deepEqual(
        unknown.steps.map(({ reason }) => reason),
        ['ok', 'keys_refused'],
      )
    } finally {
      await provider.close()
    }
  })

  test('oauthlib: a request token shows the keys of OAuth 1', { skip: skipOauthlib }, async () => {
    const provider = await startOauthlibProvider({
      callbacks: (url) => [callbackOf(harness.tributary, harness.app, 'oauthlib', { base_url: url })],
    })
    try {
      const overrides = { base_url: provider.url }
      await setKey('oauthlib', { key: provider.consumerKey, secret: provider.consumerSecret, overrides })
      assert.equal((await tested('oauthlib')).result, 'ok')
      await setKey('oauthlib', { key: provider.consumerKey, secret: 'wrong-wrong', overrides })
      assert.equal(keysStep(await tested('oauthlib'))?.reason, 'keys_refused')
    } finally {
      await provider.close()
    }
  })

  test('what cannot be called, and what requires no keys, is said', async () => {
    await setKey('github', { key: 'k', secret: 's', overrides: { base_url: 'http://127.0.0.1:9' } })
    assert.equal((await tested('github')).result, 'failed')
    assert.equal(keysStep(await tested('bluesky'))?.reason, 'not_required')
    const missing = await harness.tributary.admin('POST', `${where('spotify')}/test`)
    assert.equal(missing.status, 404)
    assert.equal((await harness.tributary.admin('POST', `${where('nothing')}/test`)).status, 404)
    assert.equal((await harness.tributary.admin('POST', '/admin/apps/app_x/keys/github/test')).status, 404)
    const response = await fetch(`${harness.tributary.url}${where('github')}/test`, { method: 'POST' })
    assert.equal(response.status, 401)
  })

  test('a private address is refused by the guard before anything is sent', async () => {
    const closed = await startTributary()
    try {
      const { body } = await closed.admin('POST', '/admin/apps', { name: 'A', redirect_uris: ['https://a.test/'] })
      const path = `/admin/apps/${(body as { client_id: string }).client_id}/keys/github`
      const { url } = harness.lab.services['demo-social']
      await closed.admin('PUT', path, { key: 'k', secret: 's', overrides: { base_url: url } })
      const refused = (await closed.admin('POST', `${path}/test`)).body as Tested
      assert.ok(
        refused.steps.some(({ reason }) => reason === 'address_refused'),
        JSON.stringify(refused),
      )
    } finally {
      await closed.stop()
    }
  })

  test('tests are in the audit log, without secrets', async () => {
    const found = await auditTrail(harness.sql, 'keys.test', { app: harness.app.clientId })
    assert.ok(found.length > 0)
    assert.doesNotMatch(JSON.stringify(found), /secret/)
  })
})

suite('ending a replaced secret', () => {
  test('ends the old one now; the current one stays', async () => {
    const tributary = await startTributary()
    try {
      const { body } = await tributary.admin('POST', '/admin/apps', { name: 'A', redirect_uris: ['https://a.test/'] })
      const { client_id: id, client_secret: old } = body as { client_id: string; client_secret: string }
      const { client_secret: current } = (await tributary.admin('POST', `/admin/apps/${id}/rotate-secret`, {}))
        .body as {
        client_secret: string
      }
      const allowed = async (secret: string) => {
        const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
        return (await fetch(`${tributary.url}/accounts`, { headers: { authorization } })).status
      }
      assert.deepEqual([await allowed(old), await allowed(current)], [200, 200])
      const { secrets } = (await tributary.admin('GET', `/admin/apps/${id}`)).body as {
        secrets: { id: string; expires_at?: number }[]
      }
      const replaced = secrets.find((each) => each.expires_at !== undefined)!
      const valid = secrets.find((each) => each.expires_at === undefined)!
      const end = async (secret: string) =>
        (await tributary.admin('DELETE', `/admin/apps/${id}/secrets/${secret}`)).status
      assert.deepEqual([await end(valid.id), await end(replaced.id), await end(replaced.id)], [400, 200, 404])
      assert.deepEqual([await allowed(old), await allowed(current)], [401, 200])
    } finally {
      await tributary.stop()
    }
  })
})

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { callbackAddress, registrationId } from '#kit/connector/service-addresses.ts'
import { makeApp } from '../../harness/app.ts'
import { freePort } from '../../harness/free-port.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { send } from '../../harness/send.ts'
import { REDIRECT, startUrl } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

type Reached = Pick<Tributary, 'url' | 'admin' | 'sql'>

/** The service with this base address, reached at its port. */
async function withService(
  baseUrl: (port: number) => string,
  run: (tributary: Reached, port: number) => Promise<void>,
): Promise<void> {
  const port = await freePort()
  const started = await startTributary({
    PORT: String(port),
    BASE_URL: baseUrl(port),
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'instance-connectors'),
  })
  const url = `http://127.0.0.1:${port}`
  const admin: Tributary['admin'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${started.adminToken}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { method, headers, ...sent })
    return { status: response.status, body: await response.json() }
  }
  try {
    await run({ url, admin, sql: started.sql }, port)
  } finally {
    await started.stop()
  }
}

/** Where a sign-in at the service leads, with the app's key in it. */
async function leadsTo(tributary: Reached, clientId: string): Promise<URLSearchParams> {
  const response = await fetch(startUrl({ tributary }, 'demo-documented', {}, { clientId }), { redirect: 'manual' })
  assert.equal(response.status, 302)
  return new URL(response.headers.get('location') ?? '').searchParams
}

suite('an app whose key is the address of a document', () => {
  test('is described there with its public key, once it has begun a sign-in', () =>
    withService(
      () => 'https://tributary.test',
      async (tributary) => {
        const app = await makeApp(tributary, { name: 'Dots & Lines', redirectUris: [REDIRECT] })
        // One issuer, which is not named, and this base address.
        const server = JSON.stringify(['', 'https://tributary.test'])
        const registration = registrationId(app.clientId, 'demo-documented', server)
        const path = `/oauth/clients/${app.clientId}/demo-documented.${registration}.json`
        assert.equal((await send({ tributary }, 'GET', path)).status, 404)
        const key = (await leadsTo(tributary, app.clientId)).get('client_id')
        assert.equal(key, `https://tributary.test${path}`)
        const { body, text } = await send({ tributary }, 'GET', path)
        const { jwks, ...rest } = body as { jwks: { keys: Record<string, string>[] } } & Record<string, unknown>
        assert.equal(rest['client_id'], key)
        assert.equal(rest['client_name'], 'Dots & Lines')
        assert.deepEqual(rest['redirect_uris'], [
          `https://tributary.test/auth/demo-documented/callback/${registration}`,
        ])
        assert.equal(rest['token_endpoint_auth_method'], 'private_key_jwt')
        assert.deepEqual(Object.keys(jwks.keys[0] ?? {}).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
        assert.ok(!text.includes('"d"'), 'the private part')
        assert.equal((await leadsTo(tributary, app.clientId)).get('client_id'), key)
        assert.equal((await send({ tributary }, 'GET', path)).text, text, 'the same key for every sign-in')
        const other = await makeApp(tributary, { redirectUris: [REDIRECT] })
        for (const wrong of [
          `/oauth/clients/${other.clientId}/demo-documented.${registration}.json`,
          `/oauth/clients/${app.clientId}/demo-documented.json`,
          path.replace('.json', ''),
          '/oauth/clients/x/mastodon.json',
        ])
          assert.equal((await send({ tributary }, 'GET', wrong)).status, 404, wrong)
      },
    ))

  test('on a developer’s machine has a key without a document', () =>
    withService(
      (port) => `http://127.0.0.1:${port}`,
      async (tributary, port) => {
        const app = await makeApp(tributary, { redirectUris: [REDIRECT] })
        const key = new URL((await leadsTo(tributary, app.clientId)).get('client_id') ?? '')
        assert.equal(key.origin, 'http://localhost')
        const base = `http://127.0.0.1:${port}`
        const registration = registrationId(app.clientId, 'demo-documented', JSON.stringify(['', base]))
        const callback = callbackAddress(base, 'demo-documented', registration)
        assert.equal(key.searchParams.get('redirect_uri'), callback)
        assert.deepEqual(await tributary.sql('select 1 from service_registration'), [])
      },
    ))

  test('at http://localhost is told what to change', () =>
    withService(
      (port) => `http://localhost:${port}`,
      async (tributary) => {
        const app = await makeApp(tributary, { redirectUris: [REDIRECT] })
        const back = await leadsTo(tributary, app.clientId)
        assert.equal(back.get('error'), 'service_refused')
        assert.match(back.get('error_description') ?? '', /http:\/\/127\.0\.0\.1.*BASE_URL/)
      },
    ))
})

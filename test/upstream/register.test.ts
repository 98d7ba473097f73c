import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { OAuth2 } from '#kit/auth/auth.ts'
import { locateService, type ServiceLocation } from '#upstream/addresses/addresses.ts'
import { registerClient } from '#upstream/oauth2/register.ts'
import { finishSignIn } from '#upstream/sign-in.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { oidc } from './connectors/oidc.ts'
import { CALLBACK, refusal, walk, withOptions } from './fixture.ts'
import { json, type LoopbackServer, startLoopback } from './loopback-server.ts'

const NOWHERE: ServiceLocation = {
  addresses: { authorizeUrl: '', tokenUrl: '', apiUrl: '' },
  relocate: (url) => url,
  trust: 'operator',
  trustOf: () => 'operator',
}
const CLIENT = { app: 'An app', callback: CALLBACK, scope: '', website: 'https://tributary.test' }

suite('registration of apps', () => {
  let lab: Lab<'demo-social'>
  let open: OpenUpstream
  let server: LoopbackServer
  let answer: { status: number; body: unknown }
  before(async () => {
    lab = await startLab({ services: ['demo-social'] })
    open = openUpstream()
    server = await startLoopback((_request, response) => json(response, answer.body, answer.status))
  })
  beforeEach(() => {
    answer = { status: 201, body: { client_id: 'k', client_secret: 's' } }
  })
  after(async () => {
    await open.close()
    await server.close()
    await lab.close()
  })

  const register = async (auth: OAuth2, url: string) => {
    const connector = withOptions<OAuth2>({ ...oidc, auth }, {})
    const key = { key: '', secret: '', overrides: { base_url: url } }
    const location = await locateService(open.upstream, { connector, key })
    return registerClient(open.upstream, auth, { kind: 'rfc7591' }, location, CLIENT)
  }
  const discovering = (options: Partial<OAuth2> = {}): OAuth2 =>
    withOptions<OAuth2>(oidc, { discover: { resource: false }, tokenAuth: 'post', ...options }).auth as OAuth2

  test('by RFC 7591 at the address of the metadata; the key works', async () => {
    const { url } = lab.services['demo-social']
    const auth = discovering()
    const { key, secret, expiresAt } = await register(auth, url)
    assert.ok(key !== '' && secret !== '')
    assert.equal(expiresAt, undefined)
    const connector = { ...oidc, auth, api: { ...oidc.api, baseUrl: `${url}/api` } }
    const own = { key, secret, overrides: { base_url: url, api_url: `${url}/api` } }
    const { back } = await walk(open.upstream, { connector, key: own, scope: 'profile' })
    // The identity of another service cannot be read; the code was exchanged.
    await finishSignIn(open.upstream, back).catch(() => undefined)
    assert.equal(lab.services['demo-social'].requests.to('/oauth/token', 'POST').at(-1)?.status, 200)
  })

  const atLoopback = (url: string) =>
    registerClient(open.upstream, discovering(), { kind: 'rfc7591', url: `${url}/register` }, NOWHERE, CLIENT)

  test('a secret that expires is known to expire', async () => {
    answer.body = { client_id: 'k', client_secret: 's', client_secret_expires_at: 2_000_000_000 }
    assert.deepEqual(await atLoopback(server.url), { key: 'k', secret: 's', expiresAt: 2_000_000_000_000 })
  })

  test('refusals, outages, redirects and odd answers fail without a key', async () => {
    answer = { status: 400, body: { error: 'invalid_client_metadata' } }
    await refusal(atLoopback(server.url), 'stop', 'request_refused')
    answer = { status: 503, body: {} }
    await refusal(atLoopback(server.url), 'retry', 'service_failed')
    answer = { status: 302, body: {} }
    await refusal(atLoopback(server.url), 'stop', 'redirect_refused')
    answer = { status: 404, body: {} }
    await refusal(atLoopback(server.url), 'stop', 'address_wrong')
    for (const body of [{}, [], { client_id: 7 }, { client_id: 'x'.repeat(5000) }, 'text']) {
      answer = { status: 200, body }
      await assert.rejects(atLoopback(server.url), { name: 'UpstreamError' })
    }
  })

  test('a service without such an address does not register', async () => {
    const auth = discovering()
    await refusal(registerClient(open.upstream, auth, { kind: 'rfc7591' }, NOWHERE, CLIENT), 'stop', 'not_supported')
  })
})

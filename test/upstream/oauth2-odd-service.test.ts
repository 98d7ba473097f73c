import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import { self } from '#kit/auth/self.ts'
import { type Connector, defineConnector } from '#kit/connector/connector.ts'
import { refreshCredential, revokeCredential } from '#upstream/renew-credential.ts'
import { beginSignIn, finishSignIn } from '#upstream/sign-in.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { backFrom, CALLBACK, refusal } from './fixture.ts'
import { json, type LoopbackServer, startLoopback } from './loopback-server.ts'

const odd: Connector = defineConnector({
  service: 'odd',
  title: 'Odd',
  docs: 'none',
  auth: oauth2({
    authorizeUrl: 'https://odd.test/login?theme=dark',
    tokenUrl: 'https://odd.test/token?v=2',
    refreshUrl: 'https://odd.test/refresh',
    revokeUrl: 'https://odd.test/apps/{key}/token',
    revokeEnds: 'token',
    revoke: { method: 'DELETE', tokenPlacement: 'json', parameters: { access_token: '{token}' }, tokenAuth: 'basic' },
    tokenMethod: 'GET',
    names: {
      client_id: 'app',
      client_secret: 'app_secret',
      code: 'auth_code',
      refresh_token: 'again',
      access_token: 'key',
    },
    scope: { default: ['one', 'two'], separator: '+', name: 'rights', atToken: true },
    tokenPath: ['body'],
    subject: 'uid',
    flags: { dm: { parameters: { extra: 'messages' } } },
  }),
  api: { baseUrl: 'https://odd.test/api' },
  self: self<{ id: unknown }>('/{sub}', ({ id }) => ({ id: String(id) })),
})

suite('a service with other names and placements of every parameter', () => {
  let open: OpenUpstream
  let server: LoopbackServer
  let responses: Record<string, unknown>
  before(async () => {
    open = openUpstream()
    server = await startLoopback((request, response) =>
      json(response, responses[new URL(request.url ?? '', server.url).pathname] ?? {}),
    )
  })
  after(async () => {
    await open.close()
    await server.close()
  })
  beforeEach(() => {
    server.requests.length = 0
    responses = {
      '/token': { status: 0, body: { key: 'tok-1', again: 'ref-1', uid: 98765432109876543210n.toString() } },
      '/refresh': { status: 0, body: { key: 'tok-2', again: 'ref-2', expires_in: '10' } },
      '/api/98765432109876543210': { id: '98765432109876543210' },
    }
  })

  const key = () => ({ key: 'my-app', secret: 'my-secret', overrides: { base_url: server.url } })
  const signIn = async () => {
    const input = { connector: odd, key: key(), callbackUrl: CALLBACK, state: 'st', flag: 'dm' }
    const begun = await beginSignIn(open.upstream, input)
    const params = new URLSearchParams({ code: 'the-code', state: 'st' })
    return { begun, finished: finishSignIn(open.upstream, backFrom(input, begun, params)) }
  }
  const parametersOf = (at: number) => Object.fromEntries(new URL(server.requests[at]!.url, server.url).searchParams)

  test('signs in', async () => {
    const { begun, finished } = await signIn()
    const asked = Object.fromEntries(new URL(begun.url).searchParams)
    const { state, code_challenge: _, ...rest } = asked
    assert.equal(state, 'st')
    assert.deepEqual(rest, {
      theme: 'dark',
      response_type: 'code',
      app: 'my-app',
      redirect_uri: CALLBACK,
      rights: 'one+two',
      code_challenge_method: 'S256',
      extra: 'messages',
    })
    const { credential, self: person } = await finished
    assert.equal(person.id, '98765432109876543210')
    assert.deepEqual(credential, {
      token: 'tok-1',
      refreshToken: 'ref-1',
      scope: 'one+two',
      subject: '98765432109876543210',
    })
    assert.deepEqual(parametersOf(0), {
      v: '2',
      grant_type: 'authorization_code',
      auth_code: 'the-code',
      redirect_uri: CALLBACK,
      code_verifier: String(begun.secrets['verifier']),
      rights: 'one+two',
      app: 'my-app',
      app_secret: 'my-secret',
    })
  })

  test('refreshes at another address and revokes as declared', async () => {
    const { credential } = await (await signIn()).finished
    const held = { connector: odd, key: key(), credential }
    server.requests.length = 0
    const fresh = await refreshCredential(open.upstream, held)
    assert.equal(fresh.token, 'tok-2')
    assert.equal(fresh.previousRefreshToken, 'ref-1')
    assert.equal(parametersOf(0)['again'], 'ref-1')
    assert.equal(await revokeCredential(open.upstream, held, 'grant'), 'revoked')
    const revoked = server.requests[1]!
    assert.deepEqual([revoked.method, revoked.url], ['DELETE', '/apps/my-app/token'])
    assert.equal(revoked.headers.authorization, `Basic ${btoa('my-app:my-secret')}`)
    assert.equal(revoked.headers['content-type'], 'application/json')
  })

  test('a record of another person than the token’s is refused, and the token revoked', async () => {
    responses['/api/98765432109876543210'] = { id: '98765432109876543211' }
    await refusal((await signIn()).finished, 'stop', 'subject_mismatch')
    const last = server.requests.at(-1)!
    assert.deepEqual([last.method, last.url], ['DELETE', '/apps/my-app/token'])
  })

  test('a refresh for another person is refused, and its tokens are revoked', async () => {
    const { credential } = await (await signIn()).finished
    responses['/refresh'] = { status: 0, body: { key: 'tok-2', again: 'ref-2', uid: '7' } }
    const held = { connector: odd, key: key(), credential: { ...credential, previousRefreshToken: 'ref-0' } }
    server.requests.length = 0
    await refusal(refreshCredential(open.upstream, held), 'reauthorize', 'subject_changed')
    assert.deepEqual(
      server.requests.map(({ method, url }) => `${method} ${new URL(url, server.url).pathname}`),
      ['GET /refresh', 'DELETE /apps/my-app/token'],
    )
  })

  test('secret and code in an error of the service are not in our message', async () => {
    responses['/token'] = { error: 'invalid_grant', error_description: 'my-secret may not use the-code' }
    const error = await refusal((await signIn()).finished, 'reauthorize', 'grant_refused')
    assert.doesNotMatch(error.message, /my-secret|the-code/)
    assert.doesNotMatch(open.lines.join(''), /my-secret|the-code|tok-1/)
  })
})

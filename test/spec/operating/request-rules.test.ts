// Rules that hold for every route, walked over the list of routes.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ROUTES } from '#http/routes.ts'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { newPerson, type Person } from '../../harness/person.ts'
import { type RequestOptions, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

let tributary: Tributary
let app: App
let person: Person
before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary)
  person = await newPerson(tributary.store, app.clientId)
})
after(() => tributary.stop())

const address = (path: string) => path.replaceAll(/:\w+/g, 'none')
const credentials = (auth: string, path: string): RequestOptions => {
  if (path.startsWith('/dashboard/')) return { headers: { 'tributary-dashboard': '1' } }
  if (auth === 'admin') return { headers: { authorization: `Bearer ${tributary.adminToken}` } }
  if (auth === 'app') return { headers: basic(app) }
  return auth === 'account' ? { token: person.token } : {}
}

/** Routes that ignore unknown parameters: OAuth endpoints, pages, callbacks, and what services and monitoring call. */
const LENIENT = [
  'DELETE /demo/session',
  'GET /',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-authorization-server/mcp',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /auth/:service/callback',
  'GET /auth/:service/callback/:registration',
  'GET /client',
  'GET /client.tgz',
  'GET /connect',
  'GET /connect/link',
  'GET /connect/search.js',
  'GET /connections',
  'GET /connections/delete',
  'GET /connections/deleted',
  'GET /connections/download',
  'GET /connections/end',
  'GET /connections/reconnected',
  'GET /dashboard/exports/:account/:ticket',
  'GET /deletions/:code',
  'GET /demo',
  'GET /demo/callback',
  'GET /demo/connect',
  'GET /demo/controls',
  'GET /demo/session',
  'GET /docs',
  'GET /docs.md',
  'GET /docs/:folder/:file',
  'GET /docs/:page',
  'GET /docs/try-it.js',
  'GET /favicon.ico',
  'GET /favicon.svg',
  'GET /healthz',
  'GET /hooks/:service/:client_id',
  'GET /llms.txt',
  'GET /marks/:file',
  'GET /metrics',
  'GET /oauth/agents/authorize',
  'GET /oauth/agents/consent',
  'GET /oauth/agents/signed-in',
  'GET /oauth/ask',
  'GET /oauth/authenticate',
  'GET /oauth/authorize',
  'GET /oauth/choose',
  'GET /oauth/clients/:client_id/:document',
  'GET /oauth/confirm',
  'GET /oauth/reconnect',
  'GET /oauth/typed',
  'GET /openapi.json',
  'GET /readyz',
  'POST /auth/:service/callback',
  'POST /auth/:service/callback/:registration',
  'POST /connect/link',
  'POST /connections/agents/end',
  'POST /connections/delete',
  'POST /connections/end',
  'POST /connections/open',
  'POST /connections/reconnect',
  'POST /demo/controls',
  'POST /demo/start',
  'POST /hooks/:service/:client_id',
  'POST /hooks/:service/:client_id/deauthorize',
  'POST /hooks/:service/:client_id/deletion',
  'POST /mcp',
  'POST /oauth/access_token',
  'POST /oauth/agents/consent',
  'POST /oauth/agents/revoke',
  'POST /oauth/agents/token',
  'POST /oauth/ask',
  'POST /oauth/choose',
  'POST /oauth/confirm',
  'POST /oauth/file',
  'POST /oauth/revoke',
  'POST /oauth/typed',
]

suite('an unknown parameter of a query', () => {
  const served = ROUTES.filter(([, , route]) => !('mounted' in route))

  test('is refused by every route but those that the specification exempts', async () => {
    const lenient: string[] = []
    for (const [method, path, { auth }] of served) {
      const { body } = await send({ tributary }, method, `${address(path)}?acess_tokn=x`, credentials(auth, path))
      if (body['reason'] !== 'parameter_unknown') lenient.push(`${method} ${path}`)
      else {
        assert.deepEqual([method, path, body['param']], [method, path, 'acess_tokn'])
        assert.match(String(body['error']), /^Unknown parameter “acess_tokn”\. Did you mean “access_token”\?$/)
      }
    }
    assert.deepEqual(lenient.sort(), LENIENT)
  })

  test('is named with the nearest own parameter of each route', async () => {
    for (const [method, path, route] of served) {
      const name = Object.keys(route.query?.shape ?? {}).find((each) => each.length > 5)
      if (name === undefined || LENIENT.includes(`${method} ${path}`)) continue
      const misspelt = name.slice(0, 2) + name.slice(3)
      const reply = await send({ tributary }, method, `${address(path)}?${misspelt}=x`, credentials(route.auth, path))
      assert.equal(reply.body['error'], `Unknown parameter “${misspelt}”. Did you mean “${name}”?`, `${method} ${path}`)
    }
  })
})

suite('every refusal', () => {
  test('has reason, code, see and request id, and names the parameter at fault', async () => {
    let refusals = 0
    for (const [method, path, { auth }] of ROUTES)
      for (const options of [{}, credentials(auth, path), { ...credentials(auth, path), json: [[]] }]) {
        if (method === 'GET' && 'json' in options) continue
        const { status, body, headers } = await send({ tributary }, method, address(path), options)
        if (status < 400 || !(headers.get('content-type') ?? '').startsWith('application/json')) continue
        if (path === '/readyz') continue
        refusals += 1
        const what = `${method} ${path}: ${JSON.stringify(body)}`
        assert.equal(body['see'], `${tributary.url}/docs#${String(body['reason'])}`, what)
        assert.equal(body['request_id'], headers.get('x-request-id'), what)
        assert.equal(Math.floor(Number(body['code']) / 100), status, what)
        assert.notEqual(status, 500, what)
        const named = /^([a-z_][\w.-]*): /.exec(String(body['error']))?.[1]
        if (named !== undefined) assert.equal(body['param'], named, what)
        if (status === 429) assert.match(headers.get('retry-after') ?? '', /^\d+$/)
      }
    assert.ok(refusals > ROUTES.length, String(refusals))
  })
})

suite('JSON that was sent as a form', () => {
  const hint = 'The body looks like JSON that was sent as a form. Add the header “content-type: application/json”.'
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  for (const body of ['{"name":"a"}', ' \n[{"id":"a"}]', encodeURIComponent('{"name":"a"}')])
    test(`is recognised: ${JSON.stringify(body)}`, async () => {
      const reply = await send({ tributary }, 'POST', '/push', { headers: { ...basic(app), ...form }, body })
      assert.deepEqual([reply.status, reply.body['reason'], reply.body['error']], [400, 'bad_body', hint])
    })

  test('also at OAuth endpoints; a form is read as before', async () => {
    const json = await send({ tributary }, 'POST', '/oauth/access_token', { headers: form, body: '{"code":"x"}' })
    assert.deepEqual([json.status, json.body['error']], [400, hint])
    const code = await send({ tributary }, 'POST', '/oauth/access_token', {
      form: { client_id: app.clientId, client_secret: app.secret, code: '{x}' },
    })
    assert.equal(code.body['reason'], 'code_invalid')
  })
})

suite('RateLimit headers', () => {
  test('a wrong secret says how many more are allowed, and the refusal when', async () => {
    const { clientId } = await makeApp(tributary)
    const guess = () => send({ tributary }, 'GET', '/push', { headers: basic({ clientId, secret: 'trs_wrong' }) })
    const first = await guess()
    assert.equal(first.status, 401)
    assert.match(
      first.headers.get('ratelimit') ?? '',
      /^"wrong-secrets";r=29;t=\d+, "wrong-secrets-of-address";r=\d+;t=\d+$/,
    )
    assert.equal(
      first.headers.get('ratelimit-policy'),
      '"wrong-secrets";q=30;w=60, "wrong-secrets-of-address";q=100;w=60',
    )
    assert.match((await guess()).headers.get('ratelimit') ?? '', /^"wrong-secrets";r=2[89];/)
    assert.equal(
      (await send({ tributary }, 'GET', '/push', { headers: basic(app) })).headers.get('ratelimit'),
      null,
      'a right secret does not count',
    )
  })

  test('a refusal after too many has nothing left, and Retry-After is when there is more', async () => {
    const { clientId } = await makeApp(tributary)
    let reply = await send({ tributary }, 'GET', '/push', { headers: basic({ clientId, secret: 'trs_wrong' }) })
    for (let n = 0; n < 100 && reply.status !== 429; n += 1)
      reply = await send({ tributary }, 'GET', '/push', { headers: basic({ clientId, secret: `trs_wrong${n}` }) })
    assert.deepEqual([reply.status, reply.body['reason']], [429, 'too_many_attempts'])
    const retryAfter = reply.headers.get('retry-after')
    assert.match(retryAfter ?? '', /^\d+$/)
    assert.match(reply.headers.get('ratelimit') ?? '', new RegExp(`r=0;t=${retryAfter}`))
  })
})

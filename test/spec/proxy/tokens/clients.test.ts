import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createClient, isTributaryError } from '../../../../sdk/src/index.ts'
import { tributary } from '../../../harness/command-line.ts'
import { type ProxyHarness, startProxyHarness } from '../fixture.ts'
import { type RawUpstream, startRawUpstream } from '../raw-upstream.ts'
import { type Requests, requestsOf } from './requests.ts'

let upstream: RawUpstream
let harness: ProxyHarness
let requests: Requests
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness()
  requests = requestsOf(harness.url)
})
after(async () => {
  await harness.stop()
  await upstream.close()
})

const connect = () => harness.connect({ apiUrl: upstream.url })
const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await tributary(args, harness.env)
  return { code, out: stdout, error: stderr }
}
const json = async <T>(...args: string[]): Promise<T> => {
  const { code, out, error } = await run(...args, '--json')
  assert.equal(code, 0, error)
  return JSON.parse(out) as T
}

suite('tokens for services on the command line', () => {
  test('are created, listed, used, named and revoked', async () => {
    const { account } = await connect()
    const limits = ['--method', 'get', '--path', '/me', '--label', 'for a script', '--expires-in', '3600']
    const made = await json<{ id: string; token: string }>('proxy-token', 'create', account.id, 'plain', ...limits)
    assert.equal(await requests.call(made.token, { path: '/me/x' }), 'ok')
    assert.equal(await requests.call(made.token, { path: '/you' }), '403 token_restricted')
    const listed = await run('proxy-token', 'list', account.id)
    assert.match(listed.out, new RegExp(`${made.id} +plain GET /me +for a script +cli`))
    assert.ok(!listed.out.includes('trp_'))
    const shown = {
      id: made.id,
      kind: 'service',
      valid: true,
      account: account.id,
      app: harness.appId,
      service: 'plain',
    }
    assert.deepEqual(await json('token', 'show', made.token), shown)
    await requests.until('the call is logged', async () =>
      (await run('log', '--app', harness.appId, '--kind', 'proxy', '--search', made.id)).out.includes(
        'GET /me/x → 200',
      ),
    )
    assert.equal((await run('proxy-token', 'revoke', account.id, made.id)).code, 0)
    assert.equal(await requests.call(made.token, { path: '/me', method: 'POST' }), '401 token_invalid')
    const again = await run('proxy-token', 'revoke', account.id, made.id)
    assert.match(again.error, new RegExp(`There is no token ${made.id}`))
    assert.deepEqual(await json('token', 'show', made.token), { id: made.id, kind: 'service', valid: false })
  })

  test('an access token has an id in the log too, also once it is revoked', async () => {
    const { account, token } = await connect()
    const { id, ...rest } = await json<{ id: string }>('token', 'show', token)
    assert.deepEqual(rest, { kind: 'account', valid: true, account: account.id, app: harness.appId })
    await requests.call(token, { path: '/of-the-account' })
    assert.equal((await run('token', 'revoke', token)).code, 0)
    const shown = await run('token', 'show', token)
    assert.match(shown.out, new RegExp(`not valid any more. Its id in the log is ${id}`))
    await requests.until('the call is logged', async () =>
      (await run('log', '--app', harness.appId, '--search', id)).out.includes('GET /of-the-account → 200'),
    )
    assert.ok(!shown.out.includes(token.slice(20)))
  })

  test('what cannot be is refused with a sentence', async () => {
    const { account } = await connect()
    const refused = async (pattern: RegExp, ...args: string[]) => {
      const { code, error } = await run(...args)
      assert.notEqual(code, 0)
      assert.match(error, pattern)
    }
    const create = ['proxy-token', 'create', account.id]
    await refused(/no profile of this service/, ...create, 'github')
    await refused(/paths\.0: must have no dot segments/, ...create, 'plain', '--path', '/a/../b')
    await refused(/--expires-in must be a number of seconds/, ...create, 'plain', '--expires-in', 'soon')
    await refused(/--method must be a method/, ...create, 'plain', '--method', 'GET /')
    await refused(/There is no account/, 'proxy-token', 'list', 'nobody')
    await refused(/not an access token/, 'token', 'show', 'trp_x')
  })
})

test('the SDK creates, lists and revokes them, and calls with them', async () => {
  const { account, token } = await connect()
  const client = createClient({ baseUrl: harness.url, clientId: harness.appId, clientSecret: harness.secret })
  const person = client.account(token)
  const made = await person.proxyTokens.create({ service: 'plain', paths: ['/me'] })
  const service = client.account(made.token).proxy('plain')
  assert.equal(await (await service('/me')).text(), 'ok')
  await assert.rejects(service('/you'), (error) => isTributaryError(error, 'token_restricted'))
  await assert.rejects(client.account(made.token).profiles.list(), (error) => isTributaryError(error, 'token_invalid'))
  const ofApp = await client.proxyTokens.create(account.id, { service: '42@plain', methods: ['GET'] })
  assert.deepEqual(
    (await client.proxyTokens.list(account.id)).map(({ id, service: named }) => [id, named]),
    [
      [made.id, 'plain'],
      [ofApp.id, '42@plain'],
    ],
  )
  await person.proxyTokens.revoke(made.id)
  await client.proxyTokens.revoke(account.id, ofApp.id)
  assert.deepEqual(await person.proxyTokens.list(), [])
})

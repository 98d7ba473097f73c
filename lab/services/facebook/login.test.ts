import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Lab, startLab } from '../../lab.ts'
import { appBrowser, authorizeUrl, callback } from '../../testing/oauth2-client.ts'
import { type App, everyScope, exchange, type GraphError, graph, returnedTo, tokenOf } from './testing.ts'

let lab: Lab<'facebook'>
let app: App

before(async () => {
  lab = await startLab({ services: ['facebook'] })
  const service = lab.services.facebook
  app = { service, ...service.register({ redirectUris: [callback] }) }
})
after(() => lab.close())

const errorOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as GraphError).error,
})

test('login returns a short-lived token, which can be exchanged for one of sixty days', async () => {
  const back = await returnedTo(app, 'email user_posts', 'ada')
  assert.equal(back.hash, '#_=_')
  const code = back.searchParams.get('code') ?? ''
  const short = (await (await exchange(app, { code, redirect_uri: callback })).json()) as Record<string, unknown>
  assert.deepEqual(Object.keys(short), ['access_token', 'token_type', 'expires_in'])
  assert.deepEqual([short['token_type'], short['expires_in']], ['bearer', 5400])
  const again = await errorOf(await exchange(app, { code, redirect_uri: callback }))
  assert.deepEqual([again.status, again.code, again.error_subcode], [400, 100, 36009])
  const fields = { grant_type: 'fb_exchange_token', fb_exchange_token: String(short['access_token']) }
  const long = (await (await exchange(app, fields)).json()) as { access_token: string; expires_in: number }
  assert.equal(long.expires_in, 5_184_000)
  lab.clock.advance(5_401_000)
  const expired = await graph<GraphError>(app, '/me', fields.fb_exchange_token)
  assert.deepEqual([expired.error.code, expired.error.error_subcode], [190, 463])
  assert.equal((await graph<{ name: string }>(app, '/me', long.access_token)).name, 'Ada Marlowe')
  assert.equal((await errorOf(await exchange(app, fields))).code, 190)
})

test('denied consent, unknown scopes and invalid redirect URIs', async () => {
  const denied = await appBrowser().walk(authorizeUrl(app, { scope: 'email' }), { person: 'ben', decision: 'deny' })
  const params = Object.fromEntries(new URL(denied.url).searchParams)
  assert.deepEqual(params, {
    error: 'access_denied',
    error_reason: 'user_denied',
    error_description: 'Permissions error',
    state: 's1',
  })
  assert.match(
    (await appBrowser().open(authorizeUrl(app, { scope: 'read_stream' }))).body,
    /Invalid Scopes: read_stream/,
  )
  assert.equal((await appBrowser().open(authorizeUrl(app, { redirect_uri: 'http://127.0.0.1:9/other' }))).status, 400)
})

test('the token endpoint returns a specific message for each error', async () => {
  const code = (await returnedTo(app, 'email', 'ada')).searchParams.get('code') ?? ''
  const wrong = async (fields: Record<string, string>) => (await errorOf(await exchange(app, fields))).message
  assert.equal(await wrong({ code }), 'Missing redirect_uri parameter.')
  assert.equal(await wrong({ redirect_uri: callback }), 'Missing authorization code')
  assert.equal(await wrong({ code, redirect_uri: callback, client_secret: 'x' }), 'Error validating client secret.')
  assert.match(await wrong({ code, redirect_uri: callback, client_id: 'x' }), /Error validating application/)
  assert.match(await wrong({ code, redirect_uri: `${callback}2` }), /redirect_uri is identical/)
  assert.equal(await wrong({ code: 'x', redirect_uri: callback }), 'Invalid verification code format.')
})

test('permissions: lists declined ones; revokes a single permission or the whole login', async () => {
  const token = await tokenOf(app, everyScope, 'chloe', ['user_posts', 'user_photos'])
  const list = await graph<{ data: { permission: string; status: string }[] }>(app, '/me/permissions', token)
  const statusOf = Object.fromEntries(list.data.map(({ permission, status }) => [permission, status]))
  assert.deepEqual(
    [statusOf['public_profile'], statusOf['user_posts'], statusOf['email']],
    ['granted', 'granted', 'declined'],
  )
  assert.equal((await graph<{ email?: string }>(app, '/me?fields=email', token)).email, undefined)
  const remove = (path: string) => graph(app, path, token, 'DELETE')
  assert.deepEqual(await remove('/me/permissions/user_posts'), { success: true })
  assert.deepEqual(await graph(app, '/me/posts', token), { data: [] })
  app.service.configure({ missingPermission: 'error' })
  assert.equal((await graph<GraphError>(app, '/me/posts', token)).error.code, 200)
  app.service.configure({ missingPermission: 'empty' })
  assert.deepEqual(await remove('/me/permissions'), { success: true })
  assert.equal((await graph<GraphError>(app, '/me', token)).error.error_subcode, 458)
})

test('tokens: missing, unknown, with appsecret_proof, revoked, debug_token', async () => {
  const token = await tokenOf(app, 'email', 'dmitri')
  const url = `${app.service.endpoints['api_url']}/me`
  assert.equal((await errorOf(await fetch(url))).code, 2500)
  const unknown = await fetch(`${url}?access_token=nonsense`)
  assert.match(unknown.headers.get('www-authenticate') ?? '', /^OAuth "Facebook Platform" "invalid_token"/)
  assert.equal((await errorOf(unknown)).code, 190)
  const proof = createHmac('sha256', app.secret).update(token).digest('hex')
  app.service.configure({ requireProof: true })
  assert.equal((await errorOf(await fetch(`${url}?access_token=${token}`))).type, 'GraphMethodException')
  assert.equal((await fetch(`${url}?access_token=${token}&appsecret_proof=${proof}`)).status, 200)
  assert.equal((await fetch(`${url}?access_token=${token}&appsecret_proof=00`)).status, 400)
  app.service.configure({ requireProof: false })
  const look = `${app.service.endpoints['api_url']}/debug_token?input_token=${token}`
  const appToken = encodeURIComponent(`${app.key}|${app.secret}`)
  const seen = (await (await fetch(`${look}&access_token=${appToken}`)).json()) as { data: Record<string, unknown> }
  assert.deepEqual([seen.data['is_valid'], seen.data['scopes']], [true, ['public_profile', 'email']])
  assert.equal((await errorOf(await fetch(`${look}&access_token=${token}`))).code, 190)
  app.service.tokens.revoke('dmitri')
  assert.equal((await graph<GraphError>(app, '/me', token)).error.error_subcode, 458)
})

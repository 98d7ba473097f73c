import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Lab, startLab } from '../../lab.ts'
import { appBrowser, authorizeUrl, callback } from '../../testing/oauth2-client.ts'
import { type App, type GraphError, graph, returnedTo } from '../facebook/testing.ts'
import { bothScopes, type DataResponse, exchangeCode, tokenOf } from './testing.ts'

let lab: Lab<'instagram'>
let app: App

before(async () => {
  lab = await startLab({ services: ['instagram'] })
  const service = lab.services.instagram
  app = { service, ...service.register({ redirectUris: [callback] }) }
})
after(() => lab.close())

const exchange = async (name: string, fields: Record<string, string>) => {
  const url = `${app.service.endpoints[name]}?${new URLSearchParams(fields).toString()}`
  return (await (await fetch(url)).json()) as {
    access_token: string
    token_type: string
    expires_in: number
  } & GraphError
}

test('a code yields a token of one hour, an exchange sixty days, a refresh another sixty', async () => {
  const back = await returnedTo(app, bothScopes, 'ada')
  assert.equal(back.hash, '#_')
  const code = back.searchParams.get('code') ?? ''
  const tokens = (await (await exchangeCode(app, { code })).json()) as DataResponse
  assert.deepEqual(
    tokens.data.map(({ user_id, permissions }) => [user_id, permissions]),
    [[app.service.people[0]?.id, bothScopes]],
  )
  const short = tokens.data[0]?.access_token ?? ''
  const exchangeFields = { grant_type: 'ig_exchange_token', client_secret: app.secret, access_token: short }
  assert.equal((await exchange('exchange_url', { ...exchangeFields, client_secret: 'x' })).error.code, 1)
  const long = await exchange('exchange_url', exchangeFields)
  assert.deepEqual([long.token_type, long.expires_in], ['bearer', 5_184_000])
  const renewal = { grant_type: 'ig_refresh_token', access_token: long.access_token }
  assert.equal((await exchange('refresh_url', renewal)).error.code, 190)
  lab.clock.advance(86_401_000)
  assert.equal((await graph<GraphError>(app, '/me', short)).error.error_subcode, 463)
  const renewed = await exchange('refresh_url', renewal)
  assert.equal(renewed.expires_in, 5_184_000)
  assert.equal((await exchange('exchange_url', exchangeFields)).error.code, 190)
  lab.clock.advance(5_184_000_000)
  assert.equal((await exchange('refresh_url', { ...renewal, access_token: renewed.access_token })).error.code, 190)
})

test('the login host has its own error format', async () => {
  const code = (await returnedTo(app, bothScopes, 'ada')).searchParams.get('code') ?? ''
  const wrong = async (fields: Record<string, string>) => {
    const response = await exchangeCode(app, fields)
    return (await response.json()) as { error_type: string; code: number; error_message: string }
  }
  assert.deepEqual(await wrong({ code: 'x' }), {
    error_type: 'OAuthException',
    code: 400,
    error_message: 'Matching code was not found or was already used',
  })
  assert.match((await wrong({ code: '' })).error_message, /Missing required field code/)
  assert.match((await wrong({ code, client_secret: 'x' })).error_message, /client secret/)
  assert.match((await wrong({ code, redirect_uri: `${callback}x` })).error_message, /redirect_uri is identical/)
})

test('the flat token response has a user_id beyond the precision of a double', async () => {
  app.service.configure({ tokenShape: 'flat' })
  const code = (await returnedTo(app, bothScopes, 'ada')).searchParams.get('code') ?? ''
  const text = await (await exchangeCode(app, { code })).text()
  assert.match(text, new RegExp(`"user_id":${app.service.people[0]?.id},"permissions":\\["instagram_business_basic"`))
  app.service.configure({ tokenShape: 'data' })
})

test('denied consent, invalid login requests, revoked logins', async () => {
  const url = authorizeUrl(app, { scope: bothScopes })
  const denied = new URL((await appBrowser().walk(url, { person: 'ben', decision: 'deny' })).url).searchParams
  assert.deepEqual(
    [denied.get('error'), denied.get('error_reason'), denied.get('state')],
    ['access_denied', 'user_denied', 's1'],
  )
  for (const fields of [
    { scope: 'user_media' },
    { scope: 'instagram_business_manage_comments' },
    { response_type: 'token', scope: bothScopes },
  ])
    assert.equal((await appBrowser().open(authorizeUrl(app, fields))).status, 400)
  const token = await tokenOf(app, bothScopes, 'esra')
  app.service.tokens.revoke('esra')
  assert.equal((await graph<GraphError>(app, '/me', token)).error.error_subcode, 458)
})

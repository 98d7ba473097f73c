import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { TEXTS as AGENTS } from '../../../src/http/pages/languages/agents/index.ts'
import { LANGUAGES } from '../../../src/http/pages/languages/languages.ts'
import { startSecondServer } from '../../harness/database/second-server.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { assertRefused, auditOf, pkce, startQuietHarness } from '../sign-in/fixture.ts'
import {
  AGENT_REDIRECT,
  agentBrowser,
  agentCode,
  agentTokens,
  allowAgents,
  authorizeUrl,
  mcpOf,
  READS,
  rpc,
  tokenRequest,
  toolNames,
  walkToAgent,
  walkToConsent,
} from './fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
  await allowAgents(harness, harness.app)
  await signIn(harness, 'demo-social', 'ada')
  await signIn(harness, 'demo-social', 'ben')
})
after(() => harness.stop())

const open = (query: Record<string, string | undefined>) =>
  fetch(authorizeUrl(harness, { ...pkce().query, ...query }), { redirect: 'manual', headers: { accept: 'text/html' } })
const errorOf = (response: Response) => new URL(response.headers.get('location') ?? '').searchParams

suite('discovery for agents', () => {
  test('a 401 names the metadata of the resource, which names the authorization server', async () => {
    const refused = await rpc(harness, undefined, 'tools/list')
    assert.equal(refused.status, 401)
    const challenge = refused.headers.get('www-authenticate') ?? ''
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1]
    assert.ok(address !== undefined, challenge)
    assert.match(challenge, /scope="items:read /)
    const resource = (await (await fetch(address)).json()) as Record<string, unknown>
    assert.equal(resource['resource'], mcpOf(harness))
    assert.deepEqual(resource['authorization_servers'], [mcpOf(harness)])
    const server = await get(harness, '/.well-known/oauth-authorization-server/mcp', '')
    assert.equal(server.body['issuer'], mcpOf(harness))
    assert.deepEqual(server.body['code_challenge_methods_supported'], ['S256'])
    assert.deepEqual(server.body['token_endpoint_auth_methods_supported'], ['none'])
  })
})

suite('the authorization request of an agent', () => {
  test('an app without agents is unknown to it, and so is an address that is not registered for agents', async () => {
    const other = await harness.makeApp({ name: 'Off' })
    for (const query of [
      { client_id: other.clientId },
      { client_id: undefined },
      { redirect_uri: 'https://evil.test/' },
    ]) {
      const response = await open(query)
      assert.equal(response.status, 400)
      assert.equal(response.headers.get('location'), null)
    }
    // The app's own redirect address is not one of its agents'.
    assert.equal((await open({ redirect_uri: 'http://localhost:4999/back' })).status, 400)
  })

  test('S89 PKCE, the resource and a known scope are required; errors go to the agent with state and issuer', async () => {
    const cases: [Record<string, string | undefined>, string][] = [
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ resource: undefined }, 'invalid_target'],
      [{ resource: `${harness.tributary.url}/other` }, 'invalid_target'],
      [{ scope: 'write:demo-social' }, 'invalid_scope'],
    ]
    for (const [query, word] of cases) {
      const params = errorOf(await open(query))
      assert.equal(params.get('error'), word, JSON.stringify(query))
      assert.equal(params.get('state'), 'agent-state')
      assert.equal(params.get('iss'), mcpOf(harness))
    }
  })

  test('the page with the services stores nothing', async () => {
    const count = async () => (await harness.sql('select 1 from pending')).length
    const before = await count()
    assert.equal((await open({})).status, 200)
    assert.equal(await count(), before)
  })

  test('S89 somebody without an account in the app is sent back, and no account is made', async () => {
    const accounts = async () => (await harness.sql('select 1 from account')).length
    const before = await accounts()
    const back = await walkToAgent(authorizeUrl(harness, pkce().query), { person: 'chloe' })
    assert.equal(back.searchParams.get('error'), 'access_denied')
    assert.match(back.searchParams.get('error_description') ?? '', /no account/)
    assert.equal(await accounts(), before)
  })

  test('the person may allow less, nothing, or decline', async () => {
    const { scope } = await agentTokens(harness, { allow: ['people:read', 'write:demo-social', 'admin'] })
    assert.equal(scope, 'people:read')
    const nothing = await walkToAgent(authorizeUrl(harness, pkce().query), { allow: [] })
    assert.equal(nothing.searchParams.get('error'), 'access_denied')
    const { browser, page } = await walkToConsent(authorizeUrl(harness, pkce().query), {})
    const declined = await browser.submit(page, page.forms[0]!, { answer: 'no' })
    assert.equal(new URL(declined.url).searchParams.get('error'), 'access_denied')
  })

  test('a person who goes back and allows less gives the agent less', async () => {
    const proof = pkce()
    const { browser, page } = await walkToConsent(authorizeUrl(harness, proof.query), {})
    const form = page.forms[0]!
    await browser.submit(page, form, { answer: 'yes', scope: READS })
    const back = new URL((await browser.submit(page, form, { answer: 'yes', scope: ['profiles:read'] })).url)
    const response = await tokenRequest(harness, {
      grant_type: 'authorization_code',
      client_id: harness.app.clientId,
      redirect_uri: AGENT_REDIRECT,
      resource: mcpOf(harness),
      code: back.searchParams.get('code') ?? '',
      code_verifier: proof.verifier,
    })
    assert.equal(response.body['scope'], 'profiles:read')
    assert.deepEqual(await toolNames(harness, String(response.body['access_token'])), ['list_profiles'])
  })

  test('its pages are in seven languages: by `locale` to the end, otherwise by the browser', async () => {
    for (const language of LANGUAGES) {
      const { browser, page } = await walkToConsent(
        authorizeUrl(harness, { ...pkce().query, scope: 'items:read people:read', locale: language }),
        {},
      )
      const choice = await browser.open(authorizeUrl(harness, { ...pkce().query, locale: language }))
      const direction = language === 'ar' ? 'rtl' : 'ltr'
      for (const { body } of [choice, page])
        assert.ok(body.includes(`<html lang="${language}" dir="${direction}">`), language)
      assert.ok(choice.body.includes(AGENTS[language].servicesWarning), language)
      assert.ok(page.body.includes(AGENTS[language]['items:read']), language)
      assert.ok(page.body.includes(AGENTS[language].allow), language)
    }
    const asked = await fetch(authorizeUrl(harness, pkce().query), {
      headers: { 'accept-language': 'fr-CA, en;q=0.5' },
    })
    assert.equal(asked.headers.get('content-language'), 'fr')
    assert.match(asked.headers.get('vary') ?? '', /accept-language/i)
    const unknown = await fetch(authorizeUrl(harness, { ...pkce().query, locale: 'xx' }))
    assert.equal(unknown.headers.get('content-language'), 'en')
  })

  test('S89 pressing the button twice returns the same code; another browser cannot press it', async () => {
    const { browser, page } = await walkToConsent(authorizeUrl(harness, pkce().query), {})
    const form = page.forms[0]!
    const [first, second] = [
      await browser.submit(page, form, { answer: 'yes' }),
      await browser.submit(page, form, { answer: 'yes' }),
    ]
    assert.equal(first.url, second.url)
    const stranger = agentBrowser()
    assert.equal((await stranger.submit(page, form, { answer: 'yes' })).status, 400)
    assert.equal((await stranger.open(page.url)).status, 400)
    // Reloading the way back from the service changes nothing.
    const reloaded = await browser.open(page.chain.find((url) => url.includes('/oauth/agents/signed-in')) ?? '')
    assert.match(reloaded.url, /\/oauth\/agents\/consent\?/)
  })
})

suite('tokens of agents', () => {
  test('S89 a code works once: a second use revokes what the first got', async () => {
    const form = await agentCode(harness)
    const first = await tokenRequest(harness, form)
    const token = String(first.body['access_token'])
    assert.equal(first.headers.get('cache-control'), 'no-store')
    assert.equal((await rpc(harness, token, 'tools/list')).status, 200)
    const second = await tokenRequest(harness, form)
    assert.equal(second.status, 400)
    assert.equal(second.body['error'], 'invalid_grant')
    assert.equal((await rpc(harness, token, 'tools/list')).status, 401)
  })

  test('S89 a code needs its verifier, its address, its app and the resource', async () => {
    const other = await harness.makeApp({ name: 'Other' })
    await allowAgents(harness, other)
    const wrong: [Record<string, string>, string][] = [
      [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      [{ redirect_uri: `${AGENT_REDIRECT}x` }, 'invalid_grant'],
      [{ client_id: other.clientId }, 'invalid_grant'],
      [{ client_id: 'app_nobody' }, 'invalid_client'],
      [{ resource: harness.tributary.url }, 'invalid_target'],
    ]
    const form = await agentCode(harness)
    for (const [fields, word] of wrong) {
      const refused = await tokenRequest(harness, { ...form, ...fields })
      assert.equal(refused.body['error'], word, JSON.stringify(fields))
    }
    assert.equal((await tokenRequest(harness, form)).status, 200)
  })

  test('S89 a refresh token is used once: a second use revokes the grant', async () => {
    const { access_token: access, refresh_token: token } = await agentTokens(harness)
    const form = {
      grant_type: 'refresh_token',
      client_id: harness.app.clientId,
      resource: mcpOf(harness),
      refresh_token: token,
    }
    const renewed = await tokenRequest(harness, form)
    assert.equal(renewed.status, 200, renewed.text)
    const next = String(renewed.body['access_token'])
    assert.equal((await rpc(harness, next, 'tools/list')).status, 200)
    assert.equal((await tokenRequest(harness, form)).body['error'], 'invalid_grant')
    assert.equal((await rpc(harness, next, 'tools/list')).status, 401)
    assert.equal((await rpc(harness, access, 'tools/list')).status, 401)
  })

  test('S58 each kind of token opens only its own addresses', async () => {
    const ordinary = (await signIn(harness, 'demo-social', 'ada')).access_token
    const { access_token: agent, refresh_token: refresh } = await agentTokens(harness)
    const refused = await rpc(harness, ordinary, 'tools/list')
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
    assert.equal((await rpc(harness, refresh, 'tools/list')).status, 401)
    for (const path of ['/profiles', '/types/all', '/agents', '/proxy/demo-social/me']) {
      assertRefused(await get(harness, path, agent), 401, 'token_invalid')
      assertRefused(await send(harness, 'GET', path, { query: { access_token: agent } }), 401, 'token_invalid')
    }
    // Never in the address.
    const inQuery = await send(harness, 'POST', '/mcp', { query: { access_token: agent }, json: {} })
    assert.equal(inQuery.status, 401)
  })

  test('tokens are stored as hashes, expire, and are purged', async () => {
    const { access_token: token } = await agentTokens(harness)
    const rows = await harness.sql<{ row: string }>(
      'select row_to_json(t)::text as row from agent_token t union all select row_to_json(g)::text from agent_grant g',
    )
    assert.ok(rows.length > 0)
    assert.ok(rows.every(({ row }) => !/tr[amn]_/.test(row)))
    await harness.sql("update agent_token set expires_at = 1 where kind = 'access'")
    assert.equal((await rpc(harness, token, 'tools/list')).status, 401)
  })

  test('S90 they survive a restart, and revoking ends them in every process at once', async () => {
    const { access_token: token, refresh_token: refresh } = await agentTokens(harness)
    const second = await startSecondServer(harness.tributary, { BASE_URL: harness.tributary.url })
    try {
      const there = { ...harness, tributary: { ...harness.tributary, url: second.tributary.url } }
      assert.deepEqual(await toolNames(there, token), await toolNames(harness, token))
      const revoked = await send(harness, 'POST', '/oauth/agents/revoke', { form: { token } })
      assert.equal(revoked.status, 200)
      for (const at of [harness, there]) assert.equal((await rpc(at, token, 'tools/list')).status, 401)
      const form = {
        grant_type: 'refresh_token',
        client_id: harness.app.clientId,
        resource: mcpOf(harness),
        refresh_token: refresh,
      }
      assert.equal((await tokenRequest(harness, form)).body['error'], 'invalid_grant')
    } finally {
      await second.stop()
    }
  })

  test('S58 S90 the account lists its agents and ends them; another account sees none of them', async () => {
    const { access_token: token } = await agentTokens(harness)
    const own = (await signIn(harness, 'demo-social', 'ada')).access_token
    const ben = (await signIn(harness, 'demo-social', 'ben')).access_token
    const listed = (await get(harness, '/agents', own)).body as unknown as { id: string; scopes: string[] }[]
    const { id } = listed.at(-1)!
    assert.deepEqual(listed.at(-1)!.scopes, READS)
    assert.deepEqual((await get(harness, '/agents', ben)).body, [])
    assertRefused(await send(harness, 'DELETE', `/agents/${id}`, { token: ben }), 404, 'not_found')
    assert.equal((await rpc(harness, token, 'tools/list')).status, 200)
    assert.equal((await send(harness, 'DELETE', `/agents/${id}`, { token: own })).status, 200)
    assert.equal((await rpc(harness, token, 'tools/list')).status, 401)
    assertRefused(await send(harness, 'DELETE', `/agents/${id}`, { token: own }), 404, 'not_found')
  })

  test('S90 turning agents off, and deleting the account, end access at once', async () => {
    const app = await harness.makeApp({ name: 'Brief' })
    await allowAgents(harness, app)
    const { access_token: own, account } = await signIn(harness, 'demo-social', 'dmitri', {}, app)
    const asked = { person: 'dmitri', app }
    const first = await agentTokens(harness, asked)
    assert.equal((await rpc(harness, first.access_token, 'tools/list')).status, 200)
    const off = await harness.tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { agents: null })
    assert.equal((off.body as { agents?: unknown }).agents, undefined)
    assert.equal((await rpc(harness, first.access_token, 'tools/list')).status, 401)
    // Turned on again, they need a new consent: neither token works, and a code of before neither.
    await allowAgents(harness, app)
    assert.equal((await rpc(harness, first.access_token, 'tools/list')).status, 401)
    const form = {
      grant_type: 'refresh_token',
      client_id: app.clientId,
      resource: mcpOf(harness),
      refresh_token: first.refresh_token,
    }
    assert.equal((await tokenRequest(harness, form)).body['error'], 'invalid_grant')
    const code = await agentCode(harness, asked)
    await harness.tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { agents: null })
    await allowAgents(harness, app)
    assert.equal((await tokenRequest(harness, code)).body['error'], 'invalid_grant')
    const second = await agentTokens(harness, asked)
    // Another setting ends nothing.
    await allowAgents(harness, app, ['demo-social'])
    assert.equal((await rpc(harness, second.access_token, 'tools/list')).status, 200)
    assert.equal((await send(harness, 'DELETE', '/profiles', { token: own })).status, 200)
    assert.equal((await rpc(harness, second.access_token, 'tools/list')).status, 401)
    assert.deepEqual(await harness.sql('select 1 from agent_grant where account_id = $1', [account]), [])
  })

  test('what is allowed is written to the audit log, without tokens', async () => {
    const { access_token: token } = await agentTokens(harness)
    await send(harness, 'POST', '/oauth/agents/revoke', { form: { token } })
    const trail = await auditOf(harness, 'agent.%')
    const actions = new Set(trail.map(({ action }) => action))
    for (const action of ['agent.allow', 'agent.revoke', 'agent.code_replayed', 'agent.refresh_replayed'])
      assert.ok(actions.has(action), action)
    assert.ok(!/tr[amnt]_/.test(JSON.stringify(trail)))
  })
})

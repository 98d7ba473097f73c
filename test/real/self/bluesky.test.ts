import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type BlueskyAccount, blueskyMissing, type RunningBluesky, startBluesky } from '../bluesky.ts'
import { type DpopClient, dpopClient, postForm } from './dpop-client.ts'

const redirectUri = 'http://127.0.0.1:9/auth/callback'
const scope = 'atproto transition:generic'

const skip = await blueskyMissing()

suite('bluesky', () => {
  let network: RunningBluesky
  let alice: BlueskyAccount
  if (skip === false) {
    before(async () => {
      network = await startBluesky()
      alice = await network.createAccount('alice.test')
    })
    after(() => network.close())
  }

  const tokenUrl = () => `${network.pdsUrl}/oauth/token`
  const parUrl = () => `${network.pdsUrl}/oauth/par`

  /** Sends a form with a proof, and again when the server first sends its nonce. */
  async function prove(client: DpopClient, url: string, form: Record<string, string>) {
    const first = await postForm(url, form, client.proof({ method: 'POST', url }))
    if (first.body.error !== 'use_dpop_nonce' || first.nonce === undefined) return first
    return postForm(url, form, client.proof({ method: 'POST', url, nonce: first.nonce }))
  }

  async function push(client: DpopClient): Promise<string> {
    const params = { client_id: client.clientId, redirect_uri: redirectUri, response_type: 'code', scope, state: 's1' }
    const pkce = { code_challenge: client.challenge, code_challenge_method: 'S256' }
    const pushed = await prove(client, parUrl(), { ...params, ...pkce })
    assert.equal(pushed.status, 201)
    const query = { client_id: client.clientId, request_uri: pushed.body.request_uri ?? '' }
    return `${network.pdsUrl}/oauth/authorize?${new URLSearchParams(query).toString()}`
  }

  async function newCode(client: DpopClient): Promise<URLSearchParams> {
    return new URL(await network.authorize(await push(client), alice)).searchParams
  }

  const redeem = (client: DpopClient, code: string | null, verifier = client.verifier) => {
    const form = {
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }
    return prove(client, tokenUrl(), { ...form, client_id: client.clientId })
  }

  async function getSession(client: DpopClient, accessToken: string, proofMethod = 'GET') {
    const url = `${network.pdsUrl}/xrpc/com.atproto.server.getSession`
    const call = (nonce?: string) => {
      const proof = client.proof({ method: proofMethod, url, accessToken, ...(nonce === undefined ? {} : { nonce }) })
      return fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop: proof, connection: 'close' } })
    }
    const first = await call()
    const nonce = first.headers.get('dpop-nonce')
    return first.status === 401 && nonce !== null ? call(nonce) : first
  }

  test('records written with the official client are listed, and a malformed one is refused', { skip }, async () => {
    const { uri } = await alice.agent.post({ text: 'hello' })
    const list = { repo: alice.did, collection: 'app.bsky.feed.post' }
    const { data } = await alice.agent.call('com.atproto.repo.listRecords', list)
    assert.ok((data.records as { uri: string }[]).some((record) => record.uri === uri))
    await assert.rejects(alice.agent.post({ text: 7 as unknown as string }), /text/)
    const identity = await fetch(`${network.plcUrl}/${alice.did}`, { headers: { connection: 'close' } })
    assert.deepEqual(((await identity.json()) as { alsoKnownAs: string[] }).alsoKnownAs, ['at://alice.test'])
  })

  test('a revoked app password no longer signs in', { skip }, async () => {
    const password = await alice.createAppPassword('phone')
    const signIn = async () => {
      const url = `${network.pdsUrl}/xrpc/com.atproto.server.createSession`
      const headers = { 'content-type': 'application/json', connection: 'close' }
      const body = JSON.stringify({ identifier: 'alice.test', password })
      return (await fetch(url, { method: 'POST', headers, body })).status
    }
    assert.equal(await signIn(), 200)
    await alice.revokeAppPassword('phone')
    assert.equal(await signIn(), 401)
  })

  test('OAuth: PAR, PKCE, DPoP with nonce, consent, and a call bound to the key', { skip }, async () => {
    const client = dpopClient(redirectUri, scope)
    const redirect = await newCode(client)
    assert.deepEqual([redirect.get('state'), redirect.get('iss')], ['s1', network.pdsUrl])
    const granted = await redeem(client, redirect.get('code'))
    assert.deepEqual([granted.status, granted.body.sub, granted.body.token_type], [200, alice.did, 'DPoP'])
    const token = granted.body.access_token ?? ''
    const session = await getSession(client, token)
    assert.equal(((await session.json()) as { did: string }).did, alice.did)
    assert.notEqual((await getSession(dpopClient(redirectUri, scope), token)).status, 200)
    assert.equal((await getSession(client, token, 'POST')).status, 401)
  })

  test('OAuth: a denial returns access_denied', { skip }, async () => {
    const client = dpopClient(redirectUri, scope)
    const redirect = new URL(await network.authorize(await push(client), { ...alice, deny: true }))
    assert.deepEqual([redirect.searchParams.get('error'), redirect.searchParams.get('state')], ['access_denied', 's1'])
  })

  test('OAuth: no PKCE, no proof, a wrong password and a wrong verifier are refused', { skip }, async () => {
    const client = dpopClient(redirectUri, scope)
    const params = { client_id: client.clientId, redirect_uri: redirectUri, response_type: 'code', scope, state: 's1' }
    assert.equal((await prove(client, parUrl(), params)).status, 400)
    await assert.rejects(network.authorize(await push(client), { ...alice, password: 'wrong' }), /sign-in/)
    const form = { grant_type: 'authorization_code', redirect_uri: redirectUri, code_verifier: client.verifier }
    const code = (await newCode(client)).get('code') ?? ''
    const bare = await postForm(tokenUrl(), { ...form, code, client_id: client.clientId })
    assert.equal(bare.body.error, 'invalid_dpop_proof')
    const other = dpopClient(redirectUri, scope).verifier
    const wrong = await redeem(client, (await newCode(client)).get('code'), other)
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_grant'])
  })

  test('OAuth: a refresh token works once, and its second use ends the session', { skip }, async () => {
    const client = dpopClient(redirectUri, scope)
    const first = await redeem(client, (await newCode(client)).get('code'))
    const refresh = (token = '') =>
      prove(client, tokenUrl(), { grant_type: 'refresh_token', refresh_token: token, client_id: client.clientId })
    const second = await refresh(first.body.refresh_token)
    assert.equal(second.status, 200)
    assert.equal((await refresh(first.body.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await refresh(second.body.refresh_token)).body.error, 'invalid_grant')
  })

  test('the chat service accepts only tokens that the data server signed for it and for the method', {
    skip,
  }, async () => {
    const listConvos = 'chat.bsky.convo.listConvos'
    const tokenFor = async (aud: string, lxm: string) => {
      const { data } = await alice.agent.call('com.atproto.server.getServiceAuth', { aud, lxm })
      return String(data['token'])
    }
    const call = async (token?: string) => {
      const headers = { connection: 'close', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
      return (await fetch(`${network.chatUrl}/xrpc/${listConvos}`, { headers })).status
    }
    const chat = 'did:web:api.bsky.chat'
    const good = await tokenFor(chat, listConvos)
    assert.equal(await call(good), 200)
    assert.equal(await call(), 401)
    assert.equal(await call(await tokenFor('did:web:elsewhere.test', listConvos)), 401)
    assert.equal(await call(await tokenFor(chat, 'chat.bsky.convo.getLog')), 401)
    const [head, payload, signature = ''] = good.split('.')
    const forged = `${head}.${payload}.${signature.slice(0, -4)}${signature.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    assert.equal(await call(forged), 401)
  })
})

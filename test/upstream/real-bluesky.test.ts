import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { bluesky } from '#connectors/bluesky/connector.ts'
import { handles, personalDataServer } from '#connectors/bluesky/identity.ts'
import type { Credential, OAuth2 } from '#kit/auth/auth.ts'
import { callService } from '#upstream/call/call-service.ts'
import { createDpopKey } from '#upstream/dpop/proof.ts'
import { resolvePerson } from '#upstream/oauth2/resolve-handle.ts'
import { refreshCredential, revokeCredential } from '#upstream/renew-credential.ts'
import { beginSignIn, finishSignIn, verifyCredential } from '#upstream/sign-in.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { type BlueskyAccount, blueskyMissing, type RunningBluesky, startBluesky } from '../real/bluesky.ts'
import { backFrom, CALLBACK, refusal, withOptions } from './fixture.ts'

const skip = await blueskyMissing()
const query = new URLSearchParams({ redirect_uri: CALLBACK, scope: 'atproto transition:generic' })
const clientId = `http://localhost?${query.toString()}`

suite('sign-in at a Bluesky data server', { skip }, () => {
  let network: RunningBluesky
  let alice: BlueskyAccount
  let open: OpenUpstream
  before(async () => {
    network = await startBluesky()
    alice = await network.createAccount('alice.test')
    open = openUpstream()
  })
  after(async () => {
    await open.close()
    await network.close()
  })

  /** The connector with the identity directory of this network. */
  const local = (plcUrl = network.plcUrl) =>
    withOptions<OAuth2>(bluesky, {
      home: { document: (did) => `${plcUrl}/${did}`, read: personalDataServer, apiPath: '/xrpc' },
    })
  const key = () => ({ key: clientId, secret: '', overrides: { base_url: network.pdsUrl } })

  async function signIn(person: { deny?: boolean } = {}, connector = local()) {
    const begun = await beginSignIn(open.upstream, { connector, key: key(), callbackUrl: CALLBACK, state: 'st' })
    const { handle, password } = alice
    const url = await network.authorize(begun.url, { handle, password, ...person })
    return { begun, back: backFrom({ connector, key: key() }, begun, new URL(url).searchParams) }
  }
  async function held() {
    const { back } = await signIn()
    const { credential } = await finishSignIn(open.upstream, back)
    const { connector, key } = back
    const session = (given: Credential = credential) =>
      callService(
        { upstream: open.upstream, connector, key, credential: given },
        { method: 'GET', path: '/com.atproto.server.getSession' },
      )
    return { connector, key, credential, session }
  }

  test('discovery, pushed request, DPoP with nonces, and the person’s own server', async () => {
    const { begun, back } = await signIn()
    assert.deepEqual([...new URL(begun.url).searchParams.keys()].sort(), ['client_id', 'request_uri'])
    const { credential, self } = await finishSignIn(open.upstream, back)
    assert.equal(self.id, alice.did)
    assert.equal(self.handle, 'alice.test')
    assert.equal(credential.subject, alice.did)
    assert.deepEqual(credential.instance, { api_url: `${network.pdsUrl}/xrpc` })
    assert.ok(credential.dpopKey && credential.refreshToken && credential.expiresAt)
  })

  test('calls have proofs; a token without its key is refused', async () => {
    const { session, credential, connector, key } = await held()
    assert.equal((await session()).status, 200)
    assert.notEqual((await session({ ...credential, dpopKey: await createDpopKey() })).status, 200)
    const { dpopKey: _, ...bare } = credential
    assert.notEqual((await session(bare)).status, 200)
    const posted = await callService(
      { upstream: open.upstream, connector, key, credential },
      {
        method: 'POST',
        path: '/com.atproto.repo.createRecord',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          repo: alice.did,
          collection: 'app.bsky.feed.post',
          record: { $type: 'app.bsky.feed.post', text: 'hello', createdAt: new Date().toISOString() },
        }),
      },
    )
    assert.equal(posted.status, 200, posted.text)
  })

  test('a server’s first demand for a nonce causes one more request and no failure', async () => {
    const { connector, key, credential } = await held()
    const fresh = openUpstream()
    try {
      const proved = await verifyCredential(fresh.upstream, { connector, key, credential })
      assert.equal(proved.self.id, alice.did)
      const statuses = fresh.lines.map((line) => JSON.parse(line) as { status?: number; address?: string })
      const asked = statuses.filter(({ address }) => address?.endsWith('getSession')).map(({ status }) => status)
      assert.deepEqual(asked, [401, 200])
    } finally {
      await fresh.close()
    }
  })

  test('refresh rotates; the old refresh token is a lost grant', async () => {
    const grant = await held()
    const fresh = await refreshCredential(open.upstream, grant)
    assert.notEqual(fresh.refreshToken, grant.credential.refreshToken)
    assert.equal(fresh.previousRefreshToken, grant.credential.refreshToken)
    assert.deepEqual(fresh.dpopKey, grant.credential.dpopKey)
    assert.deepEqual(fresh.instance, grant.credential.instance)
    assert.equal((await grant.session(fresh)).status, 200)
    await refusal(refreshCredential(open.upstream, grant), 'reauthorize', 'grant_refused')
  })

  test('revocation ends the grant', async () => {
    const grant = await held()
    assert.equal(await revokeCredential(open.upstream, grant, 'grant'), 'revoked')
    await refusal(refreshCredential(open.upstream, grant), 'reauthorize', 'grant_refused')
  })

  test('a denial, a wrong verifier, a replay and a wrong issuer are refused', async () => {
    await refusal(finishSignIn(open.upstream, (await signIn({ deny: true })).back), 'stop', 'access_denied')
    const wrong = (await signIn()).back
    const secrets = { ...wrong.secrets, verifier: 'z'.repeat(43) }
    await refusal(finishSignIn(open.upstream, { ...wrong, secrets }), 'reauthorize', 'grant_refused')
    const { back } = await signIn()
    await finishSignIn(open.upstream, back)
    await refusal(finishSignIn(open.upstream, back), 'reauthorize', 'grant_refused')
    const forged = (await signIn()).back
    forged.params.set('iss', 'https://elsewhere.example')
    await refusal(finishSignIn(open.upstream, forged), 'stop', 'issuer_mismatch')
  })

  /** Sign-in by handle: no address of a server is configured anywhere. */
  const byHandle = (records: Record<string, string[]>) => ({
    home: {
      document: (did: string) => `${network.plcUrl}/${did}`,
      read: personalDataServer,
      apiPath: '/xrpc',
      handle: handles,
    },
    upstream: { ...open.upstream, resolveTxt: async (name: string) => records[name] ?? [] },
  })
  const ownKey = { key: clientId, secret: '', overrides: {} }

  test('a handle leads to the person’s own server, which is used for refresh and revocation', async () => {
    const { home, upstream } = byHandle({ '_atproto.alice.test': ['v=spf1 -all', `did=${alice.did}`] })
    const person = await resolvePerson(upstream, home, 'alice.test')
    assert.deepEqual(person, { subject: alice.did, issuer: network.pdsUrl })
    assert.deepEqual(await resolvePerson(upstream, home, alice.did), person)
    const connector = withOptions<OAuth2>(bluesky, { home })
    const instance = { handle: 'alice.test', issuer: person.issuer }
    const given = { connector, key: ownKey, callbackUrl: CALLBACK, instance }
    const begun = await beginSignIn(upstream, { ...given, state: 'st', loginHint: 'alice.test' })
    assert.equal(new URL(begun.url).origin, network.pdsUrl)
    const { handle, password } = alice
    const back = new URL(await network.authorize(begun.url, { handle, password })).searchParams
    const secrets = JSON.parse(JSON.stringify(begun.secrets)) as typeof begun.secrets
    const { credential, self } = await finishSignIn(upstream, {
      ...given,
      secrets,
      params: back,
      subject: person.subject,
    })
    assert.equal(self.id, alice.did)
    assert.deepEqual(credential.instance, { ...instance, api_url: `${network.pdsUrl}/xrpc` })
    const fresh = await refreshCredential(upstream, { connector, key: ownKey, credential })
    assert.deepEqual(fresh.instance, credential.instance)
    assert.equal(await revokeCredential(upstream, { connector, key: ownKey, credential: fresh }, 'grant'), 'revoked')
  })

  test('a sign-in as somebody else than the handle names is refused, and its token ended', async () => {
    const { home, upstream } = byHandle({})
    const connector = withOptions<OAuth2>(bluesky, { home })
    const given = { connector, key: ownKey, callbackUrl: CALLBACK, instance: { issuer: network.pdsUrl } }
    const begun = await beginSignIn(upstream, { ...given, state: 'st' })
    const { handle, password } = alice
    const params = new URL(await network.authorize(begun.url, { handle, password })).searchParams
    const secrets = JSON.parse(JSON.stringify(begun.secrets)) as typeof begun.secrets
    const subject = 'did:plc:somebodyelse'
    await refusal(finishSignIn(upstream, { ...given, secrets, params, subject }), 'stop', 'subject_mismatch')
  })

  test('a handle that the person’s record does not name, several DIDs, and documents of strangers are refused', async () => {
    const records = {
      '_atproto.evil.test': [`did=${alice.did}`],
      '_atproto.web.test': ['did=did:web:127.0.0.1'],
      '_atproto.nobody.test': ['did=did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'],
      '_atproto.path.test': ['did=did:plc:../../x'],
    }
    const { home, upstream } = byHandle(records)
    await refusal(resolvePerson(upstream, home, 'evil.test'), 'stop', 'handle_unresolved')
    await assert.rejects(resolvePerson(upstream, home, 'nobody.test'), { name: 'UpstreamError' })
    const real = { ...home, document: (bluesky.auth as OAuth2).home!.document }
    await refusal(resolvePerson(upstream, real, 'path.test'), 'stop', 'handle_unresolved')
    // Two records that differ name nobody, and then the document at the domain is asked for, which is not there.
    const twice = { ...upstream, resolveTxt: async () => [`did=${alice.did}`, 'did=did:plc:other'] }
    await assert.rejects(resolvePerson(twice, home, 'two.invalid'), { name: 'UpstreamError' })
    const strict = openUpstream(undefined, { allowPrivate: [] })
    const guarded = { ...strict.upstream, resolveTxt: upstream.resolveTxt }
    await assert.rejects(resolvePerson(guarded, real, 'web.test'), { name: 'UpstreamError', reason: 'address_refused' })
    await strict.close()
  })

  test('a server that is not the person’s own is refused', async () => {
    const elsewhere = withOptions<OAuth2>(local(), {
      home: { document: (did) => `${network.plcUrl}/${did}`, read: () => network.plcUrl, apiPath: '/xrpc' },
    })
    const { back } = await signIn({}, elsewhere)
    await assert.rejects(finishSignIn(open.upstream, back), { name: 'UpstreamError' })
    const stranger = withOptions<OAuth2>(local(), {
      home: {
        document: (did) => `${network.plcUrl}/${did}`,
        read: (document) => personalDataServer(document, 'did:plc:somebodyelse'),
        apiPath: '/xrpc',
      },
    })
    const other = (await signIn({}, stranger)).back
    await refusal(finishSignIn(open.upstream, other), 'stop', 'home_mismatch')
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { bluesky } from '#connectors/bluesky/connector.ts'
import { personalDataServer } from '#connectors/bluesky/identity.ts'
import type { Credential, OAuth2 } from '#kit/auth.ts'
import { callService } from '#upstream/call-service.ts'
import { createDpopKey } from '#upstream/dpop/proof.ts'
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

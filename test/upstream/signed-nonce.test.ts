import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { withings } from '#connectors/withings/connector.ts'
import { callService } from '#upstream/call/call-service.ts'
import { signatureOf } from '#upstream/oauth2/sign-nonce.ts'
import { refreshCredential, revokeCredential } from '#upstream/renew-credential.ts'
import { finishSignIn } from '#upstream/sign-in.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { labKey, refusal, walk } from './fixture.ts'

const connector = withings

suite('requests signed with a nonce', () => {
  let open: OpenUpstream
  let lab: Lab<'withings'>
  before(async () => {
    lab = await startLab({ services: ['withings'] })
    open = openUpstream(lab.clock)
  })
  after(async () => {
    await open.close()
    await lab.close()
  })

  const signIn = async (key = labKey(lab.services.withings), person = 'ada') => {
    const { back } = await walk(open.upstream, { connector, key, person })
    return { key, ...(await finishSignIn(open.upstream, back)) }
  }
  const statusOf = async (
    key: Awaited<ReturnType<typeof signIn>>['key'],
    credential: Awaited<ReturnType<typeof signIn>>['credential'],
  ) => {
    const reply = await callService(
      { upstream: open.upstream, connector, key, credential },
      {
        method: 'POST',
        path: '/v2/user',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'action=getdevice',
      },
    )
    return (JSON.parse(reply.text) as { status: number }).status
  }

  test('the signature covers the values in the order of their names, as OpenSSL computes it', () => {
    assert.equal(
      signatureOf({ nonce: 'n', client_id: 'id', action: 'activate' }, 'secret'),
      'b8ff3b0252ce6a64e6dd060c43d556f4cc213d8b042f240901be7f7a1fbf50af',
    )
  })

  test('sign in, refresh and revoke without ever sending the secret', async () => {
    const { requests } = lab.services.withings
    const { key, credential, self } = await signIn()
    assert.equal(self.id, lab.services.withings.people[0]?.id)
    const fresh = await refreshCredential(open.upstream, { connector, key, credential })
    assert.notEqual(fresh.token, credential.token)
    assert.equal(await statusOf(key, fresh), 0)
    assert.equal(await revokeCredential(open.upstream, { connector, key, credential: fresh }, 'grant'), 'revoked')
    assert.equal(await statusOf(key, fresh), 401)
    assert.equal(requests.to('/v2/signature').length, 3, 'one nonce for each request')
    for (const { target, body } of requests.all) assert.ok(!`${target} ${body}`.includes(key.secret))
  })

  test('revoking ends what the person granted to this app, not what they granted to others', async () => {
    const [one, other] = [await signIn(), await signIn()]
    assert.notEqual(one.key.key, other.key.key)
    const again = await signIn(one.key)
    assert.equal(await revokeCredential(open.upstream, { connector, ...one }, 'grant'), 'revoked')
    assert.deepEqual([await statusOf(one.key, one.credential), await statusOf(one.key, again.credential)], [401, 401])
    assert.equal(await statusOf(other.key, other.credential), 0)
  })

  test('a wrong secret is the app’s business, not the person’s', async () => {
    const { key, credential } = await signIn()
    const wrong = { ...key, secret: 'wrong-secret' }
    await refusal(refreshCredential(open.upstream, { connector, key: wrong, credential }), 'stop', 'keys_refused')
  })

  test('access that the person took back needs the person; an outage does not', async () => {
    const { key, credential } = await signIn(undefined, 'ben')
    lab.services.withings.tokens.revoke('ben')
    await refusal(refreshCredential(open.upstream, { connector, key, credential }), 'reauthorize', 'grant_refused')
    const again = await signIn(key, 'ben')
    lab.services.withings.faults.add({ kind: 'status', path: '/v2/signature', status: 503 })
    await refusal(
      refreshCredential(open.upstream, { connector, key, credential: again.credential }),
      'retry',
      'service_failed',
    )
    assert.ok(await refreshCredential(open.upstream, { connector, key, credential: again.credential }))
  })
})

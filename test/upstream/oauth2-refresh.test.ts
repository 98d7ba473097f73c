import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { demoHealth } from '#connectors/demo-health/connector.ts'
import { demoSocial } from '#connectors/demo-social/connector.ts'
import type { OAuth2 } from '#kit/auth/auth.ts'
import { callService } from '#upstream/call/call-service.ts'
import { refreshCredential, revokeCredential } from '#upstream/renew-credential.ts'
import { finishSignIn, verifyCredential } from '#upstream/sign-in.ts'
import type { LabService } from '../../lab/base/service.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { labKey, refusal, walk, withOptions } from './fixture.ts'

suite('OAuth 2 refresh, revocation and verification', () => {
  let lab: Lab<'demo-social' | 'demo-health'>
  let social: LabService
  let open: OpenUpstream
  before(async () => {
    lab = await startLab({ services: ['demo-social', 'demo-health'] })
    social = lab.services['demo-social']
    open = openUpstream(lab.clock)
  })
  after(async () => {
    await open.close()
    await lab.close()
  })
  beforeEach(() => {
    social.faults.clear()
    social.requests.clear()
  })

  async function held(connector = demoSocial, service = social) {
    const key = labKey(service)
    const { back } = await walk(open.upstream, { connector, key })
    const { credential } = await finishSignIn(open.upstream, back)
    const status = async (given = credential) =>
      (
        await callService(
          { upstream: open.upstream, connector, key, credential: given },
          { method: 'GET', path: connector.self.path },
        )
      ).status
    return { connector, key, credential, status }
  }

  test('a rotated refresh token replaces the old one, which is kept for one rotation', async () => {
    const grant = await held()
    lab.clock.advance(3_700_000)
    assert.equal(await grant.status(), 401)
    const fresh = await refreshCredential(open.upstream, grant)
    assert.equal(await grant.status(fresh), 200)
    assert.notEqual(fresh.refreshToken, grant.credential.refreshToken)
    assert.equal(fresh.previousRefreshToken, grant.credential.refreshToken)
    assert.ok((fresh.expiresAt ?? 0) > lab.clock.now())
    const again = await refreshCredential(open.upstream, { ...grant, credential: fresh })
    assert.equal(again.previousRefreshToken, fresh.refreshToken)
  })

  test('a refresh token that the response omits is kept', async () => {
    const grant = await held(demoHealth, lab.services['demo-health'])
    const fresh = await refreshCredential(open.upstream, grant)
    assert.notEqual(fresh.token, grant.credential.token)
    assert.equal(fresh.refreshToken, grant.credential.refreshToken)
    assert.equal(fresh.previousRefreshToken, undefined)
    assert.equal(fresh.subject, 'ada@H01')
    assert.equal(await grant.status(await refreshCredential(open.upstream, { ...grant, credential: fresh })), 200)
  })

  test('a used refresh token is a lost grant, and is not in the message', async () => {
    const grant = await held()
    await refreshCredential(open.upstream, grant)
    const error = await refusal(refreshCredential(open.upstream, grant), 'reauthorize', 'grant_refused')
    assert.match(error.message, /invalid_grant/)
    assert.equal(error.message.includes(grant.credential.refreshToken!), false)
  })

  test('the previous refresh token is tried if the last is refused', async () => {
    const grant = await held()
    const lostRotation = {
      ...grant.credential,
      refreshToken: 'never-arrived',
      previousRefreshToken: grant.credential.refreshToken!,
    }
    const fresh = await refreshCredential(open.upstream, { ...grant, credential: lostRotation })
    assert.equal(await grant.status(fresh), 200)
    assert.equal(fresh.previousRefreshToken, grant.credential.refreshToken)
  })

  test('S51 an outage during refresh is never a lost grant', async () => {
    const grant = await held()
    const attempt = () => refreshCredential(open.upstream, grant)
    const path = '/oauth/token'
    social.faults.add({ path, kind: 'status', status: 503, retryAfterSeconds: 7 })
    assert.equal((await refusal(attempt(), 'retry', 'service_failed')).retryAfterMs, 7000)
    social.faults.add({ path, kind: 'status', status: 429, retryAfterSeconds: 60, retryAfterForm: 'date' })
    const limited = await refusal(attempt(), 'retry', 'rate_limited')
    assert.ok(Math.abs((limited.retryAfterMs ?? 0) - 60_000) < 3000, String(limited.retryAfterMs))
    social.faults.add({ path, kind: 'status', status: 500, body: '{"error":"invalid_grant"}' })
    await refusal(attempt(), 'retry', 'service_failed')
    social.faults.add({ path, kind: 'reset' })
    await refusal(attempt(), 'retry', 'service_unreachable')
    social.faults.add({ path, kind: 'html' })
    await refusal(attempt(), 'retry', 'answer_unreadable')
    social.faults.add({ path, kind: 'truncated', how: 'dropped' })
    await assert.rejects(attempt(), { name: 'UpstreamError', recovery: 'retry' })
    social.faults.add({ path, kind: 'deep-json' })
    await assert.rejects(attempt(), { name: 'UpstreamError', recovery: 'retry' })
    social.faults.add({ path, kind: 'response', status: 403, headers: { 'content-type': 'text/html' }, body: '<html>' })
    await refusal(attempt(), 'retry', 'answer_unreadable')
  })

  test('a decompression bomb is refused', async () => {
    const grant = await held()
    social.faults.add({ path: '/oauth/token', kind: 'gzip-bomb' })
    await refusal(refreshCredential(open.upstream, grant), 'stop', 'answer_too_large')
  })

  test('wrong keys during refresh are the app’s fault, not the person’s', async () => {
    const grant = await held()
    const key = { ...grant.key, secret: 'wrong' }
    await refusal(refreshCredential(open.upstream, { ...grant, key }), 'stop', 'keys_refused')
  })

  test('a refreshed token of another person is refused', async () => {
    const grant = await held(demoHealth, lab.services['demo-health'])
    const credential = { ...grant.credential, subject: 'ben@H02' }
    await refusal(refreshCredential(open.upstream, { ...grant, credential }), 'reauthorize', 'subject_changed')
  })

  test('an abandoned grant that cannot be revoked is logged with service and reason, and counted', async () => {
    const health = lab.services['demo-health']
    const grant = await held(demoHealth, health)
    const credential = { ...grant.credential, subject: 'ben@H02' }
    const before = open.lines.length
    const logged = () =>
      open.lines
        .slice(before)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ level }) => level === 'warn')
    const { revokeUrl } = demoHealth.auth as OAuth2
    health.faults.add({ path: new URL(revokeUrl!).pathname, kind: 'status', status: 502 })
    await refusal(refreshCredential(open.upstream, { ...grant, credential }), 'reauthorize', 'subject_changed')
    health.faults.clear()
    const message = 'an abandoned token could not be ended'
    assert.deepEqual(
      logged().map((line) => [line['message'], line['service'], line['reason']]),
      [[message, 'demo-health', 'service_failed']],
    )
    assert.deepEqual(open.upstream.log.counts(), [{ level: 'warn', message, count: 1 }])
    // A grant that can be revoked is not logged.
    const other = await held(demoHealth, health)
    const stranger = { ...other, credential: { ...other.credential, subject: 'ben@H02' } }
    await refusal(refreshCredential(open.upstream, stranger), 'reauthorize', 'subject_changed')
    assert.equal(logged().length, 1)
  })

  test('a credential without a refresh token cannot be refreshed', async () => {
    const grant = await held()
    const { refreshToken: _, ...credential } = grant.credential
    await refusal(refreshCredential(open.upstream, { ...grant, credential }), 'reauthorize', 'no_refresh_token')
  })

  test('revocation ends the grant, and may be repeated', async () => {
    const grant = await held()
    assert.equal(await revokeCredential(open.upstream, grant, 'grant'), 'revoked')
    assert.equal(await grant.status(), 401)
    await refusal(refreshCredential(open.upstream, grant), 'reauthorize', 'grant_refused')
    assert.equal(await revokeCredential(open.upstream, grant, 'grant'), 'revoked')
    social.faults.add({ path: '/oauth/revoke', kind: 'status', status: 502 })
    await refusal(revokeCredential(open.upstream, grant, 'grant'), 'retry', 'service_failed')
  })

  test('a service without revocation is not_offered', async () => {
    const grant = await held()
    const { revokeUrl: _, ...auth } = demoSocial.auth as OAuth2
    assert.equal(
      await revokeCredential(open.upstream, { ...grant, connector: { ...demoSocial, auth } }, 'grant'),
      'not_offered',
    )
  })

  test('a declared revocation request', async () => {
    const connector = withOptions<OAuth2>(demoSocial, {
      revoke: { method: 'POST', tokenPlacement: 'form', parameters: { token: '{token}', app: '{key}' } },
    })
    const grant = await held(connector)
    assert.equal(await revokeCredential(open.upstream, grant, 'grant'), 'revoked')
    assert.equal(await grant.status(), 401)
    const deleting = withOptions<OAuth2>(demoSocial, {
      revokeUrl: 'https://demo-social.test/apps/{key}/grant',
      revoke: { method: 'DELETE', tokenPlacement: 'bearer' },
    })
    social.faults.add({ path: '/apps/*', kind: 'response', status: 204, body: '' })
    assert.equal(await revokeCredential(open.upstream, { ...grant, connector: deleting }, 'grant'), 'revoked')
    const [request] = social.requests.to('/apps/*', 'DELETE')
    assert.equal(request?.path, `/apps/${grant.key.key}/grant`)
    assert.equal(request?.headers.authorization, `Bearer ${grant.credential.token}`)
  })

  test('S26 only a valid token of this app is accepted', async () => {
    const grant = await held()
    const { token } = grant.credential
    const proved = await verifyCredential(open.upstream, { ...grant, credential: { token } })
    assert.equal(proved.self.handle, 'ada')
    const other = await held()
    await refusal(
      verifyCredential(open.upstream, { ...other, credential: { token } }),
      'reauthorize',
      'service_refused',
    )
    const { verifyApp: _, ...unchecked } = demoSocial.auth as OAuth2
    for (const connector of [demoSocial, { ...demoSocial, auth: unchecked }])
      for (const bad of ['malformed token\r\nx: y', 'unknown', ''])
        await assert.rejects(verifyCredential(open.upstream, { ...grant, connector, credential: { token: bad } }), {
          name: 'UpstreamError',
          recovery: 'reauthorize',
        })
    lab.clock.advance(3_700_000)
    await refusal(
      verifyCredential(open.upstream, { ...grant, credential: { token } }),
      'reauthorize',
      'service_refused',
    )
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import { auditTrail } from '../../harness/audit.ts'
import { type Fixture, notes, openFixture, someNotes } from './engine-fixture.ts'

const auth = oauth2({ authorizeUrl: 'https://api.test/authorize', tokenUrl: 'https://api.test/token' })

suite('credentials during a sync', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture({ transientRetryMs: 5 })
  })
  after(() => fixture.close())

  /** A service that accepts one access token and each refresh token once, like services with rotation. */
  async function guarded(name: string) {
    const state = { token: 'a1', refresh: 'r1', refreshes: 0, refuses: false, expiresIn: 3600 }
    const connector = await fixture.use(name, { list: notes(`/${name}`), other: notes(`/${name}`) }, { auth })
    fixture.service.on(`/${name}`, ({ headers }) =>
      headers.authorization === `Bearer ${state.token}`
        ? { body: { notes: someNotes(2) } }
        : { status: 401, body: { error: 'invalid_token' } },
    )
    fixture.service.on('/token', ({ body }) => {
      const sent = new URLSearchParams(body).get('refresh_token')
      if (state.refuses || sent !== state.refresh) return { status: 400, body: { error: 'invalid_grant' } }
      state.refreshes += 1
      state.token = `a${state.refreshes + 1}`
      state.refresh = `r${state.refreshes + 1}`
      return {
        body: {
          access_token: state.token,
          refresh_token: state.refresh,
          token_type: 'bearer',
          expires_in: state.expiresIn,
        },
      }
    })
    return { state, connector, calls: () => fixture.service.requestsTo(`/${name}`).length }
  }

  test('401 refreshes once and continues; the rest of the run uses the new token', async () => {
    const { state, connector, calls } = await guarded('expired')
    const profile = await fixture.connect(connector, 'ada', { token: 'long-gone', refreshToken: 'r1' })
    await fixture.run(profile)
    assert.equal(state.refreshes, 1)
    assert.equal(calls(), 3)
    assert.equal((await fixture.stored(profile)).size, 2)
    assert.equal((await fixture.stored(profile, 'other')).size, 2)
  })

  test('a token that expires soon is refreshed before use; a short-lived one is not refreshed for every call', async () => {
    const { state, connector, calls } = await guarded('soon')
    state.expiresIn = 60
    const profile = await fixture.connect(connector, 'ada', {
      token: 'a1',
      refreshToken: 'r1',
      expiresAt: fixture.clock.now() + 5000,
    })
    fixture.clock.offsetMs += 4500
    await fixture.run(profile)
    assert.equal(state.refreshes, 1)
    assert.equal(calls(), 2)
  })

  test('a revoked grant: the person must sign in again, once in the audit log, and no further call is made', async () => {
    const { state, connector, calls } = await guarded('revoked')
    const profile = await fixture.connect(connector, 'ada', { token: 'a1', refreshToken: 'r1' })
    await fixture.run(profile)
    state.token = 'revoked'
    state.refuses = true
    await fixture.sync(profile)
    const refused = await fixture.reload(profile)
    assert.equal(refused.state, 'needs_auth')
    const audit = async () =>
      (await auditTrail(fixture.sql, 'profile.needs_auth', { account: profile.accountId })).map(({ detail }) => detail)
    assert.deepEqual(
      (await audit()).map((detail) => detail['profile']),
      ['ada@revoked'],
    )
    const before = calls()
    fixture.clock.offsetMs += 86_400_000
    await fixture.sync(profile)
    await fixture.run(profile)
    assert.equal(calls(), before)
    assert.equal((await audit()).length, 1)

    // Signing in again is enough.
    state.refuses = false
    Object.assign(state, { token: 'a9', refresh: 'r9' })
    const again = await fixture.connect(connector, 'ada', { token: 'a9', refreshToken: 'r9' })
    assert.equal(again.id, profile.id)
    await fixture.run(again)
    assert.equal((await fixture.reload(profile)).state, 'active')
    assert.ok(calls() > before)
  })

  test('without a refresh token, the second refusal is final', async () => {
    const connector = await fixture.use('plain', { list: notes('/plain') })
    fixture.service.on('/plain', () => ({ status: 401, body: {} }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.reload(profile)).state, 'needs_auth')
    assert.equal(fixture.service.requestsTo('/plain').length, 2)
  })

  test('a token endpoint that is down is an outage, not a refusal; a token that is still valid is used meanwhile', async () => {
    const { connector } = await guarded('down')
    fixture.service.on('/token', () => ({ status: 503, body: {} }))
    const profile = await fixture.connect(connector, 'ada', {
      token: 'a1',
      refreshToken: 'r1',
      expiresAt: fixture.clock.now() + 3_600_000,
    })
    fixture.clock.offsetMs += 3_500_000
    await fixture.run(profile)
    assert.equal((await fixture.progress(profile, 'list')).state, 'done')
    fixture.clock.offsetMs += 200_000
    await fixture.sync(profile)
    assert.equal((await fixture.reload(profile)).state, 'active')
    assert.equal((await fixture.progress(profile, 'list')).state, 'failing')
  })

  test('removed keys only postpone; once they are set again, the sync continues', async () => {
    const auth = oauth2({ authorizeUrl: 'https://login.test/authorize', tokenUrl: 'https://login.test/token' })
    const connector = await fixture.use('keyless', { list: notes('/keyless') }, { auth })
    fixture.service.on('/keyless', () => ({ body: { notes: someNotes(1) } }))
    const profile = await fixture.connect(connector)
    await fixture.sql('delete from service_key where service = $1', ['keyless'])
    await fixture.run(profile)
    assert.equal(fixture.service.requestsTo('/keyless').length, 0)
    await fixture.use('keyless', { list: notes('/keyless') }, { auth })
    const [row] = await fixture.sql<{ next_run_at: number }>(
      'select next_run_at from profile_sync where profile_id = $1',
      [profile.id],
    )
    assert.ok(row!.next_run_at > fixture.clock.now() && row!.next_run_at <= fixture.clock.now() + 3_600_000)
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 1)
  })
})

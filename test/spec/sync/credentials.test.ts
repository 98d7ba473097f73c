import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { oauth2 } from '#kit/auth.ts'
import { auditTrail } from '../../harness/audit.ts'
import { type Ground, notes, openGround, someNotes } from './engine-fixture.ts'

const auth = oauth2({ authorizeUrl: 'https://api.test/authorize', tokenUrl: 'https://api.test/token' })

suite('credentials during a sync', () => {
  let ground: Ground
  before(async () => {
    ground = await openGround({ hiccupMs: 5 })
  })
  after(() => ground.close())

  /** A service that honours one access token and trades refresh tokens once each, as rotating services do. */
  async function guarded(name: string) {
    const state = { token: 'a1', refresh: 'r1', trades: 0, refuses: false, expiresIn: 3600 }
    const connector = await ground.use(name, { list: notes(`/${name}`), other: notes(`/${name}`) }, { auth })
    ground.service.on(`/${name}`, ({ headers }) =>
      headers.authorization === `Bearer ${state.token}`
        ? { body: { notes: someNotes(2) } }
        : { status: 401, body: { error: 'invalid_token' } },
    )
    ground.service.on('/token', ({ body }) => {
      const given = new URLSearchParams(body).get('refresh_token')
      if (state.refuses || given !== state.refresh) return { status: 400, body: { error: 'invalid_grant' } }
      state.trades += 1
      state.token = `a${state.trades + 1}`
      state.refresh = `r${state.trades + 1}`
      return {
        body: {
          access_token: state.token,
          refresh_token: state.refresh,
          token_type: 'bearer',
          expires_in: state.expiresIn,
        },
      }
    })
    return { state, connector, calls: () => ground.service.to(`/${name}`).length }
  }

  test('401 refreshes once and goes on; the new token serves the rest of the run', async () => {
    const { state, connector, calls } = await guarded('expired')
    const profile = await ground.connect(connector, 'ada', { token: 'long-gone', refreshToken: 'r1' })
    await ground.run(profile)
    assert.equal(state.trades, 1)
    assert.equal(calls(), 3)
    assert.equal((await ground.stored(profile)).size, 2)
    assert.equal((await ground.stored(profile, 'other')).size, 2)
  })

  test('a token that ends soon is refreshed before it is used, a short-lived one not with every call', async () => {
    const { state, connector, calls } = await guarded('soon')
    state.expiresIn = 60
    const profile = await ground.connect(connector, 'ada', {
      token: 'a1',
      refreshToken: 'r1',
      expiresAt: ground.clock.now() + 5000,
    })
    ground.clock.offsetMs += 4500
    await ground.run(profile)
    assert.equal(state.trades, 1)
    assert.equal(calls(), 2)
  })

  test('a revoked grant: the person must sign in again, once in the audit log, and no further call is made', async () => {
    const { state, connector, calls } = await guarded('revoked')
    const profile = await ground.connect(connector, 'ada', { token: 'a1', refreshToken: 'r1' })
    await ground.run(profile)
    state.token = 'revoked'
    state.refuses = true
    await ground.sync(profile)
    const refused = await ground.reload(profile)
    assert.equal(refused.state, 'needs_auth')
    const audit = async () =>
      (await auditTrail(ground.sql, 'profile.needs_auth', { account: profile.accountId })).map(({ detail }) => detail)
    assert.deepEqual(
      (await audit()).map((detail) => detail['profile']),
      ['ada@revoked'],
    )
    const before = calls()
    ground.clock.offsetMs += 86_400_000
    await ground.sync(profile)
    await ground.run(profile)
    assert.equal(calls(), before)
    assert.equal((await audit()).length, 1)

    // Signing in again is all it takes.
    state.refuses = false
    Object.assign(state, { token: 'a9', refresh: 'r9' })
    const again = await ground.connect(connector, 'ada', { token: 'a9', refreshToken: 'r9' })
    assert.equal(again.id, profile.id)
    await ground.run(again)
    assert.equal((await ground.reload(profile)).state, 'active')
    assert.ok(calls() > before)
  })

  test('where nothing can be refreshed, two refusals are the last word', async () => {
    const connector = await ground.use('plain', { list: notes('/plain') })
    ground.service.on('/plain', () => ({ status: 401, body: {} }))
    const profile = await ground.connect(connector)
    await ground.run(profile)
    assert.equal((await ground.reload(profile)).state, 'needs_auth')
    assert.equal(ground.service.to('/plain').length, 2)
  })

  test('a token endpoint that is down is an outage, not a refusal; a token that still works is used meanwhile', async () => {
    const { connector } = await guarded('down')
    ground.service.on('/token', () => ({ status: 503, body: {} }))
    const profile = await ground.connect(connector, 'ada', {
      token: 'a1',
      refreshToken: 'r1',
      expiresAt: ground.clock.now() + 3_600_000,
    })
    ground.clock.offsetMs += 3_500_000
    await ground.run(profile)
    assert.equal((await ground.progress(profile, 'list')).state, 'done')
    ground.clock.offsetMs += 200_000
    await ground.sync(profile)
    assert.equal((await ground.reload(profile)).state, 'active')
    assert.equal((await ground.progress(profile, 'list')).state, 'failing')
  })

  test('keys that are taken away only pause; set again, the sync goes on', async () => {
    const connector = await ground.use('keyless', { list: notes('/keyless') })
    ground.service.on('/keyless', () => ({ body: { notes: someNotes(1) } }))
    const profile = await ground.connect(connector)
    await ground.sql('delete from service_key where service = $1', ['keyless'])
    await ground.run(profile)
    assert.equal(ground.service.to('/keyless').length, 0)
    await ground.use('keyless', { list: notes('/keyless') })
    const [row] = await ground.sql<{ next_run_at: number }>(
      'select next_run_at from profile_sync where profile_id = $1',
      [profile.id],
    )
    assert.ok(row!.next_run_at > ground.clock.now() && row!.next_run_at <= ground.clock.now() + 3_600_000)
    await ground.run(profile)
    assert.equal((await ground.stored(profile)).size, 1)
  })
})

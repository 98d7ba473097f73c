import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { auditTrail } from '../../harness/audit.ts'
import { startSecondServer } from '../../harness/database/second-server.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, newCode, redeemed, signIn } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { startQuietHarness } from '../sign-in/fixture.ts'

const MAX_TOKENS = 1000
const DAY_MS = 86_400_000

let harness: LabHarness
/** An app of its own for each test, so that each person has an account of its own. */
let app: LabApp
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const enter = async (service: string, to?: Granted) =>
  signIn(harness, service, 'ada', to === undefined ? {} : { access_token: to.access_token }, app)
const status = async ({ access_token: token }: Granted) => (await get(harness, '/profiles', token)).status
const tokensOf = ({ account }: Granted) =>
  harness.sql<{ profile_id: string | null; used_at: number | null }>(
    'select profile_id, used_at::float8 as used_at from access_token where account_id = $1 and revoked_at is null',
    [account],
  )
const profileOf = async ({ account }: Granted, service: string) =>
  (
    await harness.sql<{ id: string }>('select id from profile where account_id = $1 and service = $2', [
      account,
      service,
    ])
  )[0]!.id

/** Tokens that nobody has, as many as are missing to `MAX_TOKENS`, used some days ago. */
async function fill(of: Granted, profileId: string | null, daysAgo: number): Promise<void> {
  const missing = MAX_TOKENS - (await tokensOf(of)).length
  await harness.sql(
    `insert into access_token (shard, hash, account_id, profile_id, created_at, used_at)
     select a.shard, sha256(convert_to(a.id || n, 'UTF8')), a.id, $2, $3::bigint + n, $3::bigint + n
     from account a, generate_series(1, $4::int) n where a.id = $1`,
    [of.account, profileId, Date.now() - daysAgo * DAY_MS, missing],
  )
}

/** As if the only token that is not of `fill` was issued, and used last, long ago. */
const age = ({ account }: Granted, daysAgo: number) =>
  harness.sql('update access_token set created_at = $2, used_at = null where account_id = $1 and used_at is null', [
    account,
    Date.now() - daysAgo * DAY_MS,
  ])

suite('an account with as many access tokens as it may have', () => {
  test('signs in, and the one that was used least recently ends, everywhere and at once', async () => {
    app = await harness.makeApp()
    const first = await enter('demo-social')
    const made = await send(harness, 'POST', '/proxy-tokens', {
      token: first.access_token,
      json: { service: 'demo-social' },
    })
    assert.equal(made.status, 201, made.text)
    await fill(first, await profileOf(first, 'demo-social'), 10)
    // Cached, so that it is the statement of the read that refuses.
    assert.equal((await get(harness, '/types/statuses', first.access_token)).status, 200)
    await age(first, 20)
    const next = await enter('demo-social')
    assert.equal(next.account, first.account)
    assert.equal((await get(harness, '/types/statuses', first.access_token)).status, 401)
    const ofService = await get(harness, '/proxy/demo-social/me', made.body['token'] as string)
    assert.equal(ofService.status, 401, 'a token for a service ends with the one it was made with')
    assert.equal(await status(next), 200)
    assert.equal((await tokensOf(next)).length, MAX_TOKENS)
    const audited = await auditTrail(harness.sql, 'token.revoke', { account: first.account })
    assert.deepEqual(
      audited.map(({ actor, detail }) => ({ actor, detail })),
      [{ actor: 'limit', detail: { reason: 'too_many_tokens', tokens: 1 } }],
    )
  })

  test('keeps one that is still used, however old it is', async () => {
    app = await harness.makeApp()
    const first = await enter('demo-social')
    await age(first, 4000)
    assert.equal(await status(first), 200)
    const [used] = await until('its use is written', async () => {
      const found = await tokensOf(first)
      return found[0]!.used_at === null ? undefined : found
    })
    assert.ok(used!.used_at! > Date.now() - DAY_MS)
    await fill(first, await profileOf(first, 'demo-social'), 10)
    await enter('demo-social')
    assert.equal(await status(first), 200)
  })

  test('loses no token because somebody who has one connects a profile of their own', async () => {
    app = await harness.makeApp()
    const owner = await enter('demo-social')
    const stranger = await enter('demo-micro', owner)
    await fill(owner, await profileOf(owner, 'demo-micro'), 1)
    await age(owner, 100)
    for (let n = 0; n < 3; n += 1) await enter('demo-micro', owner)
    assert.equal(await status(owner), 200)
    // Of the profile with the most tokens, the oldest ended: the stranger's own.
    assert.equal(await status(stranger), 401)
    assert.equal((await tokensOf(owner)).length, MAX_TOKENS)
  })

  test('loses no token because somebody connects and disconnects again and again', async () => {
    app = await harness.makeApp()
    const owner = await enter('demo-social')
    const stranger = await enter('demo-micro', owner)
    const left = await send(harness, 'DELETE', '/profiles/demo-micro', { token: owner.access_token })
    assert.equal(left.status, 200, left.text)
    assert.equal(await status(stranger), 200, 'disconnecting a profile ends no token')
    assert.deepEqual((await tokensOf(owner)).filter(({ profile_id: id }) => id === '').length, 1)
    await fill(owner, '', 1)
    await age(owner, 100)
    await enter('demo-micro', owner)
    assert.equal(await status(owner), 200)
    assert.equal(await status(stranger), 401)
  })

  test('of the release before ends its oldest, and of none more than one for a sign-in', async () => {
    app = await harness.makeApp()
    const first = await enter('demo-social')
    await harness.sql('update access_token set profile_id = null where account_id = $1', [first.account])
    await fill(first, null, 1)
    await age(first, 100)
    const next = await enter('demo-social')
    assert.equal(await status(first), 401)
    assert.equal(await status(next), 200)
    assert.equal((await tokensOf(next)).length, MAX_TOKENS)
  })

  test('has no more of them after sign-ins at two processes at once, and each has succeeded', async () => {
    app = await harness.makeApp()
    const first = await enter('demo-social')
    await fill(first, await profileOf(first, 'demo-social'), 10)
    const second = await startSecondServer(harness.tributary, { TRIBUTARY_ALLOW_PRIVATE: LOOPBACK })
    try {
      const codes = await Promise.all(Array.from({ length: 6 }, () => newCode(harness, 'demo-social', 'ada', {}, app)))
      const granted = await Promise.all(
        codes.map((code, n) =>
          redeemed({ app, tributary: n % 2 === 0 ? harness.tributary : second.tributary }, code, app),
        ),
      )
      assert.equal(new Set(granted.map(({ access_token: token }) => token)).size, 6)
      for (const each of granted) assert.equal(await status(each), 200)
      assert.equal((await tokensOf(first)).length, MAX_TOKENS)
    } finally {
      await second.stop()
    }
  })

  test('ends as many as are too many where a release without the limit issued more', async () => {
    app = await harness.makeApp()
    const first = await enter('demo-social')
    await fill(first, null, 10)
    await harness.sql(
      `insert into access_token (shard, hash, account_id, created_at)
       select a.shard, sha256(convert_to('more' || n, 'UTF8')), a.id, n from account a, generate_series(1, 50) n where a.id = $1`,
      [first.account],
    )
    await enter('demo-social')
    assert.equal((await tokensOf(first)).length, MAX_TOKENS)
    const [entry] = await auditTrail(harness.sql, 'token.revoke', { account: first.account })
    assert.equal(entry!.detail['tokens'], 51)
  })
})

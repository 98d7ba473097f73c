import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, newCode, redeem } from '../../harness/sign-in.ts'
import { auditOf, pkce, startQuietHarness, withoutRequestId } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const text = async (response: Response) => withoutRequestId({ text: await response.text() })
const code = (query: Record<string, string> = {}) => newCode(harness, 'demo-social', 'ada', query)

suite('authorization codes', () => {
  test('S09 one code redeemed fifty times at once: one succeeds, and after a second use its token is invalid', async () => {
    const one = await code()
    const responses = await Promise.all(Array.from({ length: 50 }, () => redeem(harness, one)))
    const good = responses.filter(({ status }) => status === 200)
    assert.equal(good.length, 1)
    assert.ok(responses.every(({ status }) => status === 200 || status === 400))
    const { access_token: token } = (await good[0]!.json()) as Granted
    assert.equal((await redeem(harness, one)).status, 400)
    assert.equal((await get(harness, '/profiles', token)).status, 401)
    assert.equal((await auditOf(harness, 'code.replayed')).length, 1, 'audited once')
  })

  test('S09 without a second use the token stays valid; a second use leaves other tokens of the account valid', async () => {
    const first = (await (await redeem(harness, await code())).json()) as Granted
    const twice = await code()
    const second = (await (await redeem(harness, twice)).json()) as Granted
    assert.equal((await get(harness, '/profiles', second.access_token)).status, 200)
    await redeem(harness, twice)
    assert.equal((await get(harness, '/profiles', second.access_token)).status, 401)
    assert.equal((await get(harness, '/profiles', first.access_token)).status, 200)
  })

  test('S10 another app, another address, too late, malformed: refused with the same words', async () => {
    const other = await harness.makeApp()
    const texts = new Set<string>()
    const refused = async (response: Response) => {
      assert.equal(response.status, 400)
      texts.add(await text(response))
    }
    const one = await code()
    await refused(await redeem(harness, one, {}, other))
    await refused(await redeem(harness, one, { redirect_uri: 'http://localhost:4999/other' }))
    await refused(await redeem(harness, one, { redirect_uri: 'http://localhost:5000/back' }))
    assert.equal((await redeem(harness, one)).status, 200, 'none of these used it up')
    await refused(await redeem(harness, one))
    const late = await code()
    await harness.sql('update consent set expires_at = expires_at - 600001 where used_at is null')
    await refused(await redeem(harness, late))
    for (const nonsense of [
      'x',
      late.slice(0, -1),
      `${late}0`,
      late.toUpperCase(),
      'trc_'.padEnd(58, '0'),
      `trf_${late.slice(4)}`,
    ])
      await refused(await redeem(harness, nonsense))
    assert.equal(texts.size, 1, [...texts].join('\n'))
  })

  test('S11 with PKCE, a victim’s code is useless in the attacker’s session', async () => {
    const [victim, attacker] = [pkce(), pkce()]
    const stolen = await code(victim.query)
    assert.equal((await redeem(harness, stolen, { code_verifier: attacker.verifier })).status, 400)
    assert.equal((await redeem(harness, stolen)).status, 400)
    assert.equal((await redeem(harness, stolen, { code_verifier: victim.verifier })).status, 200)
  })
})

suite('S12 PKCE', () => {
  test('accepts the right verifier, of 43 and of 128 characters', async () => {
    for (const verifier of ['a'.repeat(43), 'Az09-._~'.repeat(16)]) {
      const { query } = pkce(verifier)
      assert.equal((await redeem(harness, await code(query), { code_verifier: verifier })).status, 200)
    }
  })

  test('refuses a verifier that is missing, wrong, too short, too long, of other characters, or the challenge itself', async () => {
    const { query } = pkce()
    const wrong = ['', 'x'.repeat(43), query.code_challenge]
    for (const verifier of wrong)
      assert.equal((await redeem(harness, await code(query), { code_verifier: verifier })).status, 400, verifier)
    for (const verifier of ['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}!`, `${'a'.repeat(42)}é`])
      assert.equal((await redeem(harness, await code(pkce(verifier).query), { code_verifier: verifier })).status, 400)
    assert.equal((await redeem(harness, await code(query))).status, 400)
  })

  test('refuses a verifier where no challenge was given', async () => {
    assert.equal((await redeem(harness, await code(), { code_verifier: 'a'.repeat(43) })).status, 400)
  })

  test('reports `plain`, in any spelling, to the app', async () => {
    for (const method of ['plain', 's256', 'S512', 'none']) {
      const query = { ...pkce().query, code_challenge_method: method }
      const response = await send(
        harness,
        'GET',
        harness.startUrl('demo-social', query).slice(harness.tributary.url.length),
      )
      assert.match(response.headers.get('location') ?? '', /\?error=invalid_request&error_description=code_challenge/)
    }
  })
})

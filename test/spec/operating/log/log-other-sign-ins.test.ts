import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createBrowser } from '../../../../lab/browser.ts'
import type { LabApp, LabHarness } from '../../../harness/lab.ts'
import { codeOf, REDIRECT, redeemed, signIn, startUrl } from '../../../harness/sign-in.ts'
import { startQuietHarness } from '../../sign-in/fixture.ts'
import { openTyped, startTypedHarness, type TypedHarness, typeIn } from '../../sign-in/typed-fixture.ts'
import { logged, readLog, stepNames } from './log-reading.ts'

suite('a sign-in by OAuth 1 in the log', () => {
  let harness: LabHarness
  before(async () => {
    harness = await startQuietHarness()
  })
  after(() => harness.stop())

  test('shows the request token, the exchange and who the person is, and none of the tokens', async () => {
    const app = await harness.makeApp()
    const { account } = await signIn(harness, 'demo-micro', 'ada', {}, app)
    const operation = await logged(harness, app.clientId, { kind: 'sign_in', outcome: 'ok' })
    assert.deepEqual(stepNames(operation), [
      'request',
      'request/checks',
      'request/request_token',
      'request/redirect',
      'callback',
      'callback/token_exchange',
      'callback/self_request',
      'code_exchange',
    ])
    assert.deepEqual([operation.account, operation.service], [account, 'demo-micro'])
    assert.equal((await readLog(harness, app.clientId)).operations.length, 1)
    const [credential] = await harness.sql<{ n: number }>('select count(*)::int as n from credential')
    assert.ok(credential!.n > 0)
    assert.doesNotMatch(JSON.stringify(operation), /oauth_(token|verifier|signature)=|oauth_token_secret/)
  })

  test('with a wrong verifier is failed at the callback, and a denial is refused', async () => {
    const stopped = async (app: LabApp) => {
      const { callback } = app.keys['demo-micro']!
      let isHolding = true
      const stopAt = (url: string) => url.startsWith(REDIRECT) || (isHolding && url.startsWith(callback))
      const browser = createBrowser({ stopAt })
      const page = await browser.walk(startUrl(harness, 'demo-micro', {}, app), { person: 'ada' })
      isHolding = false
      return { browser, url: new URL(page.url) }
    }
    const app = await harness.makeApp()
    const wrong = await stopped(app)
    wrong.url.searchParams.set('oauth_verifier', 'guessed-verifier')
    await wrong.browser.open(wrong.url.href)
    const failed = await logged(harness, app.clientId, { kind: 'sign_in', reason: 'service_refused' })
    assert.equal(stepNames(failed).at(-1), 'callback/token_exchange')
    assert.doesNotMatch(JSON.stringify(failed), /guessed-verifier/)
    const other = await harness.makeApp()
    const denied = await stopped(other)
    const token = denied.url.searchParams.get('oauth_token')!
    await denied.browser.open(`${denied.url.origin}${denied.url.pathname}?denied=${token}`)
    const refused = await logged(harness, other.clientId, { kind: 'sign_in', reason: 'access_denied' })
    assert.equal(refused.outcome, 'refused')
    assert.ok(!JSON.stringify(refused).includes(token))
  })
})

suite('a sign-in with typed credentials in the log', () => {
  let harness: TypedHarness
  before(async () => {
    harness = await startTypedHarness()
  })
  after(() => harness.stop())

  test('shows the page, a wrong password and the right one as one operation, and neither password', async () => {
    const { browser, page } = await openTyped(harness, 'password-service')
    const again = await typeIn(browser, page, { name: 'ada', password: 'a wrong password' })
    assert.equal(again.stopped, false, 'the page asks again')
    const back = await typeIn(browser, again, { name: 'ada', password: 'correct horse' })
    const { account } = await redeemed(harness, codeOf(new URL(back.url)))
    const operation = await logged(harness, harness.app.clientId, { kind: 'sign_in', outcome: 'ok' })
    assert.deepEqual(
      operation.steps.map(({ name, outcome }) => `${name} ${outcome}`),
      ['request ok', 'typed failed', 'typed ok', 'code_exchange ok'],
    )
    assert.deepEqual([operation.account, operation.service], [account, 'password-service'])
    assert.doesNotMatch(JSON.stringify(operation), /wrong password|correct horse/)
    assert.equal((await readLog(harness, harness.app.clientId)).operations.length, 1)
  })

  test('that the person declines is refused', async () => {
    const { browser, page } = await openTyped(harness, 'key-service')
    await typeIn(browser, page, {}, 'no')
    const refused = await logged(harness, harness.app.clientId, { service: 'key-service', reason: 'access_denied' })
    assert.deepEqual([refused.outcome, refused.steps.map(({ name }) => name)], ['refused', ['request', 'typed']])
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from '../../../lab/browser.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { get } from '../../harness/send.ts'
import { type Granted, newBrowser, REDIRECT, redeem, signIn, withoutDescription } from '../../harness/sign-in.ts'
import { expireAfter, nativeId, pkce, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const MINUTES = 60_000
const press = (browser: Browser, page: Page, answer: 'yes' | 'no') => browser.submit(page, page.forms[0]!, { answer })
const profilesOf = async (token: string) => (await get(harness, '/profiles', token)).body
const codeIn = (page: Page) => new URL(page.url).searchParams.get('code')
const grantedBy = async (page: Page, fields: Record<string, string> = {}) =>
  (await (await redeem(harness, codeIn(page)!, fields)).json()) as Granted

/** A person opens a link with the access token of another person's account. */
async function openLink(token: string, person: string, query: Record<string, string> = {}, browser = newBrowser()) {
  const start = harness.startUrl('demo-health', { access_token: token, state: 's', ...query })
  return { browser, page: await browser.walk(start, { person }) }
}

/** A sign-in in this browser, with its code redeemed. */
async function signedInHere(browser: Browser, person: string): Promise<Granted> {
  return grantedBy(await browser.walk(harness.startUrl('demo-social', { force_login: 'true' }), { person }))
}

suite('F10 a link with an access token joins nobody without consent', () => {
  test('the person sees whose account it is, at an address that can be reloaded; “no” changes nothing', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const before = await profilesOf(ada.access_token)
    const { browser, page } = await openLink(ada.access_token, 'ben')
    assert.equal(page.status, 200)
    assert.ok(!page.chain.some((url) => url.startsWith(REDIRECT)), 'no redirect to the app yet')
    assert.match(page.body, /<li>Ada Marlowe at Demo Social<\/li>/)
    assert.match(page.body, /This page works until /)
    assert.equal(new URL(page.url).pathname, '/oauth/confirm')
    const again = await browser.open(page.url)
    assert.equal(again.body, page.body)
    assert.equal((await newBrowser().open(page.url)).status, 400, 'another browser does not see it')
    harness.lab.services['demo-health'].requests.clear()
    assert.equal(withoutDescription((await press(browser, again, 'no')).url), `${REDIRECT}?error=access_denied&state=s`)
    assert.ok(harness.lab.services['demo-health'].requests.count('/oauth/revoke') > 0)
    assert.deepEqual(await profilesOf(ada.access_token), before)
    const ben = nativeId(harness, 'demo-health', 'ben')
    assert.deepEqual(await harness.sql('select 1 from consent where native_id = $1', [ben]), [])
    assert.equal(
      withoutDescription((await press(browser, page, 'no')).url),
      `${REDIRECT}?error=access_denied&state=s`,
      'a second click',
    )
    assert.equal((await press(browser, page, 'yes')).status, 400, 'no is no')
    assert.equal((await browser.open(page.url)).status, 400)
  })

  test('“yes” gives the app a code, and only redeeming it joins the account', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const { verifier, query } = pkce()
    const { browser, page } = await openLink(ada.access_token, 'ben', query)
    const result = await press(browser, page, 'yes')
    assert.equal(new URL(result.url).searchParams.get('state'), 's')
    assert.equal((await profilesOf(ada.access_token))['demo-health'], undefined)
    assert.equal((await redeem(harness, codeIn(result)!)).status, 400, 'PKCE is enforced after the page')
    const granted = await grantedBy(result, { code_verifier: verifier })
    assert.equal(granted.account, ada.account)
    const ben = encodeURIComponent(nativeId(harness, 'demo-health', 'ben'))
    assert.deepEqual((await profilesOf(ada.access_token))['demo-health'], [ben])
  })

  test('submitted twice at once: the same code, which works', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const { browser, page } = await openLink(ada.access_token, 'chloe')
    const [one, two] = await Promise.all([press(browser, page, 'yes'), press(browser, page, 'yes')])
    assert.equal(codeIn(one), codeIn(two))
    assert.match(codeIn(one) ?? '', /^trc_/)
    assert.equal((await grantedBy(two)).account, ada.account)
  })

  test('back and submitted again: works before the app redeems the code; afterwards it is reported as done and revokes nothing', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const { browser, page } = await openLink(ada.access_token, 'dmitri')
    const result = await press(browser, page, 'yes')
    const back = await browser.open(page.url)
    assert.match(back.body, /Ada Marlowe/)
    assert.equal(codeIn(await press(browser, back, 'yes')), codeIn(result))
    const granted = await grantedBy(result)
    for (const late of [
      await browser.open(page.url),
      await press(browser, back, 'yes'),
      await press(browser, back, 'no'),
    ])
      assert.match(late.body, /This is done/)
    assert.equal((await get(harness, '/profiles', granted.access_token)).status, 200, 'the token lives')
  })

  test('“no” after “yes” counts until the app redeems the code', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const { browser, page } = await openLink(ada.access_token, 'esra')
    const result = await press(browser, page, 'yes')
    harness.lab.services['demo-health'].requests.clear()
    assert.equal(withoutDescription((await press(browser, page, 'no')).url), `${REDIRECT}?error=access_denied&state=s`)
    assert.ok(harness.lab.services['demo-health'].requests.count('/oauth/revoke') > 0)
    assert.equal((await redeem(harness, codeIn(result)!)).status, 400)
  })

  test('after ten minutes the page says so, and the service revokes the token', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const { browser, page } = await openLink(ada.access_token, 'finn')
    await harness.sql("update consent set expires_at = 1 where kind = 'confirm' and used_at is null")
    for (const late of [await browser.open(page.url), await press(browser, page, 'yes')]) {
      assert.equal(late.status, 400)
      assert.match(late.body, /ten minutes/)
      assert.match(late.body, /session_expired/)
    }
    harness.lab.services['demo-health'].requests.clear()
    await expireAfter(harness, MINUTES)
    assert.ok(harness.lab.services['demo-health'].requests.count('/oauth/revoke') > 0)
  })

  test('a code that is not redeemed after “yes” expires once, and its token is revoked', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    await expireAfter(harness, 11 * MINUTES)
    const { browser, page } = await openLink(ada.access_token, 'finn')
    await press(browser, page, 'yes')
    harness.lab.services['demo-health'].requests.clear()
    assert.equal((await expireAfter(harness, 11 * MINUTES)).consents, 1)
    assert.ok(harness.lab.services['demo-health'].requests.count('/oauth/revoke') > 0)
    assert.equal((await press(browser, page, 'yes')).status, 400)
  })

  test('when the account is deleted meanwhile, the sign-in ends', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada', {}, harness.app)
    const other = await signIn(harness, 'demo-micro', 'ben')
    const { browser, page } = await openLink(ada.access_token, 'finn')
    const merge = new URLSearchParams({ source: ada.access_token, dest: other.access_token })
    assert.equal((await fetch(`${harness.tributary.url}/auth/merge`, { method: 'POST', body: merge })).status, 200)
    assert.equal((await browser.open(page.url)).status, 400)
    assert.equal((await press(browser, page, 'yes')).status, 400)
  })
})

suite('F10 a browser that signed in to the account before is not asked', () => {
  test('linking proceeds without the confirmation page', async () => {
    const browser = newBrowser()
    const ada = await signedInHere(browser, 'ada')
    const { page } = await openLink(ada.access_token, 'ada', {}, browser)
    assert.ok(page.stopped, page.url)
    assert.equal((await grantedBy(page)).account, ada.account)
  })

  test('a sign-in that was not redeemed, another account, or a revoked token does not count', async () => {
    const browser = newBrowser()
    await browser.walk(harness.startUrl('demo-social'), { person: 'ben' })
    const ben = await signIn(harness, 'demo-social', 'ben')
    assert.ok(!(await openLink(ben.access_token, 'ben', {}, browser)).page.stopped, 'never redeemed')
    const own = await signedInHere(browser, 'chloe')
    assert.ok(!(await openLink(ben.access_token, 'chloe', {}, browser)).page.stopped, 'another account')
    const form = { client_id: harness.app.clientId, client_secret: harness.app.secret, token: own.access_token }
    await fetch(`${harness.tributary.url}/oauth/revoke`, { method: 'POST', body: new URLSearchParams(form) })
    const second = await signIn(harness, 'demo-social', 'chloe')
    assert.equal(second.account, own.account)
    assert.ok(!(await openLink(second.access_token, 'chloe', {}, browser)).page.stopped, 'taken back')
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from '../../../lab/browser.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { get } from '../../harness/send.ts'
import { newBrowser, REDIRECT, signIn, withoutDescription } from '../../harness/sign-in.ts'
import { auditOf, nativeId, startQuietHarness } from './fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

/** Walks to the confirmation page. */
async function askedFor(query: Record<string, string> = {}, person = 'ada', app = harness.app) {
  const browser = newBrowser()
  const page = await browser.walk(harness.startUrl('demo-social', { response_type: 'token', ...query }, app), {
    person,
  })
  assert.equal(page.status, 200)
  assert.equal(page.forms.length, 1)
  return { browser, page }
}

const press = (browser: Browser, page: Page, answer: 'yes' | 'no') => browser.submit(page, page.forms[0]!, { answer })
const fragmentOf = (page: Page) => new URLSearchParams(new URL(page.url).hash.slice(1))

suite('response_type=token', () => {
  test('the token is returned in the fragment after the person confirmed', async () => {
    const { browser, page } = await askedFor({ state: 'x y' })
    const result = await press(browser, page, 'yes')
    assert.ok(result.stopped)
    assert.equal(new URL(result.url).search, '')
    const fragment = fragmentOf(result)
    assert.deepEqual([...fragment.keys()], ['access_token', 'account', 'state', 'iss'])
    assert.equal(fragment.get('state'), 'x y')
    const { body } = await get(harness, '/profiles', fragment.get('access_token')!)
    assert.equal(body['id'], fragment.get('account'))
    assert.equal((await auditOf(harness, 'profile.connect')).at(-1)?.actor, 'person')
  })

  test('without a state none is returned', async () => {
    const { browser, page } = await askedFor()
    assert.deepEqual([...fragmentOf(await press(browser, page, 'yes')).keys()], ['access_token', 'account', 'iss'])
  })

  test('the page shows the app, the service, the person and what will happen', async () => {
    const app = await harness.makeApp({ name: 'Café <b>& Söhne</b>' })
    const { page } = await askedFor({}, 'chloe', app)
    assert.equal(page.title, 'Continue to Café <b>& Söhne</b>?')
    assert.ok(page.body.includes('Café &lt;b&gt;&amp; Söhne&lt;/b&gt;'))
    assert.ok(page.body.includes('Chloé Dubois-Nguyễn'))
    assert.ok(page.body.includes('Demo Social'))
    assert.ok(page.body.includes('It will be your account'))
  })

  test('an account that it will join is shown with the people in it', async () => {
    const ben = await signIn(harness, 'demo-micro', 'ben')
    const { page, browser } = await askedFor({ access_token: ben.access_token }, 'esra')
    assert.ok(page.body.includes('already exists'))
    assert.ok(page.body.includes('<li>Ben Okafor at Demo Micro</li>'))
    const fragment = fragmentOf(await press(browser, page, 'yes'))
    assert.equal(fragment.get('account'), ben.account)
    const { body } = await get(harness, '/profiles', ben.access_token)
    assert.deepEqual(body['demo-social'], [nativeId(harness, 'demo-social', 'esra')])
  })

  test('“no” returns an error to the app, and the service revokes its token', async () => {
    const { browser, page } = await askedFor({ state: 's' }, 'dmitri')
    harness.lab.services['demo-social'].requests.clear()
    const result = await press(browser, page, 'no')
    assert.equal(withoutDescription(result.url), `${REDIRECT}?error=access_denied&state=s`)
    assert.ok(harness.lab.services['demo-social'].requests.count('/oauth/revoke') > 0)
    const dmitri = nativeId(harness, 'demo-social', 'dmitri')
    assert.deepEqual(await harness.sql('select 1 from consent where native_id = $1', [dmitri]), [])
    assert.equal((await press(browser, page, 'yes')).status, 400, 'it cannot be taken up again')
  })

  test('submitted twice, at once or after going back: the same token, until it is revoked', async () => {
    const { browser, page } = await askedFor()
    const tokens = async () => (await harness.sql('select 1 from access_token')).length
    const before = await tokens()
    const [one, two] = await Promise.all([press(browser, page, 'yes'), press(browser, page, 'yes')])
    assert.equal(one.url, two.url)
    assert.equal((await press(browser, await browser.open(page.url), 'yes')).url, one.url)
    assert.equal(await tokens(), before + 1)
    const token = fragmentOf(one).get('access_token')!
    assert.equal((await get(harness, '/profiles', token)).status, 200)
    assert.match((await press(browser, page, 'no')).body, /This is done/, 'too late for a no')
    const form = { client_id: harness.app.clientId, client_secret: harness.app.secret, token }
    await fetch(`${harness.tributary.url}/oauth/revoke`, { method: 'POST', body: new URLSearchParams(form) })
    assert.match((await press(browser, page, 'yes')).body, /This is done/)
  })

  test('S52 the ticket works only in the browser that got it, and only in time', async () => {
    const elsewhere = await askedFor()
    const { browser: another } = await askedFor()
    for (const browser of [newBrowser(), another])
      for (const response of ['yes', 'no'] as const)
        assert.equal((await press(browser, elsewhere.page, response)).status, 400)
    assert.ok((await press(elsewhere.browser, elsewhere.page, 'yes')).stopped, 'other browsers did not consume it')
    const late = await askedFor()
    await harness.sql("update consent set expires_at = 1 where kind = 'confirm' and used_at is null")
    assert.equal((await press(late.browser, late.page, 'yes')).status, 400)
  })

  test('an app can disable it', async () => {
    const app = await harness.makeApp()
    await harness.tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { token_flow: false })
    const page = await newBrowser().open(harness.startUrl('demo-social', { response_type: 'token', state: 's' }, app))
    assert.equal(withoutDescription(page.url), `${REDIRECT}?error=unsupported_response_type&state=s`)
  })

  test('the form may redirect to an app with a custom scheme', async () => {
    const redirect = 'com.example.app:/done'
    const app = await harness.makeApp({ redirectUris: [redirect, REDIRECT] })
    const policyOf = ({ page }: Awaited<ReturnType<typeof askedFor>>) => page.headers.get('content-security-policy')
    const own = await askedFor({ redirect_uri: redirect }, 'ada', app)
    assert.match(policyOf(own) ?? '', /form-action \* com\.example\.app:;/)
    assert.match(policyOf(await askedFor({}, 'ada', app)) ?? '', /form-action \*;/)
    const ticket = own.page.forms[0]!.fields[0]!.value
    const cookie = Object.entries(own.browser.cookies(harness.tributary.url))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
    const body = new URLSearchParams({ ticket, answer: 'yes' })
    const result = await fetch(`${harness.tributary.url}/oauth/confirm`, {
      method: 'POST',
      body,
      headers: { cookie },
      redirect: 'manual',
    })
    assert.match(result.headers.get('location') ?? '', /^com\.example\.app:\/done#access_token=trt_/)
  })

  test('PKCE does not apply here and is refused', async () => {
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
    const page = await newBrowser().open(harness.startUrl('demo-social', { response_type: 'token', ...challenge }))
    assert.equal(withoutDescription(page.url), `${REDIRECT}?error=invalid_request`)
  })

  test('a ticket of the page cannot be redeemed as a code, nor a code as a ticket', async () => {
    const { page } = await askedFor()
    const ticket = page.forms[0]!.fields.find(({ name }) => name === 'ticket')!.value
    const form = new URLSearchParams({
      client_id: harness.app.clientId,
      client_secret: harness.app.secret,
      code: ticket,
    })
    const response = await fetch(`${harness.tributary.url}/oauth/access_token`, { method: 'POST', body: form })
    assert.equal(response.status, 400)
    const code = new URLSearchParams({
      client_id: harness.app.clientId,
      client_secret: harness.app.secret,
      code: ticket.replace('trf', 'trc'),
    })
    assert.equal(
      (await fetch(`${harness.tributary.url}/oauth/access_token`, { method: 'POST', body: code })).status,
      400,
    )
  })
})

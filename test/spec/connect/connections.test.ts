import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from '../../../lab/browser.ts'
import { basic } from '../../harness/app.ts'
import { auditTrail } from '../../harness/audit.ts'
import { tributary } from '../../harness/command-line.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { type Granted, newBrowser, REDIRECT, signIn } from '../../harness/sign-in.ts'
import { agentTokens, allowAgents, rpc } from '../agents/fixture.ts'
import { assertRefused, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const makeLink = async (granted: Granted, body: Record<string, unknown> = {}): Promise<string> => {
  const made = await send(harness, 'POST', '/connections/sessions', {
    json: { account: granted.account, ...body },
    headers: basic(harness.app),
  })
  assert.equal(made.status, 201, made.text)
  return made.body['url'] as string
}
/** Presses the button of a form. */
const press = (browser: Browser, page: Page, action: string, fields: Record<string, string> = {}): Promise<Page> => {
  const form = page.forms.find((each) => each.action === action)
  assert.ok(form, `${page.url} has no form to ${action}`)
  const [button] = form.buttons
  const pressed = button === undefined || button.name === '' ? {} : { [button.name]: button.value }
  return browser.submit(page, form, { ...pressed, ...fields })
}
/** Follows a link and presses “Continue”. */
const openPage = async (url: string, browser: Browser = newBrowser()): Promise<{ browser: Browser; page: Page }> => {
  const asked = await browser.open(url)
  return { browser, page: await press(browser, asked, '/connections/open') }
}
const path = (page: Page) => new URL(page.url).pathname
const at = (address: string) => `${harness.tributary.url}${address}`

suite('S82 the link', () => {
  test('is made by the app for its own account, or with the account’s token, and leads to the page', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const { page } = await openPage(await makeLink(ada))
    assert.deepEqual([page.status, path(page)], [200, '/connections'])
    assert.match(page.body, /Demo Social/)
    const own = await send(harness, 'POST', '/connections/link', { token: ada.access_token, json: { locale: 'de-AT' } })
    assert.equal(own.status, 201, own.text)
    assert.match((await openPage(own.body['url'] as string)).page.body, /Ihre Verbindungen mit/)
  })

  test('is refused for accounts of other apps, unknown accounts and foreign addresses', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const other = await harness.makeApp()
    const by = (app: typeof other, json: Record<string, unknown>) =>
      send(harness, 'POST', '/connections/sessions', { json, headers: basic(app) })
    assertRefused(await by(other, { account: ada.account }), 404, 'not_found')
    assertRefused(await by(harness.app, { account: 'nobody' }), 404, 'not_found')
    const foreign = { account: ada.account, redirect_uri: 'https://evil.test/' }
    assertRefused(await by(harness.app, foreign), 400, 'redirect_unregistered')
  })

  test('shows nothing of the account before it is used, and a preview does not use it', async () => {
    const url = await makeLink(await signIn(harness, 'demo-social', 'ada'))
    for (const headers of [{}, { 'sec-purpose': 'prefetch' }, { 'user-agent': 'Slackbot' }]) {
      const { status, text } = await send(harness, 'GET', url.slice(harness.tributary.url.length), {
        headers: { accept: 'text/html', ...headers },
      })
      assert.equal(status, 200)
      assert.doesNotMatch(text, /Demo Social|Ada/)
    }
    assert.equal(path((await openPage(url)).page), '/connections')
  })

  test('works once, in one browser: again there it leads to the page, elsewhere it is explained', async () => {
    const url = await makeLink(await signIn(harness, 'demo-social', 'ada'))
    const early = newBrowser()
    const waiting = await early.open(url)
    const { browser } = await openPage(url)
    assert.equal(path(await browser.open(url)), '/connections')
    const late = await press(early, waiting, '/connections/open')
    assert.deepEqual([late.status, /another browser/.test(late.body)], [403, true])
    assert.match(late.body, /href="http:\/\/localhost:4999"/)
    assert.equal((await early.open(at('/connections'))).status, 401)
  })

  test('expires, and only hashes are stored', async () => {
    const url = await makeLink(await signIn(harness, 'demo-social', 'ada'))
    const rows = await harness.sql('select l::text as text from connections_session l')
    assert.ok(!JSON.stringify(rows).includes(new URL(url).searchParams.get('ticket')!))
    await harness.sql('update connections_session set expires_at = 1 where session_hash is null')
    const page = await newBrowser().open(url)
    assert.deepEqual([page.status, /has expired/.test(page.body)], [410, true])
    assertRefused(await send(harness, 'GET', '/connections?ticket=trv_nonsense'), 400, 'link_invalid')
  })

  test('is also made by the command line', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const { databaseUrl, dataDir, url } = harness.tributary
    const env = { DATABASE_URL: databaseUrl, TRIBUTARY_DATA: dataDir, BASE_URL: url }
    const made = await tributary(['connections', 'link', ada.account, '--locale', 'fr', '--json'], env)
    assert.equal(made.code, 0, made.stderr)
    const { page } = await openPage((JSON.parse(made.stdout) as { url: string }).url)
    assert.match(page.body, /Vos connexions avec/)
    assert.notEqual((await tributary(['connections', 'link', 'nobody', '--json'], env)).code, 0)
  })

  test('an account has at most ten', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    for (let i = 0; i < 12; i += 1) await makeLink(ada)
    const count = 'select count(*)::int as n from connections_session where account_id = $1'
    assert.deepEqual(await harness.sql(count, [ada.account]), [{ n: 10 }])
  })
})

suite('the page', () => {
  test('says what each service shares, since when, and leads back to the app', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    await signIn(harness, 'demo-health', 'ada', { access_token: ada.access_token })
    const { page } = await openPage(await makeLink(ada))
    for (const words of [/Demo Social/, /Demo Health/, /Ada/, /Connected on/, /your name and profile/, /Not read yet/])
      assert.match(page.body, words)
    assert.match(page.body, /href="http:\/\/localhost:4999"/)
    assert.ok(page.body.length < 30_000, `${page.body.length} bytes`)
    assert.doesNotMatch(page.body, /<script|style="|onclick/)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
  })

  test('ends a connection after a question, here and at the service; reload, Back and a second click are harmless', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    await signIn(harness, 'demo-health', 'ada', { access_token: ada.access_token })
    const { browser, page } = await openPage(await makeLink(ada))
    const [, link] = /href="(\/connections\/end\?profile=[^"]*demo-social)"/.exec(page.body)!
    const question = await browser.open(at(link!))
    assert.match(question.body, /End the connection to .*Demo Social.*\?/)
    const revoked = harness.lab.services['demo-social'].requests
    revoked.clear()
    const ended = await press(browser, question, '/connections/end')
    assert.match(ended.body, /The connection to .*Demo Social.* has ended/)
    assert.doesNotMatch(ended.body, /profile=[^"]*demo-social/)
    assert.equal(revoked.to('/oauth/revoke').length > 0, true, 'revoked at the service')
    const again = await press(browser, question, '/connections/end')
    assert.deepEqual([again.status, path(again)], [200, '/connections'])
    assert.equal(path(await browser.open(at(link!))), '/connections', 'Back to the question')
    assert.equal((await browser.open(ended.url)).status, 200)
    const { body } = await send(harness, 'GET', '/profiles', { token: ada.access_token })
    assert.deepEqual(Object.keys(body).toSorted(), ['demo-health', 'id'])
    const trail = await auditTrail(harness.sql, '%', { account: ada.account })
    assert.deepEqual(
      trail
        .filter(({ actor }) => actor === 'person')
        .map(({ action }) => action)
        .slice(-2),
      ['connections.open', 'profile.disconnect'],
    )
  })

  test('S82 a form without the token of the session, or of another session, does nothing', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const ben = await signIn(harness, 'demo-social', 'ben')
    const mine = await openPage(await makeLink(ada))
    const other = await openPage(await makeLink(ben))
    const [, profile] = /profile=([^"]*demo-social)"/.exec(mine.page.body)!
    const question = await mine.browser.open(at(`/connections/end?profile=${profile}`))
    const foreign = await other.browser.open(at('/connections/delete'))
    const stolen = foreign.forms[0]!.fields.find(({ name }) => name === 'form')!.value
    assert.equal((await press(mine.browser, question, '/connections/end', { form: stolen })).status, 401)
    assert.equal((await press(mine.browser, question, '/connections/end', { form: 'x' })).status, 401)
    assert.equal(path(await other.browser.open(at(`/connections/end?profile=${profile}`))), '/connections')
    assert.match((await mine.browser.open(at('/connections'))).body, /Demo Social/)
  })

  test('lets the person sign in again and returns to the page', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    await harness.sql("update profile set state = 'needs_auth' where account_id = $1", [ada.account])
    const { browser, page } = await openPage(await makeLink(ada))
    assert.match(page.body, /You have to sign in again/)
    let now: Page = await press(browser, page, '/connections/reconnect')
    if (now.forms.some(({ id }) => id === 'quick-login')) now = await browser.login(now, 'ada')
    if (now.forms.some(({ id }) => id === 'consent')) now = await browser.decide(now, 'allow')
    const confirm = now.forms.find(({ action }) => action === '/oauth/confirm')
    if (confirm !== undefined) now = await browser.submit(now, confirm, { answer: 'yes' })
    assert.equal(path(now), '/connections')
    assert.match(now.body, /Demo Social.* is connected again/)
    const { body } = await send(harness, 'GET', '/profiles?full=true', { token: ada.access_token })
    assert.notEqual((body['demo-social'] as { state: string }[])[0]!.state, 'needs_auth')
  })

  test('shows agents with what they may do, and ends them', async () => {
    const app = await harness.makeApp({ name: 'With agents' })
    await allowAgents(harness, app)
    const chloe = await signIn(harness, 'demo-social', 'chloe', {}, app)
    const { access_token: token } = await agentTokens(harness, { person: 'chloe', app })
    assert.equal((await rpc(harness, token, 'tools/list')).status, 200)
    const made = await send(harness, 'POST', '/connections/link', { token: chloe.access_token, json: {} })
    const { browser, page } = await openPage(made.body['url'] as string)
    assert.match(page.body, /127\.0\.0\.1:4998[\s\S]*May read your data/)
    const ended = await press(browser, page, '/connections/agents/end')
    assert.match(ended.body, /The access of the program has ended/)
    assert.doesNotMatch(ended.body, /127\.0\.0\.1:4998/)
    assert.equal((await rpc(harness, token, 'tools/list')).status, 401)
    assert.equal((await press(browser, page, '/connections/agents/end')).status, 200, 'a second click')
  })

  test('downloads everything, and deletes everything after a typed word', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const { browser } = await openPage(await makeLink(ada, { locale: 'de' }))
    const file = await browser.open(at('/connections/download'))
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment/)
    assert.equal((JSON.parse(file.body.split('\n')[0]!) as { account: string }).account, ada.account)
    const question = await browser.open(at('/connections/delete'))
    const wrong = await press(browser, question, '/connections/delete', { word: 'delete' })
    assert.deepEqual([wrong.status, /nichts gelöscht/.test(wrong.body)], [200, true])
    const done = await press(browser, question, '/connections/delete', { word: ' LÖSCHEN ' })
    assert.deepEqual([done.status, path(done)], [200, '/connections/deleted'])
    assertRefused(await send(harness, 'GET', '/profiles', { token: ada.access_token }), 401, 'token_invalid')
    assert.deepEqual(await harness.sql('select 1 from connections_session where account_id = $1', [ada.account]), [])
    assert.equal(
      (await press(browser, question, '/connections/delete', { word: 'löschen' })).status,
      401,
      'a second click',
    )
  })

  test('S82 ends after 30 minutes, and with its account: the page says so and leads back to the app', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const first = await openPage(await makeLink(ada))
    await harness.sql('update connections_session set expires_at = 1 where account_id = $1', [ada.account])
    const closed = await first.browser.open(at('/connections'))
    assert.deepEqual([closed.status, /This page is closed/.test(closed.body)], [401, true])
    assert.match(closed.body, /href="http:\/\/localhost:4999"/)
    const second = await openPage(await makeLink(ada))
    const question = await second.browser.open(at('/connections/delete'))
    await send(harness, 'DELETE', '/profiles', { token: ada.access_token })
    assert.equal((await second.browser.open(at('/connections'))).status, 401)
    const late = await press(second.browser, question, '/connections/delete', { word: 'delete' })
    assert.equal(late.status, 401)
    assert.equal((await newBrowser().open(at('/connections/download'))).status, 401)
  })

  test('a link to an app without addresses on the web leads back into the app', async () => {
    const app = await harness.makeApp({ redirectUris: ['com.example.app:/done', REDIRECT] })
    const ada = await signIn(harness, 'demo-social', 'ada', {}, app)
    const made = await send(harness, 'POST', '/connections/sessions', {
      json: { account: ada.account },
      headers: basic(app),
    })
    const { page } = await openPage(made.body['url'] as string)
    assert.match(page.body, /href="com\.example\.app:\/done"/)
  })
})

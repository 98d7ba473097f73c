import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Page } from '../../lab/browser.ts'
import { send } from '../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeem, redeemed, startUrl } from '../harness/sign-in.ts'
import { type EntryHarness, startEntryHarness } from './fixture.ts'
import { VARIANTS } from './variants.ts'

const SERVICE = 'variant-sites'
const NORTH = 'fact-site'
const SOUTH = 'fact-site-2'

suite('a person with several tenants', () => {
  let harness: EntryHarness
  before(async () => {
    harness = await startEntryHarness(new Map([[SERVICE, VARIANTS.get(SERVICE)!]]))
    hold('North', 'South')
  })
  after(() => harness.stop())

  const hold = (...names: string[]) =>
    harness.lab.holdTenants(
      SERVICE,
      names.map((name) => ({ name })),
    )
  const open = (browser = newBrowser(), query: Record<string, string> = {}) =>
    browser.open(startUrl(harness, SERVICE, query, harness.app))
  const choose = (browser: ReturnType<typeof newBrowser>, page: Page, tenant: string) =>
    browser.submit(page, page.forms[0]!, { tenant, answer: 'yes' })

  async function tokenOf(page: Page): Promise<string> {
    assert.ok(page.stopped, `${page.url} ${page.body.slice(0, 300)}`)
    return (await redeemed(harness, codeOf(new URL(page.url)))).access_token
  }
  const idsOf = async (token: string) => (await send(harness, 'GET', '/profiles', { token })).body[SERVICE]
  const native = (site: string) => encodeURIComponent(`person-1@${site}`)
  const consents = () => harness.tributary.sql<{ kind: string }>('select kind from consent where used_at is null')

  test('chooses one on a page that can be reloaded and opened twice; the proxy calls that one', async () => {
    const browser = newBrowser()
    const page = await open(browser)
    assert.match(page.url, /\/oauth\/choose\?ticket=/)
    assert.match(page.body, /<legend>Site<\/legend>[^]*North[^]*South/)
    assert.doesNotMatch(page.body, /access-\d|lab-secret/, 'no token is on the page')
    assert.equal((await browser.open(page.url)).status, 200)
    const token = await tokenOf(await choose(browser, page, SOUTH))
    assert.deepEqual(await idsOf(token), [native(SOUTH)])
    const called = await send(harness, 'GET', `/proxy/${SERVICE}/things`, { token })
    assert.deepEqual([called.status, called.body], [200, { path: '/things' }])
  })

  test('is asked again where nothing or something else was chosen, and where the service refuses one', async () => {
    harness.lab.holdTenants(SERVICE, [{ name: 'North' }, { name: 'South', isClosed: true }])
    const browser = newBrowser()
    const page = await open(browser)
    const nothing = await browser.submit(page, page.forms[0]!, { answer: 'yes' })
    assert.match(nothing.body, /role="alert">Choose one of them/)
    for (const forged of ['fact-site-3', 'evil.example', '../x'])
      assert.match((await choose(browser, page, forged)).body, /role="alert">Choose one of them/, forged)
    const closed = await choose(browser, page, SOUTH)
    assert.match(closed.body, /does not let Shop App use this one/)
    assert.match((await browser.open(page.url)).body, /does not let Shop App use this one/, 'after a reload too')
    assert.deepEqual(await idsOf(await tokenOf(await choose(browser, closed, NORTH))), [native(NORTH)])
    hold('North', 'South')
  })

  test('gets the same result from a second tab, a double click and Back, and no second profile', async () => {
    const browser = newBrowser()
    const page = await open(browser)
    const [one, other] = await Promise.all([choose(browser, page, SOUTH), choose(browser, page, SOUTH)])
    assert.equal(new URL(one.url).searchParams.get('code'), new URL(other.url).searchParams.get('code'))
    const back = await browser.open(page.url)
    assert.equal(back.url, one.url, 'the page leads on, like the choice did')
    const late = await choose(browser, page, NORTH)
    assert.equal(late.url, one.url, 'a second choice changes nothing')
    const token = await tokenOf(one)
    assert.deepEqual(await idsOf(token), [native(SOUTH)])
    assert.match((await browser.open(page.url)).body, /This is done/)
    assert.notEqual((await redeem(harness, codeOf(new URL(one.url)))).status, 200, 'the code was used')
  })

  test('has a profile for each tenant in one account, and ending one leaves the token of the other', async () => {
    const browser = newBrowser()
    const token = await tokenOf(await choose(browser, await open(browser), NORTH))
    const second = await choose(browser, await open(browser, { access_token: token }), SOUTH)
    const form = second.forms.find(({ action }) => action === '/oauth/confirm')
    const both = await tokenOf(form === undefined ? second : await browser.submit(second, form, { answer: 'yes' }))
    assert.deepEqual(await idsOf(both), [native(NORTH), native(SOUTH)])
    const ended = await send(harness, 'DELETE', `/profiles/${native(NORTH)}@${SERVICE}`, { token: both })
    assert.equal(ended.status, 200, JSON.stringify(ended.body))
    assert.deepEqual(await idsOf(both), [native(SOUTH)])
    assert.equal((await send(harness, 'GET', `/proxy/${SERVICE}/things`, { token: both })).status, 200)
  })

  test('may decline; another browser cannot choose; and nothing is left', async () => {
    const before = (await consents()).length
    const browser = newBrowser()
    const page = await open(browser, { state: 's-9' })
    const stranger = newBrowser()
    assert.equal((await stranger.open(page.url)).status, 400)
    assert.equal((await choose(stranger, page, NORTH)).status, 400)
    const declined = await browser.submit(page, page.forms[0]!, { answer: 'no' })
    assert.match(declined.url, /error=access_denied.*state=s-9/)
    assert.equal((await browser.open(page.url)).status, 400)
    assert.equal((await consents()).length, before)
  })

  test('stays at the chosen tenant when the token is refreshed, whatever the service lists meanwhile', async () => {
    hold('North', 'South')
    const browser = newBrowser()
    const token = await tokenOf(await choose(browser, await open(browser), SOUTH))
    hold('West', 'East')
    harness.lab.expire(SERVICE)
    const called = await send(harness, 'GET', `/proxy/${SERVICE}/things`, { token })
    assert.deepEqual([called.status, called.body], [200, { path: '/things' }])
    assert.deepEqual(await idsOf(token), [native(SOUTH)])
    hold('North', 'South')
  })

  test('sees names as they are, and two of one name with their ids', async () => {
    hold('<b>One', 'Two', 'Two')
    const { body } = await open()
    assert.match(body, /&lt;b&gt;One<\/bdi><\/span>/)
    assert.match(body, /Two<\/bdi> <span class="soft"><bdi>fact-site-3/)
    hold('North', 'South')
  })

  test('connects a profile again at its own tenant only, and may correct the choice', async () => {
    const browser = newBrowser()
    const token = await tokenOf(await choose(browser, await open(browser), SOUTH))
    const made = await send(harness, 'POST', `/profiles/${native(SOUTH)}@${SERVICE}/reconnect`, {
      token,
      json: { redirect_uri: REDIRECT },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const other = newBrowser()
    const page = await other.open(String(made.body['url']))
    const wrong = await choose(other, page, NORTH)
    assert.match(wrong.body, /role="alert">This is another user than/)
    const right = await choose(other, wrong, SOUTH)
    const form = right.forms.find(({ action }) => action === '/oauth/confirm')
    const back = form === undefined ? right : await other.submit(right, form, { answer: 'yes' })
    assert.ok(back.url.startsWith(REDIRECT), back.url)
    assert.deepEqual(await idsOf(token), [native(SOUTH)])
  })

  test('whose choice cannot be stored is sent back with an error, and the choice is over', async () => {
    const browser = newBrowser()
    const page = await open(browser, { state: 's-8' })
    const before = (await consents()).length
    const { sql } = harness.tributary
    await sql(`create function refuse_consent() returns trigger language plpgsql as
      $$ begin raise exception 'not now' using errcode = '23514'; end $$`)
    await sql(`create trigger refuse_consent before insert on consent for each row execute function refuse_consent()`)
    try {
      assert.match((await choose(browser, page, NORTH)).url, /error=server_error.*state=s-8/)
    } finally {
      await sql('drop trigger refuse_consent on consent')
      await sql('drop function refuse_consent()')
    }
    assert.equal((await consents()).length, before - 1)
    assert.equal((await browser.open(page.url)).status, 400)
  })

  test('who comes too late is told', async () => {
    const browser = newBrowser()
    const page = await open(browser)
    await harness.tributary.sql(`update consent set expires_at = 1 where kind = 'choose' and used_at is null`)
    assert.equal((await choose(browser, page, NORTH)).status, 400)
  })

  test('with one tenant is asked nothing, and with none is told', async () => {
    hold('North')
    assert.deepEqual(await idsOf(await tokenOf(await open())), [native(NORTH)])
    hold()
    assert.match((await open()).url, /error=service_refused/)
    hold('North', 'South')
  })
})

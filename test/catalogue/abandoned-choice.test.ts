import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { choiceHash } from '#flows/sign-in/ask-for-tenant.ts'
import type { Page } from '../../lab/browser.ts'
import type { App } from '../harness/app.ts'
import { send } from '../harness/send.ts'
import { codeOf, newBrowser, redeemed, startUrl } from '../harness/sign-in.ts'
import { type EntryHarness, startEntryHarness } from './fixture.ts'
import { VARIANTS } from './variants.ts'

const SERVICE = 'variant-sites'
const NORTH = 'fact-site'
const SOUTH = 'fact-site-2'

suite('a person who has several tenants and chooses none', () => {
  let harness: EntryHarness
  before(async () => {
    harness = await startEntryHarness(new Map([[SERVICE, VARIANTS.get(SERVICE)!]]))
    harness.lab.holdTenants(SERVICE, [{ name: 'North' }, { name: 'South' }])
  })
  after(() => harness.stop())

  const open = async (app: App, browser = newBrowser()) => ({
    browser,
    page: await browser.open(startUrl(harness, SERVICE, {}, app)),
  })
  const choose = ({ browser, page }: { browser: ReturnType<typeof newBrowser>; page: Page }, tenant: string) =>
    browser.submit(page, page.forms[0]!, { tenant, answer: 'yes' })
  const tokenOf = async (app: App, back: string) => (await redeemed(harness, codeOf(new URL(back)), app)).access_token
  const call = async (token: string) => (await send(harness, 'GET', `/proxy/${SERVICE}/things`, { token })).status
  /** The page is left, and its ten minutes pass. */
  async function abandon(page: Page): Promise<void> {
    const ticket = new URL(page.url).searchParams.get('ticket')!
    const hash = choiceHash(harness.tributary.store, ticket)
    await harness.tributary.sql('update consent set expires_at = 1 where hash = $1', [hash])
    await harness.expireSignIns()
  }

  test('has no token at the service afterwards, also where the service ends all of a person at once', async () => {
    const app = await harness.addApp()
    const living = harness.lab.living(SERVICE)
    const { page } = await open(app)
    assert.match(page.url, /choose/)
    assert.equal(harness.lab.living(SERVICE), living + 1)
    await abandon(page)
    assert.equal(harness.lab.living(SERVICE), 0)
    assert.deepEqual(await harness.tributary.sql('select hash from consent where used_at is null'), [])
  })

  test('and declines: the token is ended too', async () => {
    const app = await harness.addApp()
    const { browser, page } = await open(app)
    await browser.submit(page, page.forms[0]!, { answer: 'no' })
    assert.equal(harness.lab.living(SERVICE), 0)
  })

  test('keeps the profile that they have: its token may be of the same grant', async () => {
    const app = await harness.addApp()
    const token = await tokenOf(app, (await choose(await open(app), NORTH)).url)
    await abandon((await open(app)).page)
    assert.equal(await call(token), 200)
    assert.equal(harness.lab.living(SERVICE), 2)
  })

  test('can still choose in the second window, after the first has expired', async () => {
    const app = await harness.addApp()
    const first = await open(app)
    const second = await open(app)
    await abandon(first.page)
    const token = await tokenOf(app, (await choose(second, SOUTH)).url)
    assert.equal(await call(token), 200)
  })

  test('is on the page while the process is replaced, and chooses there', async () => {
    const app = await harness.addApp()
    const { browser, page } = await open(app)
    const other = await harness.startOther()
    try {
      const cookies = Object.entries(browser.cookies(harness.tributary.url))
      const headers = { cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; '), origin: other.url }
      const moved = await fetch(page.url.replace(harness.tributary.url, other.url), { headers })
      assert.match(await moved.text(), /<legend>Site<\/legend>[^]*North[^]*South/)
      const hidden = page.forms[0]!.fields.map(({ name, value }): [string, string] => [name, value])
      const body = new URLSearchParams([...hidden, ['tenant', SOUTH], ['answer', 'yes']])
      const chosen = await fetch(`${other.url}/oauth/choose`, { method: 'POST', headers, body, redirect: 'manual' })
      const token = await tokenOf(app, chosen.headers.get('location')!)
      assert.equal(await call(token), 200)
    } finally {
      await other.stop()
    }
  })
})

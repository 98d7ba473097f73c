import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ensureDemoApp, readDemoApp } from '#flows/operations/demo.ts'
import { type Browser, createBrowser, type Page } from '../../../lab/browser.ts'
import { startLab } from '../../../lab/lab.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { CONNECTORS } from './fixture.ts'

const SERVICES = ['demo-social', 'demo-health'] as const

let lab: Awaited<ReturnType<typeof startLab<(typeof SERVICES)[number]>>>
let tributary: Tributary
before(async () => {
  lab = await startLab({ services: [...SERVICES] })
  tributary = await startTributary({ TRIBUTARY_CONNECTORS: CONNECTORS }, {}, { demo: true })
  const demo = readDemoApp(tributary.dataDir, tributary.url)
  const keys = SERVICES.map((service) => {
    const { url, register } = lab.services[service]
    return { service, url, ...register({ redirectUris: [`${tributary.url}/auth/${service}/callback`] }) }
  })
  await ensureDemoApp(tributary.store, demo, keys)
})
after(async () => {
  await tributary.stop()
  await lab.close()
})

const home = () => `${tributary.url}/demo/connect`
const linkTo = (page: Page, label: RegExp) =>
  new URL(page.links.find((link) => label.test(link.label))!.href, page.url).href

/** Walks from the demo's start to its last page, or stops earlier. */
async function connect(browser: Browser, title: RegExp, person: string, from = home()): Promise<Page> {
  return browser.walk(linkTo(await browser.open(from), title), { person })
}

/** The address at which the demo's app receives the result of a sign-in. */
async function returnFor(person: string): Promise<URL> {
  const browser = createBrowser({ stopAt: (url) => url.startsWith(`${tributary.url}/demo/callback`) })
  return new URL((await connect(browser, /Social/, person)).url)
}

suite('F10 the demo app', () => {
  test('creates a state, receives it back and connects', async () => {
    const browser = createBrowser()
    const page = await connect(browser, /Social/, 'ada')
    assert.equal(page.status, 200, page.body)
    assert.match(page.body, /Ada Marlowe is connected/)
    assert.match(page.url, /[?&]state=\w{20,}/)
    const more = await connect(browser, /Health/, 'ada', linkTo(page, /another/))
    assert.match(more.body, /is connected/)
    assert.equal(/Account <code>(\w+)/.exec(more.body)?.[1], /Account <code>(\w+)/.exec(page.body)?.[1])
  })

  test('refuses a code with the state of another browser, without a state, or with an invented one', async () => {
    const accounts = async () =>
      (await tributary.store.database.rows({ name: 'test-accounts', text: 'select id from account' })).length
    const foreign = await returnFor('ben')
    const before = await accounts()
    const browser = createBrowser()
    await browser.open(home())
    const without = new URL(foreign)
    without.searchParams.delete('state')
    const forged = new URL(foreign)
    forged.searchParams.set('state', 'x'.repeat(foreign.searchParams.get('state')!.length))
    for (const url of [foreign, without, forged]) {
      const page = await browser.open(url.href)
      assert.equal(page.status, 400)
      assert.match(page.body, /did not begin in this browser/)
      assert.ok(linkTo(page, /again/).endsWith('/demo/connect'))
    }
    assert.equal((await createBrowser().open(foreign.href)).status, 400, 'a browser without a cookie')
    assert.equal(await accounts(), before)
  })

  test('two tabs of one browser both finish', async () => {
    const browser = createBrowser()
    const [one, two] = [await browser.open(home()), await browser.open(home())]
    for (const tab of [one, two]) {
      const page = await browser.walk(linkTo(tab, /Social/), { person: 'chloe' })
      assert.match(page.body, /is connected/)
    }
  })

  test('shows whose account a link of somebody else would join', async () => {
    const page = await connect(createBrowser(), /Social/, 'ben')
    const link = linkTo(page, /another/)
    const confirmation = await connect(createBrowser(), /Health/, 'esra', link)
    assert.match(confirmation.body, /already exists/)
    assert.match(confirmation.body, /Ben Okafor/)
  })
})

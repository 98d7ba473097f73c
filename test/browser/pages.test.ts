import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../harness/lab.ts'
import { REDIRECT } from '../harness/sign-in.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { loadCorePackage } from '../real/packages.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'

const skip = await browserMissing()

/** A violation as axe reports it. */
interface Violation {
  id: string
  nodes: { html: string }[]
}

// Runs before the page loads: collects every report of the content security policy.
const WATCH = `window.reports = []; addEventListener('securitypolicyviolation', (event) => reports.push(event.violatedDirective + ' ' + event.blockedURI))`
// Finds what a page may not contain: scripts, event handler attributes, style attributes, anything from another host.
const LOOK = `({
  scripts: [...document.scripts].map((element) => element.outerHTML),
  handlers: [...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames().filter((name) => /^on/.test(name) || name === 'style')),
  sources: [...document.querySelectorAll('[src]:not(img[src^="/marks/"]), link[href]:not([rel=icon][href="/favicon.svg"]), object, embed, iframe, base')].map((element) => element.outerHTML),
  reports: window.reports ?? [],
})`

suite('HTML pages', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  let axe: string
  before(async () => {
    harness = await startQuietHarness()
    browser = await openBrowser()
    axe = (await loadCorePackage<{ default: { source: string } }>('axe-core')).default.source
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })

  const confirmation = async (page: Page) => {
    await page.goto(harness.startUrl('demo-social', { response_type: 'token', state: 's' }))
    await page.getByRole('button', { name: 'Log in as Ada' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Continue to Lab App?' }).waitFor()
  }
  const at = (path: string) => async (page: Page) => {
    await page.goto(`${harness.tributary.url}${path}`)
  }
  const PAGES: Record<string, (page: Page) => Promise<void>> = {
    'the first page': at('/'),
    'the API reference': at('/docs'),
    'the page of services': (page) =>
      at(
        `/connect?${new URLSearchParams({ client_id: harness.app.clientId, redirect_uri: REDIRECT, state: 's' }).toString()}`,
      )(page),
    'the confirmation page': confirmation,
    'the page of a wrong link': (page) =>
      at(`/oauth/authenticate?client_id=${harness.app.clientId}&redirect_uri=https%3A%2F%2Fevil.test`)(page),
    'the page of a finished sign-in': at('/auth/demo-social/callback?state=x&code=y'),
  }

  for (const [name, open] of Object.entries(PAGES)) {
    test(`S53 R11 ${name}: no foreign script, no policy violation, no other host, no axe violation`, async () => {
      const page = await browser.page()
      await page.addInitScript({ content: WATCH })
      const hosts: string[] = []
      const complaints: string[] = []
      page.on('request', (request) => hosts.push(new URL(request.url()).hostname))
      page.on('console', (message) => {
        if (/Content Security Policy|Refused to/i.test(message.text())) complaints.push(message.text())
      })
      await open(page)
      assert.ok(page.url().startsWith(harness.tributary.url), page.url())
      // The reference has one script file of our own; test/spec/operating/openapi.test.ts checks its policy.
      const scripts = name === 'the API reference' ? ['<script src="/docs/try-it.js" defer=""></script>'] : []
      assert.deepEqual(await page.evaluate(LOOK), { scripts, handlers: [], sources: scripts, reports: [] })
      // Only the contrast rule depends on the colours.
      for (const [colorScheme, rules] of [
        ['light', '{}'],
        ['dark', "{ runOnly: ['color-contrast'] }"],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        const violations = await page.evaluate<Violation[]>(`(async () => {
          ${axe}
          return (await axe.run(${rules})).violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) }))
        })()`)
        assert.deepEqual(violations, [], colorScheme)
      }
      assert.deepEqual(complaints, [])
      assert.deepEqual(
        [...new Set(hosts)].filter((host) => host !== 'localhost' && host !== '127.0.0.1'),
        [],
      )
      await page.close()
    })
  }
})

import assert from 'node:assert/strict'
import { until } from '../harness/until.ts'
import type { Page } from '../real/browser.ts'
import { violationsOf } from './axe.ts'

export interface WatchedPage {
  page: Page
  /** Fails for console errors, policy violations, other hosts, axe findings in light and dark, and overflow at 320 px. */
  assertClean(what: string): Promise<void>
}

/** Watches a page from now on. `allowed`: console messages that belong to what the test does, such as a refused request. */
export async function watchPage(page: Page, allowed: RegExp[] = []): Promise<WatchedPage> {
  const complaints: string[] = []
  const hosts = new Set<string>()
  const isAllowed = (text: string) => allowed.some((pattern) => pattern.test(text))
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (/^https?:$/.test(protocol)) hosts.add(hostname)
  })
  page.on('console', (message) => {
    if (/^(?:error|warning)$/.test(message.type()) && !isAllowed(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  // What moves is not examined half-way.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  return {
    page,
    assertClean: async (what) => {
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.emulateMedia({ colorScheme: 'light' })
      assert.deepEqual(await violationsOf(page), [], `${what}, light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await violationsOf(page, "{ runOnly: ['color-contrast'] }"), [], `${what}, dark`)
      await page.setViewportSize({ width: 320, height: 700 })
      assert.deepEqual(await violationsOf(page), [], `${what}, 320 px`)
      // Charts follow the width of the window a moment later.
      await until(
        `${what} fits into 320 px`,
        () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
        (overflow) => overflow <= 0,
      )
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.emulateMedia({ colorScheme: 'light' })
      assert.deepEqual(complaints, [], `${what}: console`)
      assert.deepEqual(
        [...hosts].filter((host) => host !== 'localhost' && host !== '127.0.0.1'),
        [],
        `${what}: other hosts`,
      )
    },
  }
}

import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Browser, Page } from '../../../lab/browser.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import { newBrowser, REDIRECT, startUrl } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { startTypedService, type TypedService } from './typed-service.ts'

export interface TypedHarness {
  tributary: Tributary
  service: TypedService
  /** Without keys for any service. */
  app: App
  stop: () => Promise<void>
}

export async function startTypedHarness(env: Record<string, string> = {}): Promise<TypedHarness> {
  const service = await startTypedService()
  process.env['TEST_TYPED_URL'] = service.url
  const connectors = join(import.meta.dirname, 'typed-connectors')
  const tributary = await startTributary({
    ...LOOPBACK_TYPED,
    TRIBUTARY_CONNECTORS: connectors,
    ...env,
  })
  const app = await makeApp(tributary, { name: 'Typed App', redirectUris: [REDIRECT] })
  return {
    tributary,
    service,
    app,
    stop: async () => {
      await tributary.stop()
      await service.close()
    },
  }
}

/** Opens the page of a service. */
export async function openTyped(
  harness: TypedHarness,
  service: string,
  browser: Browser = newBrowser(),
  query: Record<string, string> = {},
): Promise<{ browser: Browser; page: Page }> {
  const page = await browser.open(startUrl(harness, service, query, harness.app))
  assert.equal(page.status, 200, page.body)
  return { browser, page }
}

/** Submits the page with these values. */
export function typeIn(browser: Browser, page: Page, values: Record<string, string>, answer = 'yes'): Promise<Page> {
  const fields = Object.fromEntries(Object.entries(values).map(([name, value]) => [`field_${name}`, value]))
  return browser.submit(page, page.forms[0]!, { ...fields, answer })
}

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ContextOptions, Page, PlaywrightPackage } from './browser-page.ts'
import { loadCorePackage, packagesMissing } from './packages.ts'

export type { Locator, Page } from './browser-page.ts'

export interface RunningBrowser {
  /** A page with its own cookies and storage, like a second person's. */
  page(options?: ContextOptions): Promise<Page>
  close(): Promise<void>
}

const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Long, for slow machines: no test asserts how long something takes. */
const START_TIMEOUT_MS = 180_000
const ACTION_TIMEOUT_MS = 180_000
// Without these flags the browser contacts hosts of its vendor at every start.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Why no browser can be opened, as a test's `skip` option; false when one can. */
export async function browserMissing(): Promise<string | false> {
  if (findBrowser() === undefined) return 'no Chromium or Chrome is installed (Debian package: chromium)'
  return packagesMissing('core')
}

/** Opens a real headless browser on an empty profile that is removed with it. */
export async function openBrowser(): Promise<RunningBrowser> {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('no Chromium or Chrome is installed')
  const { chromium } = await loadCorePackage<PlaywrightPackage>('playwright-core')
  const browser = await chromium.launch({ executablePath, args: flags, headless: true, timeout: START_TIMEOUT_MS })
  return {
    async page(options = {}) {
      const context = await browser.newContext(options)
      // Of the context rather than the page: windows that the page opens have it too.
      context.setDefaultTimeout(ACTION_TIMEOUT_MS)
      return context.newPage()
    },
    close: () => browser.close(),
  }
}

function findBrowser(): string | undefined {
  const folders = [...new Set(['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)])]
  return programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

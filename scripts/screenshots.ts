// Makes the pictures of docs/images: starts the demo on a temporary folder and looks at its pages with Chromium.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signIn } from '../test/browser/dashboard.ts'
import { startProcess } from '../test/harness/running.ts'
import { browserMissing, openBrowser, type Page } from '../test/real/browser.ts'
import { buildWeb } from './build-web.mjs'

interface Screenshot {
  /** Of the file, without its ending. */
  name: string
  height?: number
  /** Leads to what is shown, from a page with Ada connected. */
  show: (page: Page, shown: Shown) => Promise<unknown>
}

/** The demo that is shown. */
interface Shown {
  url: string
  adminToken: string
  clientId: string
  redirectUri: string
}

/** Limit: bytes of one picture, so that the documents load quickly. */
const MAX_BYTES = 200_000
const WIDTH = 1200

/** The pictures that the grid shows are loaded. */
const photos = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const shown = [...document.querySelectorAll('.photo img')].slice(0, 21)
      if (shown.length === 21 && shown.every((image) => image.complete)) resolve(true)
      else setTimeout(look, 50)
    }
    look()
  })`)

const SCREENSHOTS: Screenshot[] = [
  { name: 'demo', height: 900, show: photos },
  { name: 'demo-request', height: 660, show: (page) => showRequest(page, '.panel-photos') },
  { name: 'dashboard-overview', height: 900, show: dashboard('', 'Profiles by state') },
  { name: 'dashboard-account', height: 900, show: showAccount },
  { name: 'dashboard-log', height: 900, show: showLog },
  { name: 'dashboard-push', height: 800, show: dashboard('/push/new', 'Add a destination') },
  { name: 'dashboard-keys', height: 900, show: showKeys },
  { name: 'connect', height: 900, show: showConnect },
]

/** A page of the dashboard, when this text is on it. */
function dashboard(path: string, text: string): Screenshot['show'] {
  return async (page, shown) => {
    await signIn(page, shown)
    await page.goto(`${shown.url}/dashboard${path}`)
    await page.getByText(text).first().waitFor()
  }
}

async function showAccount(page: Page, shown: Shown): Promise<void> {
  await dashboard('/accounts', 'Ada Marlowe')(page, shown)
  await page
    .getByRole('link', { name: /Ada Marlowe/ })
    .first()
    .click()
  await page.getByText('activities').first().waitFor()
}

async function showLog(page: Page, shown: Shown): Promise<void> {
  await dashboard('/log?kind=sign_in', 'The profile is connected.')(page, shown)
  await page.getByRole('link', { name: 'The profile is connected.' }).first().click()
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
}

async function showKeys(page: Page, shown: Shown): Promise<void> {
  await dashboard(`/apps/${shown.clientId}`, 'Callback address')(page, shown)
}

/** What a person sees who connects a service to an app. */
async function showConnect(page: Page, { url, clientId, redirectUri }: Shown): Promise<void> {
  const query = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, state: 's' })
  await page.goto(`${url}/connect?${query.toString()}`)
  await page.getByRole('heading').first().waitFor()
}

async function showRequest(page: Page, panel: string): Promise<void> {
  await photos(page)
  await page.locator(`${panel} .request-line`).click()
  await page.evaluate(`document.querySelector('${panel}').scrollIntoView({ block: 'center' })`)
}

async function takeAll(folder: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'tributary-screenshots-'))
  const [demo, browser] = await Promise.all([
    startProcess(['demo'], { TRIBUTARY_DATA: data, PORT: '0' }),
    openBrowser(),
  ])
  const { url = '', client_id: clientId = '', redirect_uri: redirectUri = '' } = demo.document
  const adminToken = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  try {
    for (const { name, height = 800, show } of SCREENSHOTS) {
      const page = await browser.page({ viewport: { width: WIDTH, height } })
      await page.goto(`${url}/demo`)
      await page.getByRole('button', { name: 'Show me', exact: true }).click()
      await page.getByText('what is new arrives by itself').waitFor({ timeout: 120_000 })
      await page.locator('.map-point').first().waitFor()
      await show(page, { url, adminToken, clientId, redirectUri })
      const path = join(folder, `${name}.png`)
      await page.screenshot({ path })
      await page.close()
      const { size } = statSync(path)
      if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes; at most ${MAX_BYTES} are allowed.`)
      process.stdout.write(`${path}: ${Math.round(size / 1000)} kB\n`)
    }
  } finally {
    await browser.close()
    await demo.end('SIGTERM')
    rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

const missing = await browserMissing()
if (missing !== false) {
  process.stderr.write(`Screenshots cannot be made: ${missing}\n`)
  process.exitCode = 1
} else {
  buildWeb()
  const folder = join(import.meta.dirname, '../docs/images')
  mkdirSync(folder, { recursive: true })
  await takeAll(folder)
}

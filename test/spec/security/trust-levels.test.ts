import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import type { Browser, Page } from '../../../lab/browser.ts'
import { type Lab, startLab } from '../../../lab/lab.ts'
import { rss, rssItem } from '../../connectors/feed-site.ts'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { registerAt } from '../../harness/callback.ts'
import { preparedDatabase, type TestDatabase } from '../../harness/database/database.ts'
import { startSecondServer } from '../../harness/database/second-server.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { get, type Running, send } from '../../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeemed, startUrl, walk } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { type Progress, syncProgress } from '../../harness/sync.ts'
import { until } from '../../harness/until.ts'
import { type RawUpstream, startRawUpstream } from '../proxy/raw-upstream.ts'
import { typeIn } from '../sign-in/typed-fixture.ts'

const ADMIN = 'tra_test-admin-token-0123456789'
type Restarted = Running & Pick<Tributary, 'admin'>

const FEED = rss(rssItem('a'))
const serveFeed = (at: RawUpstream) => {
  at.response = `HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: ${Buffer.byteLength(FEED)}\r\n\r\n${FEED}`
}

suite('S69 what an operator opens for key overrides and destinations', () => {
  let inside: RawUpstream
  let mastodon: Lab<'mastodon'>
  let tributary: Tributary
  let app: App
  before(async () => {
    mastodon = await startLab({ services: ['mastodon'] })
    tributary = await startTributary({
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
      TRIBUTARY_QUOTA_ADDRESS_SIGN_INS: '1000',
    })
    app = await makeApp(tributary, { redirectUris: [REDIRECT] })
  })
  after(async () => {
    await tributary?.stop()
    await mastodon?.close()
  })
  beforeEach(async () => {
    inside = await startRawUpstream()
    serveFeed(inside)
  })
  afterEach(() => inside.close())

  /** Presses “Continue” on our page with the server that the link names: before that, nothing is called. */
  const goOn = (browser: Browser, page: Page) =>
    browser.submit(page, page.forms.find(({ action }) => action === '/oauth/ask')!, { answer: 'yes' })

  /** What the person or the app is told about a host that a stranger names, without the host. */
  const told = async (service: string, how: { link?: Record<string, string>; typed?: Record<string, string> }) => {
    const browser = newBrowser()
    const page = await browser.open(startUrl({ tributary }, service, how.link ?? {}, app))
    const last = how.typed === undefined ? await goOn(browser, page) : await typeIn(browser, page, how.typed)
    return `${last.status} ${new URL(last.url).searchParams.get('error_description') ?? alerts(last.body)}`
  }
  const alerts = (body: string) => /role="alert"[^>]*>([^<]*)/.exec(body)?.[1] ?? body

  const ways: [string, (host: string) => Parameters<typeof told>[1]][] = [
    ['feed', (host) => ({ typed: { feed: `http://${host}/rss` } })],
    ['caldav', (host) => ({ typed: { server: `http://${host}`, name: 'ada', password: 'secret' } })],
    ['wordpress', (host) => ({ typed: { site: `http://${host}` } })],
    ['mastodon', (host) => ({ link: { host } })],
  ]
  for (const [service, way] of ways)
    test(`is closed to a stranger who names a server for ${service}, and open and closed ports look the same`, async () => {
      const gone = await startRawUpstream()
      await gone.close()
      const texts = new Set<string>()
      for (const { host } of [inside, gone])
        texts.add((await told(service, way(host))).replaceAll(/\b(?:127\.0\.0\.1|localhost)(?:(?::|%3A)\d+)?/g, 'HOST'))
      assert.equal(inside.connections(), 0)
      assert.equal(texts.size, 1, [...texts].join('\n'))
    })

  test('is closed to the servers that an app names for a person', async () => {
    const { status, text } = await send({ tributary }, 'POST', '/auth/feed/apply', {
      headers: basic(app),
      json: { fields: { feed: `${inside.url}/rss` } },
    })
    assert.equal(status, 502, text)
    assert.match(text, /127\.0\.0\.1 was not called.*TRIBUTARY_ALLOW_PRIVATE_TYPED/)
    assert.equal(inside.connections(), 0)
  })

  test('is open to the instance that a key names, and not to another one', async () => {
    const pinned = await makeApp(tributary, { redirectUris: [REDIRECT] })
    await registerAt(tributary, pinned, 'mastodon', mastodon.services.mastodon)
    const back = await walk(startUrl({ tributary }, 'mastodon', {}, pinned), { person: 'ada' })
    const { access_token: token } = await redeemed({ tributary, app: pinned }, codeOf(back))
    const { status } = await get({ tributary }, '/proxy/mastodon/api/v1/accounts/verify_credentials', token)
    assert.equal(status, 200)
    const browser = newBrowser()
    await goOn(browser, await browser.open(startUrl({ tributary }, 'mastodon', { host: inside.host }, pinned)))
    assert.equal(inside.connections(), 0)
  })

  test('is open to destinations', async () => {
    const json = { name: 'Inside', kind: 'webhook', url: inside.url }
    const { status, text } = await send({ tributary }, 'POST', '/push', { headers: basic(app), json })
    assert.equal(status, 201, text)
  })
})

suite('servers that people name in a private network', () => {
  let first: RawUpstream
  let second: RawUpstream
  let database: TestDatabase
  let dataDir: string
  before(async () => {
    first = await startRawUpstream('127.0.0.2')
    second = await startRawUpstream('127.0.0.1')
    database = await preparedDatabase()
    dataDir = mkdtempSync(join(tmpdir(), 'tributary-trust-'))
  })
  after(async () => {
    await first.close()
    await second.close()
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** Runs with the server as it is after a start with these settings. */
  const during = async <Value>(env: Record<string, string>, run: (at: Restarted) => Promise<Value>) => {
    const place = { databaseUrl: database.url, dataDir, adminToken: ADMIN }
    const { tributary, stop } = await startSecondServer(place, env)
    const admin: Tributary['admin'] = (method, path, json) =>
      send({ tributary }, method, path, { token: ADMIN, ...(json === undefined ? {} : { json }) })
    try {
      return await run({ tributary, admin })
    } finally {
      await stop()
    }
  }
  const applyFeed = ({ tributary }: Restarted, app: App, feed: string) =>
    send({ tributary }, 'POST', '/auth/feed/apply', { headers: basic(app), json: { fields: { feed } } })
  const ended = async ({ tributary }: Restarted, token: string, state: string) => {
    const { status, text } = await send({ tributary }, 'POST', '/profiles/feed/sync', { token })
    assert.ok(status < 300, text)
    const isEnded = ({ entries }: Progress) => entries?.state === state && (entries.next_run ?? 0) > Date.now()
    return until(`the sync is ${state}`, () => syncProgress({ tributary }, token, 'feed'), isEnded)
  }
  const OPEN = { TRIBUTARY_ALLOW_PRIVATE_TYPED: '127.0.0.2/32' }
  const CLOSED = { TRIBUTARY_ALLOW_PRIVATE: LOOPBACK }

  test('are called while the list has them, refused with what helps after it was closed, and called again', async () => {
    serveFeed(first)
    const { app, token } = await during(OPEN, async (at) => {
      const made = await makeApp(at, { redirectUris: [REDIRECT] })
      const { status, text, body } = await applyFeed(at, made, `${first.url}/rss`)
      assert.equal(status, 200, text)
      await ended(at, String(body['access_token']), 'done')
      return { app: made, token: String(body['access_token']) }
    })
    const before = first.connections()
    await during(CLOSED, async (at) => {
      const { entries } = await ended(at, token, 'failing')
      assert.equal(entries?.last_reason, 'address_refused')
      assert.match(entries.last_error ?? '', /127\.0\.0\.2 was not called.*TRIBUTARY_ALLOW_PRIVATE_TYPED/)
      const proxied = await get(at, '/proxy/feed', token)
      assert.equal(proxied.status, 502, proxied.text)
      assert.equal((await applyFeed(at, app, `${first.url}/rss`)).status, 502)
    })
    assert.equal(first.connections(), before)
    await during(OPEN, (at) => ended(at, token, 'done'))
    assert.ok(first.connections() > before)
  })

  test('S33 lead nowhere outside the list by a redirect or a link, at the sign-in and later', async () => {
    await during({ ...CLOSED, ...OPEN }, async (at) => {
      const app = await makeApp(at, { redirectUris: [REDIRECT] })
      const redirect = `HTTP/1.1 302 Found\r\nLocation: ${second.url}/rss\r\nContent-Length: 0\r\n\r\n`
      first.response = redirect
      assert.equal((await applyFeed(at, app, `${first.url}/moved`)).status, 502)
      const page = `<link rel=alternate type=application/rss+xml href="${second.url}/rss">`
      first.response = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n${page}`
      assert.equal((await applyFeed(at, app, `${first.url}/page`)).status, 502)
      serveFeed(first)
      const { body } = await applyFeed(at, app, `${first.url}/good`)
      first.response = redirect
      const { entries } = await ended(at, String(body['access_token']), 'failing')
      assert.equal(entries?.last_reason, 'address_refused')
      assert.equal(second.connections(), 0)
    })
  })
})

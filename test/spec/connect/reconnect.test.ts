import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from '../../../lab/browser.ts'
import { basic } from '../../harness/app.ts'
import { tributary } from '../../harness/command-line.ts'
import { idsOfApp, tablesWithRowsOf } from '../../harness/database/rows-of-app.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { get, type Reply, send } from '../../harness/send.ts'
import { type Granted, newBrowser, REDIRECT, signIn } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import {
  assertRefused,
  auditOf,
  CONNECTORS,
  entryOf,
  expireAfter,
  nativeId,
  startQuietHarness,
} from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const MINUTES = 60_000
const SERVICE = 'demo-social'
const nameOf = (person: string) => `${nativeId(harness, SERVICE, person)}@${SERVICE}`
const press = (browser: Browser, page: Page, answer: 'yes' | 'no') => browser.submit(page, page.forms[0]!, { answer })
const stateOf = async (token: string) =>
  entryOf((await get(harness, '/profiles?full=true', token)).body, SERVICE)['state']

/** A person whose credential the service refuses, and their account. */
async function disconnected(person = 'ada', app: LabApp = harness.app): Promise<Granted> {
  const granted = await signIn(harness, SERVICE, person, {}, app)
  await harness.sql(`update profile set state = 'needs_auth', error = 'Refused.' where account_id = $1`, [
    granted.account,
  ])
  return granted
}

const requestLink = (token: string, json: object = {}, name = SERVICE) =>
  send(harness, 'POST', `/profiles/${name}/reconnect`, { token, json })
const linkIn = ({ status, body, text }: Reply) => {
  assert.equal(status, 201, text)
  return String(body['url'])
}
const newLink = async ({ access_token: token }: Granted) => linkIn(await requestLink(token))

/** Opens the link and signs in at the service; ends at the app or at the confirmation page. */
const open = (link: string, person: string, browser: Browser = newBrowser()) => browser.walk(link, { person })
/** The parameters of a return to the app, without those that every return or every error has. */
const paramsOf = ({ url }: Page) => {
  const { iss, error_description: described, error_uri: _uri, ...rest } = Object.fromEntries(new URL(url).searchParams)
  assert.equal(iss, harness.tributary.url)
  assert.equal('error' in rest, described !== undefined)
  return rest
}
const success = (account: string, person = 'ada') => ({ reconnected: nameOf(person), account })
const failure = (error: string, account: string, person = 'ada') => ({ error, reconnect: nameOf(person), account })

suite('a profile that needs a new sign-in says where to request a link', () => {
  test('in /profiles, in its progress and in /accounts; never with a token', async () => {
    const app = await harness.makeApp()
    const ada = await signIn(harness, SERVICE, 'ada', {}, app)
    const entry = async () => entryOf((await get(harness, '/profiles?full=true', ada.access_token)).body, SERVICE)
    assert.equal('reconnect' in (await entry()), false)
    await harness.sql(
      `insert into endpoint_sync (shard, profile_id, endpoint, next_run_at, interval_ms, epoch, items, fails, faults,
         quarantined, suspect_deletes)
       select shard, id, 'posts', 1, 1, 0, 0, 0, 0, 0, 0 from profile where account_id = $1`,
      [ada.account],
    )
    await harness.sql(`update profile set state = 'needs_auth' where account_id = $1`, [ada.account])
    const address = String((await entry())['reconnect'])
    const progress = (await get(harness, `/profiles/${SERVICE}/sync`, ada.access_token)).body
    assert.equal((progress['posts'] as { reconnect: string }).reconnect, address)
    const path = (url: string) => url.slice(harness.tributary.url.length)
    const byToken = await send(harness, 'POST', path(address), { token: ada.access_token })
    assert.equal(byToken.status, 201, byToken.text)
    const account = await send(harness, 'GET', `/accounts/${ada.account}`, { headers: basic(app) })
    const [shown] = account.body['profiles'] as { reconnect: string }[]
    const byApp = await send(harness, 'POST', path(shown!.reconnect), { headers: basic(app) })
    assert.equal(byApp.status, 201, byApp.text)
    for (const text of [address, shown!.reconnect, linkIn(byApp)]) assert.ok(!text.includes(ada.access_token))
  })
})

suite('the link', () => {
  test('after the same person signed in and confirmed, the profile works again and the link is dead', async () => {
    const ada = await disconnected()
    const [before] = await harness.sql<{ n: number }>('select count(*)::int as n from access_token')
    const link = await newLink(ada)
    const browser = newBrowser()
    const page = await open(link, 'ada', browser)
    assert.equal(new URL(page.url).pathname, '/oauth/confirm', 'a browser that did not sign in before is asked')
    assert.match(page.body, /connected again in an account/)
    assert.match(page.body, /<li>Ada Marlowe at Demo Social<\/li>/)
    assert.equal(await stateOf(ada.access_token), 'needs_auth', 'nothing changes before the person confirms')
    const back = await press(browser, page, 'yes')
    assert.deepEqual(paramsOf(back), success(ada.account))
    assert.equal(await stateOf(ada.access_token), 'active')
    const me = await get(harness, `/proxy/${SERVICE}/me`, ada.access_token)
    assert.equal(me.body['id'], nativeId(harness, SERVICE, 'ada'))
    assert.deepEqual(paramsOf(await press(browser, page, 'yes')), success(ada.account), 'a second click')
    assert.match((await browser.open(page.url)).body, /This is done/)
    const dead = await open(link, 'ada')
    assert.equal(dead.status, 400)
    assert.match(dead.body, /link_invalid/)
    const [after] = await harness.sql<{ n: number }>('select count(*)::int as n from access_token')
    assert.deepEqual(after, before, 'no access token is issued')
    assert.equal((await auditOf(harness, 'profile.reconnect')).at(-1)?.account_id, ada.account)
  })

  test('a browser that signed in to the account before is not asked', async () => {
    const browser = newBrowser()
    const app = await harness.makeApp()
    const page = await browser.walk(harness.startUrl(SERVICE, {}, app), { person: 'ada' })
    const form = { client_id: app.clientId, client_secret: app.secret, code: paramsOf(page)['code'] ?? '' }
    const { body } = await send(harness, 'POST', '/oauth/access_token', { form })
    const ada = body as Granted
    await harness.sql(`update profile set state = 'needs_auth' where account_id = $1`, [ada.account])
    const back = await open(await newLink(ada), 'ada', browser)
    assert.deepEqual(paramsOf(back), success(ada.account))
    assert.equal(await stateOf(ada.access_token), 'active')
  })

  test('S93 another service user changes nothing: the app gets an error, the token is revoked, the link stays', async () => {
    const ada = await disconnected()
    const link = await newLink(ada)
    const before = (await get(harness, '/profiles?full=true', ada.access_token)).body
    harness.lab.services[SERVICE].requests.clear()
    const back = await open(link, 'ben')
    assert.deepEqual(paramsOf(back), failure('other_service_user', ada.account))
    assert.deepEqual((await get(harness, '/profiles?full=true', ada.access_token)).body, before)
    assert.ok(harness.lab.services[SERVICE].requests.count('/oauth/revoke') > 0)
    assert.deepEqual(
      await harness.sql('select 1 from consent where native_id = $1', [nativeId(harness, SERVICE, 'ben')]),
      [],
    )
    const browser = newBrowser()
    assert.deepEqual(
      paramsOf(await press(browser, await open(link, 'ada', browser), 'yes')),
      success(ada.account),
      'the right person can still use it',
    )
  })

  test('declined at the service or on our page: nothing changes, and the link works until it expires', async () => {
    const ada = await disconnected()
    const link = await newLink(ada)
    const denied = await newBrowser().walk(link, { person: 'ada', decision: 'deny' })
    assert.deepEqual(paramsOf(denied), failure('access_denied', ada.account))
    const browser = newBrowser()
    const page = await open(link, 'ada', browser)
    assert.deepEqual(paramsOf(await press(browser, page, 'no')), failure('access_denied', ada.account))
    assert.equal(await stateOf(ada.access_token), 'needs_auth')
    assert.equal((await press(browser, page, 'yes')).status, 400, 'that page accepts no second decision')
    const again = await open(link, 'ada', browser)
    assert.deepEqual(paramsOf(await press(browser, again, 'yes')), success(ada.account))
  })

  test('used in two browsers at once: one of them reconnects, the other gets an error', async () => {
    const ada = await disconnected()
    const link = await newLink(ada)
    const browsers = [newBrowser(), newBrowser()] as const
    const pages = await Promise.all(browsers.map((browser) => open(link, 'ada', browser)))
    const ends = await Promise.all(pages.map((page, i) => press(browsers[i]!, page, 'yes')))
    assert.equal(ends.filter(({ stopped }) => stopped).length, 1)
    assert.equal(await stateOf(ada.access_token), 'active')
  })

  test('is stored as a hash, expires after an hour, and is removed', async () => {
    const ada = await disconnected('ben')
    const { body } = await requestLink(ada.access_token)
    const left = Number(body['expires_at']) - Date.now()
    assert.ok(left > 59 * MINUTES && left <= 60 * MINUTES)
    const rows = await harness.sql('select l::text as text from reconnect_link l')
    const ticket = new URL(String(body['url'])).searchParams.get('ticket') ?? ''
    assert.match(ticket, /^trl_/)
    assert.ok(!JSON.stringify(rows).includes(ticket) && !harness.tributary.logged.join('').includes(ticket))
    await harness.sql('update reconnect_link set expires_at = $1', [Date.now() - 1])
    const late = await open(String(body['url']), 'ben')
    assert.match(late.body, /link_invalid/)
    await expireAfter(harness, 30 * MINUTES)
    assert.deepEqual(await harness.sql('select 1 from reconnect_link'), [])
  })

  test('a sign-in that began in time may finish after the hour', async () => {
    const ada = await disconnected()
    const link = await newLink(ada)
    const browser = newBrowser()
    const page = await open(link, 'ada', browser)
    await harness.sql('update reconnect_link set expires_at = $1', [Date.now() - 1])
    assert.deepEqual(paramsOf(await press(browser, page, 'yes')), success(ada.account))
  })

  test('ten links at most are valid for one profile; a reconnect ends all of them', async () => {
    const ada = await disconnected('chloe')
    const links: string[] = []
    for (let i = 0; i < 12; i += 1) links.push(await newLink(ada))
    const [row] = await harness.sql<{ n: number }>(
      'select count(*)::int as n from reconnect_link l join profile p on p.shard = l.shard and p.id = l.profile_id where p.account_id = $1',
      [ada.account],
    )
    assert.equal(row?.n, 10)
    const browser = newBrowser()
    await press(browser, await open(links.at(-1)!, 'chloe', browser), 'yes')
    for (const link of links) assert.equal((await open(link, 'chloe')).status, 400)
  })

  test('previews and HEAD do not start a sign-in', async () => {
    const ada = await disconnected()
    const link = (await newLink(ada)).slice(harness.tributary.url.length)
    assert.equal((await send(harness, 'HEAD', link)).status, 405)
    const prefetched = await send(harness, 'GET', link, { headers: { 'sec-purpose': 'prefetch' } })
    assert.notEqual(prefetched.status, 302)
    assert.equal((await send(harness, 'GET', link)).status, 302)
  })

  test('S93 a wrong or foreign ticket is a page, never a redirect', async () => {
    for (const ticket of ['x', `trl_00${'0'.repeat(52)}`, `trf_00${'0'.repeat(52)}`, 'trl_'.padEnd(500, '0')]) {
      const { status, headers } = await send(harness, 'GET', '/oauth/reconnect', { query: { ticket } })
      assert.deepEqual([status, headers.get('location')], [400, null], ticket)
    }
  })
})

suite('between the request for a link and its use', () => {
  test('a pause stays', async () => {
    const ada = await disconnected()
    await send(harness, 'POST', `/profiles/${SERVICE}/pause`, { token: ada.access_token })
    const browser = newBrowser()
    await press(browser, await open(await newLink(ada), 'ada', browser), 'yes')
    assert.equal(await stateOf(ada.access_token), 'paused')
    await send(harness, 'POST', `/profiles/${SERVICE}/resume`, { token: ada.access_token })
    assert.equal(await stateOf(ada.access_token), 'active')
  })

  test('a merge: the profile is reconnected in the account it moved to', async () => {
    const app = await harness.makeApp()
    const [ada, ben] = [await disconnected('ada', app), await signIn(harness, 'demo-health', 'ben', {}, app)]
    const link = await newLink(ada)
    const form = { source: ada.access_token, dest: ben.access_token }
    await send(harness, 'POST', '/auth/merge', { form })
    const browser = newBrowser()
    const back = await press(browser, await open(link, 'ada', browser), 'yes')
    assert.deepEqual(paramsOf(back), success(ben.account))
    assert.equal(await stateOf(ben.access_token), 'active')
  })

  test('a merge with the same service user: the profile that continues is reconnected', async () => {
    const app = await harness.makeApp()
    const ada = await disconnected('ada', app)
    const ben = await signIn(harness, 'demo-health', 'ben', {}, app)
    const both = await signIn(harness, SERVICE, 'ada', { access_token: ben.access_token }, app)
    const link = await newLink(ada)
    const form = { source: ada.access_token, dest: both.access_token }
    await send(harness, 'POST', '/auth/merge', { form })
    await harness.sql(`update profile set state = 'needs_auth' where account_id = $1`, [ben.account])
    const browser = newBrowser()
    await press(browser, await open(link, 'ada', browser), 'yes')
    assert.equal(await stateOf(ben.access_token), 'active')
  })

  test('disconnecting the profile ends the link', async () => {
    const app = await harness.makeApp()
    const ada = await disconnected('ada', app)
    const link = await newLink(ada)
    const browser = newBrowser()
    const page = await open(link, 'ada', browser)
    await send(harness, 'DELETE', `/profiles/${SERVICE}`, { token: ada.access_token })
    assert.equal((await open(link, 'ada')).status, 400)
    assert.equal((await press(browser, page, 'yes')).status, 400)
    assert.deepEqual((await get(harness, '/profiles', ada.access_token)).body, { id: ada.account })
  })

  test('deleting the app leaves no link', async () => {
    const app = await harness.makeApp()
    const link = await newLink(await disconnected('ada', app))
    const ids = await idsOfApp(harness.sql, app.clientId)
    await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}?erase=true`)
    await until('the app is deleted', async () => {
      return (await harness.sql('select 1 from app where id = $1', [app.clientId])).length === 0
    })
    assert.deepEqual(await tablesWithRowsOf(harness.sql, ids), [])
    assert.equal((await open(link, 'ada')).status, 400)
  })

  test('S93 an address that the app no longer registers is not redirected to', async () => {
    const app = await harness.makeApp()
    const ada = await disconnected('ada', app)
    const link = await newLink(ada)
    await harness.tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { redirect_uris: ['https://new.test/'] })
    const { status, text } = await send(harness, 'GET', link.slice(harness.tributary.url.length))
    assert.equal(status, 400)
    assert.match(text, /redirect_unregistered/)
  })
})

suite('requesting a link', () => {
  test('the address must be registered, and may be missing only if there is one', async () => {
    const app = await harness.makeApp({ redirectUris: [REDIRECT, 'https://app.test/other'] })
    const { access_token: token } = await disconnected('ada', app)
    const missing = await requestLink(token)
    assertRefused(missing, 400, 'redirect_unregistered')
    assert.match(String(missing.body['error']), /several/)
    assertRefused(await requestLink(token, { redirect_uri: 'https://evil.test/' }), 400, 'redirect_unregistered')
    const link = linkIn(await requestLink(token, { redirect_uri: 'https://app.test/other' }))
    const { headers } = await send(harness, 'GET', link.slice(harness.tributary.url.length))
    assert.match(headers.get('location') ?? '', /^http/)
  })

  test('the scope is passed to the service', async () => {
    const { access_token: token } = await disconnected()
    const link = linkIn(await requestLink(token, { scope: 'posts.read' }))
    const { headers } = await send(harness, 'GET', link.slice(harness.tributary.url.length))
    assert.equal(new URL(headers.get('location') ?? '').searchParams.get('scope'), 'posts.read')
  })

  test('S93 another account’s or another app’s profile is not found', async () => {
    const [ada, ben] = [await disconnected('ada'), await signIn(harness, 'demo-health', 'ben')]
    assertRefused(await requestLink(ben.access_token, {}, nameOf('ada')), 404, 'no_profile')
    const other = await harness.makeApp()
    const path = `/accounts/${ada.account}/profiles/${SERVICE}/reconnect`
    assertRefused(await send(harness, 'POST', path, { headers: basic(other) }), 404, 'not_found')
    const wrong = `/accounts/${ben.account}/profiles/${SERVICE}/reconnect`
    assertRefused(await send(harness, 'POST', wrong, { headers: basic(harness.app) }), 404, 'no_profile')
  })

  test('without keys for the service there is no link', async () => {
    const app = await harness.makeApp()
    const { access_token: token } = await disconnected('ada', app)
    await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}/keys/${SERVICE}`)
    assertRefused(await requestLink(token), 404, 'no_service_keys')
  })

  test('`tributary profiles reconnect` prints it', async () => {
    const app = await harness.makeApp()
    const ada = await disconnected('ada', app)
    const env = {
      DATABASE_URL: harness.tributary.databaseUrl,
      TRIBUTARY_DATA: harness.tributary.dataDir,
      TRIBUTARY_CONNECTORS: CONNECTORS,
      BASE_URL: harness.tributary.url,
    }
    const { stdout, stderr } = await tributary(['profiles', 'reconnect', ada.account, SERVICE, '--json'], env)
    const { url } = JSON.parse(stdout) as { url: string }
    assert.ok(url.startsWith(`${harness.tributary.url}/oauth/reconnect?ticket=trl_`), stderr)
    const browser = newBrowser()
    assert.deepEqual(paramsOf(await press(browser, await open(url, 'ada', browser), 'yes')), success(ada.account))
  })
})

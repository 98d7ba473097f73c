import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from '../../../lab/browser.ts'
import { type App, basic } from '../../harness/app.ts'
import { auditTrail } from '../../harness/audit.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { get, type Reply, send } from '../../harness/send.ts'
import { codeOf, continued, newBrowser, REDIRECT, redeem, redeemed, signIn } from '../../harness/sign-in.ts'
import { assertRefused, expireAfter, startQuietHarness } from '../sign-in/fixture.ts'

const HOURS = 3_600_000

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

interface Session {
  id: string
  url: string
  expires_at: number
}

const request = (json: object = {}, by: App = harness.app, headers: Record<string, string> = {}): Promise<Reply> =>
  send(harness, 'POST', '/connect/sessions', {
    headers: { ...basic(by), ...headers },
    json: { redirect_uri: REDIRECT, ...json },
  })
const create = async (json: object = {}, by: App = harness.app): Promise<Session> => {
  const reply = await request(json, by)
  assert.equal(reply.status, 201, reply.text)
  return reply.body as unknown as Session
}
const show = (id: string, by: App = harness.app) =>
  send(harness, 'GET', `/connect/sessions/${id}`, { headers: basic(by) })
const stateOf = async ({ id }: Session) => (await show(id)).body['state']
const revoke = (id: string, by: App = harness.app) =>
  send(harness, 'DELETE', `/connect/sessions/${id}`, { headers: basic(by) })

/** Presses the button of a service, as far as the page of the service or our refusal. */
const choose = (browser: Browser, page: Page, service: string): Promise<Page> => {
  const form = page.forms.find(({ action, method }) => action === '/connect/link' && method.toLowerCase() === 'post')
  assert.ok(form, page.body.slice(-800))
  return browser.submit(page, form, { service })
}
/** Opens the link, chooses a service and signs in there, up to the redirect to the app. */
const follow = async (session: Session, service: string, person = 'ada', browser = newBrowser()): Promise<URL> => {
  const login = await choose(browser, await browser.open(session.url), service)
  const back = await continued(browser, await browser.walk(login.url, { person }))
  assert.ok(back.stopped, `${back.url} ${back.body.slice(-500)}`)
  return new URL(back.url)
}
/** Signs in without a session, up to the redirect to the app. */
const walkAs = (browser: Browser, service: string, person = 'ada'): Promise<Page> =>
  browser.walk(harness.startUrl(service), { person })
const pressed = (address: string, service: string, cookie?: string) =>
  fetch(`${harness.tributary.url}/connect/link`, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', ...(cookie === undefined ? {} : { cookie }) },
    body: new URLSearchParams({ ticket: new URL(address).searchParams.get('ticket')!, service }),
  })
/** Where the button leads a browser: to the service, or back to the link, which says why not. */
const pressedTo = async ({ url }: Session, cookie?: string): Promise<string> => {
  const response = await pressed(url, 'demo-social', cookie)
  assert.equal(response.status, 303)
  const location = response.headers.get('location')!
  return location === url.slice(harness.tributary.url.length) ? 'the link' : 'the service'
}

suite('a connect session', () => {
  test('leads a person through a sign-in to a code, without a token in any address', async () => {
    const session = await create({ state: 'a&b', services: ['demo-social'], label: 'ada@example.com' })
    assert.match(session.url, /^http[^?]+\/connect\/link\?ticket=tro_\w+$/)
    assert.equal(await stateOf(session), 'open')
    const browser = newBrowser()
    const page = await browser.open(session.url)
    assert.match(page.body, /This link is for ada@example\.com\./)
    assert.doesNotMatch(page.body, /Demo Micro/, 'only the services that the app named')
    const back = await follow(session, 'demo-social', 'ada', browser)
    assert.equal(back.searchParams.get('state'), 'a&b')
    assert.equal(await stateOf(session), 'used', 'until the app redeems the code')
    const granted = await redeemed(harness, codeOf(back))
    assert.ok(granted.account)
    const shown = (await show(session.id)).body
    assert.equal(shown['state'], 'done')
    assert.equal(shown['service'], 'demo-social')
    assert.equal(shown['label'], 'ada@example.com')
    assert.ok(Number(shown['used_at']) <= Number(shown['done_at']))
    const again = await browser.open(session.url)
    assert.equal(again.status, 200)
    assert.match(again.body, /You are connected/)
    assert.equal(await pressedTo(session), 'the link', 'a replay elsewhere is refused')
  })

  test('adds the profile to the account of the session, after the person confirms', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const session = await create({ account: ada.account, services: ['demo-health', 'demo-social'] })
    const browser = newBrowser()
    const page = await browser.open(session.url)
    assert.doesNotMatch(page.body, /class="done"/, 'the link alone does not show what is connected')
    const login = await choose(browser, page, 'demo-health')
    const confirm = await browser.walk(login.url, { person: 'ada' })
    const claimed = await browser.open(session.url)
    assert.match(claimed.body, /Demo Social<\/button> <span class="done">Connected</, 'the browser that uses it does')
    assert.equal(new URL(confirm.url).pathname, '/oauth/confirm', 'a link from an attacker cannot add a profile')
    assert.match(confirm.body, /already exists in Lab App/)
    const granted = await redeemed(harness, codeOf(new URL((await continued(browser, confirm)).url)))
    assert.equal(granted.account, ada.account)
    assert.deepEqual(Object.keys((await get(harness, '/profiles', ada.access_token)).body), [
      'id',
      'demo-health',
      'demo-social',
    ])
    assert.equal((await show(session.id)).body['account'], ada.account)
  })

  test('a browser that signed in to the account before sees what is connected', async () => {
    const browser = newBrowser()
    const ada = await redeemed(harness, codeOf(new URL((await walkAs(browser, 'demo-social')).url)))
    const session = await create({ account: ada.account, services: ['demo-health', 'demo-social'] })
    assert.match((await browser.open(session.url)).body, /Demo Social<\/button> <span class="done">Connected</)
    assert.doesNotMatch((await newBrowser().open(session.url)).body, /class="done"/)
    assert.equal(await stateOf(session), 'open', 'looking does not use it up')
  })

  test('a person who declines returns to the app, and may begin again in the same browser', async () => {
    const session = await create({ services: ['demo-social'], state: 's' })
    const browser = newBrowser()
    const login = await choose(browser, await browser.open(session.url), 'demo-social')
    const denied = await browser.walk(login.url, { person: 'ada', decision: 'deny' })
    assert.match(denied.url, /error=access_denied.*state=s/)
    assert.equal(await stateOf(session), 'used')
    assert.ok(codeOf(await follow(session, 'demo-social', 'ada', browser)))
  })

  test('“Cancel” returns to the app and does not use the link', async () => {
    const session = await create({ state: 'x y' })
    const page = await newBrowser().open(session.url)
    const cancel = new URL(page.links.find(({ label }) => label === 'Cancel and go back to Lab App')!.href)
    assert.equal(`${cancel.origin}${cancel.pathname}`, REDIRECT)
    assert.deepEqual(
      ['error', 'state', 'iss'].map((name) => cancel.searchParams.get(name)),
      ['access_denied', 'x y', harness.tributary.url],
    )
    assert.equal(await stateOf(session), 'open')
  })
})

suite('S80 a link works in one browser', () => {
  test('previews, prefetches and HEAD do not use it up', async () => {
    const session = await create({ services: ['demo-social'] })
    for (const headers of [{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }, { 'user-agent': 'Bot' }]) {
      const response = await fetch(session.url, { headers: { accept: 'text/html', ...headers } })
      assert.equal(response.status, 200)
      await response.body?.cancel()
    }
    await fetch(session.url, { method: 'HEAD' })
    assert.equal(await stateOf(session), 'open')
    assert.ok(codeOf(await follow(session, 'demo-social')))
  })

  test('another browser is refused kindly, before and after the sign-in', async () => {
    const session = await create({ services: ['demo-social'] })
    const [mine, other] = [newBrowser(), newBrowser()]
    const [page, seen] = [await mine.open(session.url), await other.open(session.url)]
    await choose(mine, page, 'demo-social')
    for (const refused of [await choose(other, seen, 'demo-social'), await other.open(session.url)]) {
      assert.equal(refused.status, 403)
      assert.match(refused.body, /opened in another browser/)
      assert.match(refused.body, /Back to Lab App/)
    }
    assert.ok(codeOf(await follow(session, 'demo-social', 'ada', mine)), 'the first browser goes on')
  })

  test('of many browsers that begin at once, one wins', async () => {
    const session = await create({ services: ['demo-social'] })
    const statuses = await Promise.all(Array.from({ length: 8 }, () => pressedTo(session)))
    assert.deepEqual(statuses.toSorted(), [
      'the link',
      'the link',
      'the link',
      'the link',
      'the link',
      'the link',
      'the link',
      'the service',
    ])
  })

  test('a browser whose response to the choice was lost begins again', async () => {
    const session = await create({ services: ['demo-social'] })
    const opened = await fetch(session.url)
    await opened.body?.cancel()
    const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!
    assert.match(
      opened.headers.getSetCookie()[0]!,
      /^tributary-link=\w+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800/,
    )
    for (const attempt of ['lost', 'again']) assert.equal(await pressedTo(session, cookie), 'the service', attempt)
    assert.equal(await stateOf(session), 'used')
    const late = await fetch(session.url, { headers: { cookie } })
    assert.match(await late.text(), /Demo Social<\/button>/)
    assert.equal(await pressedTo(session), 'the link', 'without the cookie')
  })

  test('two tabs of it both finish', async () => {
    const session = await create({ services: ['demo-social', 'demo-micro'] })
    const browser = newBrowser()
    const [one, two] = [await browser.open(session.url), await browser.open(session.url)]
    const [social, micro] = [await choose(browser, one, 'demo-social'), await choose(browser, two, 'demo-micro')]
    for (const login of [social, micro]) {
      const back = await continued(browser, await browser.walk(login.url, { person: 'ada' }))
      assert.equal((await redeem(harness, codeOf(new URL(back.url)))).status, 200)
    }
    assert.match((await choose(browser, one, 'demo-social')).body, /You are connected/, 'then it is done')
  })

  test('a service that the session does not offer is refused', async () => {
    const session = await create({ services: ['demo-social'] })
    assert.equal((await pressed(session.url, 'demo-micro')).status, 404)
    assert.equal(await stateOf(session), 'open')
  })
})

suite('S81 a link ends', () => {
  test('when it expires, with a page that says so; then it is purged', async () => {
    const session = await create({ services: ['demo-social'], expires_in: 60 })
    assert.ok(session.expires_at <= Date.now() + 60_000)
    const browser = newBrowser()
    const page = await browser.open(session.url)
    await harness.sql('update connect_session set expires_at = $1 where id = $2', [Date.now() - 1, session.id])
    const late = await choose(browser, page, 'demo-social')
    assert.equal(late.status, 410)
    assert.match(late.body, /has expired/)
    assert.equal(await stateOf(session), 'expired')
    await expireAfter(harness, 25 * HOURS)
    assert.deepEqual(await harness.sql('select 1 from connect_session where id = $1', [session.id]), [])
    const gone = await newBrowser().open(session.url)
    assert.equal(gone.status, 404)
    assert.match(gone.body, /This link does not work/)
    assertRefused(await show(session.id), 404, 'not_found')
  })

  test('when the app revokes it, also in the middle of a sign-in, and nothing is connected', async () => {
    const session = await create({ services: ['demo-social'] })
    const browser = newBrowser()
    const login = await choose(browser, await browser.open(session.url), 'demo-social')
    assert.equal((await revoke(session.id)).body['state'], 'revoked')
    assert.equal((await revoke(session.id)).body['state'], 'revoked', 'again changes nothing')
    assert.match((await browser.walk(login.url, { person: 'ada' })).url, /error=access_denied/)
    const page = await browser.open(session.url)
    assert.equal(page.status, 410)
    assert.match(page.body, /withdrawn/)
    const entries = await auditTrail(harness.sql, 'connect_session.revoke', { app: harness.app.clientId })
    assert.equal(entries.filter(({ detail }) => detail['session'] === session.id).length, 1)
  })

  test('a code of a session that was revoked meanwhile is refused', async () => {
    const session = await create({ services: ['demo-social'] })
    const code = codeOf(await follow(session, 'demo-social'))
    await revoke(session.id)
    assert.equal((await redeem(harness, code)).status, 400)
    assert.equal(await stateOf(session), 'revoked')
  })

  test('with its account, and with its redirect address', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const session = await create({ account: ada.account })
    await send(harness, 'DELETE', '/profiles', { token: ada.access_token })
    assert.equal((await newBrowser().open(session.url)).status, 404)
    const app = await harness.makeApp({ services: ['demo-social'] })
    const moved = await create({}, app)
    await harness.tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { redirect_uris: ['https://other.test/x'] })
    assert.equal((await newBrowser().open(moved.url)).status, 410)
  })
})

suite('requests for sessions', () => {
  test('for one account: with the 21st link that nobody uses, the oldest expires', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const other = await signIn(harness, 'demo-social', 'ben')
    const given = { account: ada.account, services: ['demo-health'] }
    const kept = await create({ account: other.account })
    const used = await create(given)
    const mine = newBrowser()
    await choose(mine, await mine.open(used.url), 'demo-health')
    const sessions: Session[] = []
    for (let i = 0; i < 20; i += 1) sessions.push(await create(given))
    assert.equal(await stateOf(sessions[0]!), 'open', 'twenty are kept; the one that is used is not one of them')
    sessions.push(await create(given))
    assert.deepEqual(
      await Promise.all(sessions.map(stateOf)),
      sessions.map((_, i) => (i === 0 ? 'expired' : 'open')),
    )
    const late = await newBrowser().open(sessions[0]!.url)
    assert.equal(late.status, 410)
    assert.match(late.body, /has expired/)
    assert.equal(await stateOf(used), 'used')
    assert.equal(await stateOf(kept), 'open', 'that of another account stays')
    assert.ok(codeOf(await follow(sessions.at(-1)!, 'demo-health', 'ada')))
  })

  test('of one app: too many are refused with the time to wait, until one ends', async () => {
    const app = await harness.makeApp({ services: ['demo-social'] })
    const ada = await signIn(harness, 'demo-social', 'ada', {}, app)
    const first = await create({ account: ada.account, expires_in: 600 }, app)
    await harness.sql(
      `insert into connect_session (shard, id, hash, app_id, sealed, created_at, expires_at)
       select shard, id || '-' || n, hash || n::text::bytea, app_id, sealed, created_at, expires_at + 1000000
       from connect_session, generate_series(1, 199) n where id = $1`,
      [first.id],
    )
    const refused = await request({ account: ada.account }, app)
    assertRefused(refused, 429, 'too_many_sessions')
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait > 0 && wait <= 600, String(wait))
    assert.equal((await request({ account: (await signIn(harness, 'demo-social', 'ada')).account })).status, 201)
    await revoke(first.id, app)
    await create({ account: ada.account }, app)
  })

  test('are checked', async () => {
    assertRefused(await request({ redirect_uri: 'https://evil.test/' }), 400, 'redirect_unregistered')
    assertRefused(await request({ services: ['nothing'] }), 404, 'service_unknown')
    assertRefused(await request({ services: ['github'] }), 404, 'no_service_keys')
    assertRefused(await request({ expires_in: 59 }), 400, 'bad_body')
    assertRefused(await request({ expires_in: 604_801 }), 400, 'bad_body')
    assertRefused(await request({ account: 'nobody' }), 404, 'not_found')
    assertRefused(await request({ label: 'x'.repeat(101) }), 400, 'bad_body')
    assert.equal((await send(harness, 'POST', '/connect/sessions', { json: { redirect_uri: REDIRECT } })).status, 401)
  })

  test('a public client gives a PKCE challenge', async () => {
    const app = await harness.makeApp({ services: ['demo-social'], isPublic: true })
    assertRefused(await request({}, app), 400, 'bad_body')
    assert.equal((await request({ code_challenge: 'a'.repeat(43) }, app)).status, 201)
  })

  test('repeated with the same key return the same link', async () => {
    const headers = { 'idempotency-key': 'one' }
    const [one, two] = [await request({}, harness.app, headers), await request({}, harness.app, headers)]
    assert.equal(one.text, two.text)
  })

  test('S81 another app sees, uses and revokes nothing of it', async () => {
    const other = await harness.makeApp({ name: 'Other', services: ['demo-social'] })
    const ada = await signIn(harness, 'demo-social', 'ada')
    const session = await create({ account: ada.account })
    assertRefused(await show(session.id, other), 404, 'not_found')
    assertRefused(await revoke(session.id, other), 404, 'not_found')
    assertRefused(await request({ account: ada.account }, other), 404, 'not_found')
    assert.equal(await stateOf(session), 'open')
    const code = codeOf(await follow(await create({ services: ['demo-social'] }), 'demo-social'))
    assert.equal((await redeem(harness, code, {}, other)).status, 400)
  })

  test('S81 the link and what the app said are not stored in the open', async () => {
    const session = await create({ label: 'label-canary', state: 'state-canary' })
    const rows = await harness.sql<{ text: string }>('select c::text as text from connect_session c where id = $1', [
      session.id,
    ])
    const ticket = new URL(session.url).searchParams.get('ticket')!
    for (const canary of [ticket, 'label-canary', 'state-canary']) {
      assert.ok(!rows[0]!.text.includes(canary), canary)
      assert.ok(!rows[0]!.text.includes(Buffer.from(canary).toString('hex')), canary)
      assert.ok(
        harness.tributary.logged.every((line) => !line.includes(canary)),
        canary,
      )
    }
  })

  test('the language of the session is that of every page', async () => {
    const session = await create({ locale: 'de-AT', services: ['mastodon'] })
    const browser = newBrowser()
    const page = await browser.open(session.url)
    assert.match(page.body, /<html lang="de" dir="ltr">/)
    assert.match((await choose(browser, page, 'mastodon')).body, /Ihr Mastodon-Server/)
  })
})

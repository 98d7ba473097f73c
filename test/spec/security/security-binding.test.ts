import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Browser, createBrowser } from '../../../lab/browser.ts'
import type { DemoService, LabApp, LabHarness } from '../../harness/lab.ts'
import { get } from '../../harness/send.ts'
import { newBrowser, newCode, REDIRECT, redeem, signIn, walk, withoutDescription } from '../../harness/sign-in.ts'
import { auditOf, expireAfter, nativeId, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const MINUTES = 60_000

/** Walks until the service redirects the person, and stops before the request to our callback. */
async function stopBeforeCallback(service: DemoService, by: LabApp = harness.app, query: Record<string, string> = {}) {
  const callback = `${harness.tributary.url}/auth/`
  const browser = createBrowser({ stopAt: (url) => url.startsWith(REDIRECT) || (url.startsWith(callback) && holding) })
  let holding = true
  const page = await browser.walk(harness.startUrl(service, query, by), { person: 'ada' })
  assert.ok(page.url.startsWith(callback), page.url)
  holding = false
  return { browser, callback: new URL(page.url) }
}

const tokenRequests = () =>
  (['demo-social', 'demo-health'] as const).reduce(
    (sum, name) => sum + harness.lab.services[name].requests.count('/oauth/token'),
    0,
  )
const rows = async () =>
  (
    await harness.sql<{ n: number }>(
      'select (select count(*) from account)::int + (select count(*) from profile)::int + (select count(*) from consent)::int as n',
    )
  )[0]!.n

async function assertRefusedAt(browser: Browser, url: URL | string): Promise<void> {
  const page = await browser.open(String(url))
  assert.equal(page.status, 400)
  assert.equal(page.chain.length, 1, 'no redirect')
  assert.match(page.body, /session_expired/)
}

suite('responses of services are not mixed up', () => {
  test('S01 the state of one service at the callback of another is refused without a token request, and audited', async () => {
    const hostile = await stopBeforeCallback('demo-social')
    const honest = await stopBeforeCallback('demo-health')
    const [requestsBefore, before] = [tokenRequests(), await rows()]
    const mixed = new URL(honest.callback)
    mixed.searchParams.set('state', hostile.callback.searchParams.get('state')!)
    await assertRefusedAt(hostile.browser, mixed)
    assert.equal(tokenRequests(), requestsBefore, 'no token request left')
    assert.equal(await rows(), before)
    const entry = (await auditOf(harness, 'callback.refused')).at(-1)
    const { attempts: _attempts, ...detail } = entry!.detail
    assert.deepEqual(detail, {
      began_at: 'demo-social',
      began_registration: hostile.callback.pathname.split('/').at(-1),
      came_back_to: 'demo-health',
      came_back_registration: honest.callback.pathname.split('/').at(-1),
    })
    assert.equal(entry?.app_id, harness.app.clientId)
    await assertRefusedAt(hostile.browser, hostile.callback)
  })

  test('S02 two apps at one service: a code of one in the flow of the other changes nothing', async () => {
    const other = await harness.makeApp()
    const own = await stopBeforeCallback('demo-social')
    const foreign = await stopBeforeCallback('demo-social', other)
    const before = await rows()
    const crossed = new URL(own.callback)
    crossed.searchParams.set('code', foreign.callback.searchParams.get('code')!)
    const page = await own.browser.open(crossed.href)
    assert.equal(withoutDescription(page.url), `${REDIRECT}?error=service_refused`)
    const swapped = new URL(own.callback)
    swapped.searchParams.set('state', foreign.callback.searchParams.get('state')!)
    await assertRefusedAt(own.browser, swapped)
    assert.equal(await rows(), before)
  })

  test('S03 a wrong or missing issuer is refused', async () => {
    for (const iss of ['wrong', 'off']) {
      harness.lab.services['demo-social'].configure({ iss })
      const requestsBefore = tokenRequests()
      const back = await walk(harness.startUrl('demo-social', { state: 's' }), { person: 'ada' })
      assert.equal(withoutDescription(back.search), '?error=service_refused&state=s', iss)
      assert.equal(tokenRequests(), requestsBefore, 'the code went nowhere')
    }
    harness.lab.services['demo-social'].configure({ iss: 'on' })
    assert.ok((await walk(harness.startUrl('demo-social'), { person: 'ada' })).searchParams.has('code'))
  })
})

suite('S29 a callback with a repeated parameter is refused', () => {
  /** Repeating the same value is refused as well: nobody can tell who added the second one. */
  const doubled = (callback: URL, name: string, second = callback.searchParams.get(name) ?? 'x') => {
    const url = new URL(callback)
    if (!url.searchParams.has(name)) url.searchParams.append(name, 'x')
    url.searchParams.append(name, second)
    return url
  }

  const NAMES_A_SIGN_IN = [
    ['demo-social', 'state'],
    ['demo-social', 'oauth_token'],
    ['demo-micro', 'oauth_token'],
    ['demo-micro', 'denied'],
  ] as const
  for (const [service, name] of NAMES_A_SIGN_IN) {
    test(`${service}: a repeated ${name} leaves the sign-in unclear: refused, and the sign-in can still finish`, async () => {
      const { browser, callback } = await stopBeforeCallback(service)
      const before = await rows()
      for (const second of [undefined, 'another']) {
        const page = await browser.open(doubled(callback, name, second).href)
        assert.equal(page.status, 400)
        assert.equal(page.chain.length, 1, 'no redirect')
        assert.match(page.body, new RegExp(`${name}: was given more than once`))
        assert.match(page.body, /bad_parameter/)
      }
      assert.equal(await rows(), before)
      assert.ok(new URL((await browser.open(callback.href)).url).searchParams.has('code'))
    })
  }

  const SAYS_WHAT_HAPPENED = [
    ['demo-social', 'code'],
    ['demo-social', 'iss'],
    ['demo-social', 'error'],
    ['demo-micro', 'oauth_verifier'],
    ['demo-micro', 'error'],
  ] as const
  for (const [service, name] of SAYS_WHAT_HAPPENED) {
    test(`${service}: a repeated ${name}: the app gets an error, no token is requested, and the sign-in ends`, async () => {
      for (const second of [undefined, 'another']) {
        const { browser, callback } = await stopBeforeCallback(service, harness.app, { state: 's' })
        const requestsBefore = [
          tokenRequests(),
          harness.lab.services['demo-micro'].requests.count('/oauth/access_token'),
        ]
        const before = await rows()
        const page = await browser.open(doubled(callback, name, second).href)
        assert.equal(withoutDescription(page.url), `${REDIRECT}?error=invalid_request&state=s`)
        assert.deepEqual(
          [tokenRequests(), harness.lab.services['demo-micro'].requests.count('/oauth/access_token')],
          requestsBefore,
          'the code went nowhere',
        )
        assert.equal(await rows(), before)
        await assertRefusedAt(browser, callback)
      }
    })
  }

  test('a repeated parameter that we never read is ignored', async () => {
    const { browser, callback } = await stopBeforeCallback('demo-social')
    const page = await browser.open(doubled(callback, 'authuser').href)
    assert.ok(new URL(page.url).searchParams.has('code'))
  })
})

suite('S04 only the browser that began may finish', () => {
  for (const service of ['demo-social', 'demo-micro'] as const) {
    test(`${service}: without its cookie it is refused`, async () => {
      const { browser, callback } = await stopBeforeCallback(service)
      const before = await rows()
      await assertRefusedAt(newBrowser(), callback)
      await assertRefusedAt(browser, callback)
      assert.equal(await rows(), before, 'the state was used up by the stranger')
    })

    test(`${service}: with the cookie of another browser it is refused`, async () => {
      const { callback } = await stopBeforeCallback(service)
      const { browser: other } = await stopBeforeCallback(service)
      await assertRefusedAt(other, callback)
    })

    test(`${service}: a second time it is refused`, async () => {
      const { browser, callback } = await stopBeforeCallback(service)
      assert.ok(new URL((await browser.open(callback.href)).url).searchParams.has('code'))
      await assertRefusedAt(browser, callback)
    })

    test(`${service}: after ten minutes it is refused`, async () => {
      const { browser, callback } = await stopBeforeCallback(service)
      await harness.sql('update pending set expires_at = expires_at - $1', [10 * MINUTES + 1000])
      await assertRefusedAt(browser, callback)
    })
  }

  test('a cookie that we did not issue is ignored', async () => {
    const response = await fetch(harness.startUrl('demo-social'), {
      redirect: 'manual',
      headers: { cookie: 'tributary=fixed' },
    })
    assert.match(
      response.headers.getSetCookie()[0] ?? '',
      /^tributary=[0-9a-z]{52}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1200$/,
    )
  })

  test('maintenance deletes unfinished sign-ins', async () => {
    await stopBeforeCallback('demo-social')
    assert.ok((await expireAfter(harness, 11 * MINUTES)).pending > 0)
    assert.deepEqual(await harness.sql('select 1 from pending'), [])
  })
})

suite('an attacker’s link attaches nobody', () => {
  test('S05 with a code: nothing changes until the app redeems it; then it expires and the service revokes the token', async () => {
    const attacker = await signIn(harness, 'demo-social', 'esra')
    const before = (await get(harness, '/profiles', attacker.access_token)).body
    const code = await newCode(harness, 'demo-health', 'ben', { access_token: attacker.access_token })
    assert.deepEqual((await get(harness, '/profiles', attacker.access_token)).body, before)
    const { requests } = harness.lab.services['demo-health']
    requests.clear()
    assert.equal((await expireAfter(harness, 9 * MINUTES)).consents, 0, 'not before its time')
    assert.equal((await expireAfter(harness, 11 * MINUTES)).consents > 0, true)
    assert.ok(requests.count('/oauth/revoke') > 0, 'the token was revoked')
    const revoked = requests.to('/oauth/revoke').map(({ status }) => status)
    assert.ok(revoked.every((status) => status === 200))
    const victim = nativeId(harness, 'demo-health', 'ben')
    assert.deepEqual(await harness.sql('select 1 from consent where native_id = $1', [victim]), [])
    assert.equal((await redeem(harness, code)).status, 400)
    assert.deepEqual((await get(harness, '/profiles', attacker.access_token)).body, before)
  })

  test('S06 with a token: the person is asked, and without a click nothing is attached', async () => {
    const attacker = await signIn(harness, 'demo-social', 'esra')
    const before = (await get(harness, '/profiles', attacker.access_token)).body
    const query = { access_token: attacker.access_token, response_type: 'token' }
    const browser = newBrowser()
    const page = await browser.walk(harness.startUrl('demo-health', query), { person: 'ben' })
    assert.equal(page.status, 200)
    assert.match(page.body, /already exists/)
    assert.match(page.body, /Esra/)
    assert.ok(!page.chain.some((url) => url.startsWith(REDIRECT)))
    assert.deepEqual((await get(harness, '/profiles', attacker.access_token)).body, before)
    await browser.submit(page, page.forms[0]!, { answer: 'no' })
    assert.deepEqual((await get(harness, '/profiles', attacker.access_token)).body, before)
  })
})

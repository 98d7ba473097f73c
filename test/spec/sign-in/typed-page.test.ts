import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic, makeApp } from '../../harness/app.ts'
import { get, send } from '../../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeem, redeemed, startUrl } from '../../harness/sign-in.ts'
import { entryOf, expireAfter, pkce } from './fixture.ts'
import { openTyped, startTypedHarness, type TypedHarness, typeIn } from './typed-fixture.ts'

let harness: TypedHarness
before(async () => {
  harness = await startTypedHarness()
})
after(() => harness.stop())

const KEY = { token: 'sk_ada_0123456789' }
const signInAs = async (service: string, values: Record<string, string>) => {
  const { browser, page } = await openTyped(harness, service)
  const back = await typeIn(browser, page, values)
  assert.ok(back.stopped, back.body)
  return redeemed(harness, codeOf(new URL(back.url)))
}

suite('a person types credentials on our page', () => {
  const cases: [service: string, values: Record<string, string>, id: string][] = [
    ['key-service', KEY, '1'],
    ['query-service', { key: 'sk_bob_0123456789' }, '2'],
    ['password-service', { name: 'ada', password: 'correct horse' }, '1'],
    ['session-service', { workspace: 'acme', user: 'bob', pass: 'battery staple' }, '2'],
  ]
  for (const [service, values, id] of cases) {
    test(`${service}: without keys of the app, up to a profile and the proxy`, async () => {
      const granted = await signInAs(service, values)
      const entry = entryOf((await get(harness, '/profiles?full=true', granted.access_token)).body, service)
      assert.equal(entry['id'], id)
      const proxied = await get(harness, `/proxy/${service}/me`, granted.access_token)
      assert.equal(proxied.status, 200, proxied.text)
      assert.equal(proxied.body['id'], id)
    })
  }

  test('state and PKCE of the app are as in every sign-in', async () => {
    const { verifier, query } = pkce()
    const { browser, page } = await openTyped(harness, 'key-service', newBrowser(), { ...query, state: 'mine' })
    const back = new URL((await typeIn(browser, page, KEY)).url)
    assert.equal(back.searchParams.get('state'), 'mine')
    assert.equal((await redeem(harness, codeOf(back))).status, 400)
    const { browser: second, page: again } = await openTyped(harness, 'key-service', newBrowser(), query)
    const code = codeOf(new URL((await typeIn(second, again, KEY)).url))
    assert.equal((await redeem(harness, code, { code_verifier: verifier })).status, 200)
  })

  test('the page has labels, help and autocomplete, no script, and is not cached', async () => {
    const { page } = await openTyped(harness, 'key-service')
    assert.match(page.body, /<label for="field_token">Secret key<\/label>/)
    assert.match(page.body, /type="password"[^>]*autocomplete="current-password"/)
    assert.match(page.body, /aria-describedby="field_token-hint"/)
    assert.match(page.body, /href="https:\/\/service\.test\/keys"/)
    assert.doesNotMatch(page.body, /<script/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const { page: named } = await openTyped(harness, 'password-service')
    assert.match(named.body, /name="field_name"[^>]*autocomplete="username"/)
  })
})

suite('what was typed is refused', () => {
  test('by the service: the page says so, keeps the name, and never repeats the secret', async () => {
    const { browser, page } = await openTyped(harness, 'password-service')
    const again = await typeIn(browser, page, { name: 'a<da', password: 'wr0ng-secret-canary' })
    assert.equal(again.status, 200)
    assert.equal(again.url, page.url, 'a submit leads back to the page, so that reload and Back repeat nothing')
    assert.match(again.body, /role="alert">Password Service did not accept this/)
    assert.match(again.body, /value="a&lt;da"/)
    assert.doesNotMatch(again.body, /wr0ng-secret-canary/)
    assert.ok(harness.tributary.logged.every((line) => !line.includes('wr0ng-secret-canary')))
    const back = await typeIn(browser, again, { name: 'ada', password: 'correct horse' })
    assert.ok(back.stopped, 'the same page works after an error')
    assert.ok(harness.tributary.logged.every((line) => !line.includes('correct horse')))
  })

  test('by its form: the fault stands beside the field, and the service is not asked', async () => {
    const { browser, page } = await openTyped(harness, 'key-service')
    const before = harness.service.requests.length
    const again = await typeIn(browser, page, { token: 'pk_secret-canary' })
    assert.match(again.body, /<title>Error: /)
    assert.match(again.body, /id="field_token-fault">This does not look right/)
    assert.match(again.body, /aria-invalid="true" aria-describedby="field_token-hint field_token-fault"/)
    assert.doesNotMatch(again.body, /secret-canary/)
    const empty = await typeIn(browser, again, { token: '' })
    assert.match(empty.body, /Enter this: Secret key\./)
    assert.match(
      (await typeIn(browser, again, { token: `sk_${'a'.repeat(5000)}` })).body,
      /This is too long: Secret key\./,
    )
    assert.match((await typeIn(browser, again, { token: 'sk_a\u0001b' })).body, /This does not look right/)
    assert.equal(harness.service.requests.length, before)
  })

  test('while the service fails: the page says so, nothing is stored, and a retry works', async () => {
    const { browser, page } = await openTyped(harness, 'key-service')
    harness.service.broken = 503
    const again = await typeIn(browser, page, KEY)
    harness.service.broken = undefined
    assert.match(again.body, /does not respond/)
    assert.ok((await typeIn(browser, again, KEY)).stopped)
  })

  test('the person cancels: the app is told, and the page ends', async () => {
    const { browser, page } = await openTyped(harness, 'key-service', newBrowser(), { state: 's' })
    const back = await typeIn(browser, page, {}, 'no')
    assert.equal(new URL(back.url).searchParams.get('error'), 'access_denied')
    assert.equal(new URL(back.url).searchParams.get('state'), 's')
    assert.equal((await typeIn(browser, page, KEY)).status, 400)
  })
})

suite('S86 the page is bound to its browser and its ten minutes', () => {
  test('another browser neither sees nor submits it, and no other site can', async () => {
    const { page } = await openTyped(harness, 'key-service')
    const other = newBrowser()
    assert.equal((await other.open(page.url)).status, 400)
    assert.equal((await typeIn(other, page, KEY)).status, 400)
    await openTyped(harness, 'key-service', other)
    assert.equal((await typeIn(other, page, KEY)).status, 400, 'with a cookie of its own')
    assert.equal((await newBrowser().open(`${harness.tributary.url}/oauth/typed?state=made-up`)).status, 400)
  })

  test('the callback does not continue it: the person never left our page', async () => {
    const { browser, page } = await openTyped(harness, 'key-service')
    const state = new URL(page.url).searchParams.get('state')!
    const query = new URLSearchParams({ state, code: 'made-up' }).toString()
    const back = await browser.open(`${harness.tributary.url}/auth/key-service/callback?${query}`)
    assert.deepEqual([back.status, back.stopped], [400, false])
    assert.equal((await typeIn(browser, page, KEY)).status, 400, 'and a state works once')
  })

  test('after ten minutes it has expired', async () => {
    const { browser, page } = await openTyped(harness, 'key-service')
    await harness.tributary.sql('update pending set expires_at = 1')
    assert.equal((await typeIn(browser, page, KEY)).status, 400)
    assert.equal((await browser.open(page.url)).status, 400)
    await expireAfter(harness, 0)
  })

  test('a double click, a reload and Back lead to the same code; after its exchange there is nothing to do', async () => {
    const { browser, page } = await openTyped(harness, 'key-service')
    assert.equal((await browser.open(page.url)).status, 200, 'reloaded before the submit')
    const backs = await Promise.all([typeIn(browser, page, KEY), typeIn(browser, page, KEY)])
    const codes = backs.map(({ url }) => codeOf(new URL(url)))
    assert.equal(codes[0], codes[1])
    assert.equal(codeOf(new URL((await browser.open(page.url)).url)), codes[0])
    await redeemed(harness, codes[0]!)
    const late = await typeIn(browser, page, KEY)
    assert.equal(late.status, 200)
    assert.match(late.body, /This is done/)
  })

  test('an app without exchange keeps nothing: the credential expires with its code', async () => {
    const { browser, page } = await openTyped(harness, 'password-service')
    await typeIn(browser, page, { name: 'bob', password: 'battery staple' })
    const { consents } = await expireAfter(harness, 11 * 60_000)
    assert.ok(consents > 0)
    const [left] = await harness.tributary.sql('select count(*)::int as count from consent where used_at is null')
    assert.equal(left!['count'], 0)
  })
})

suite('S86 the page cannot be used to guess', () => {
  test('one name is refused after ten wrong passwords, however it is written and from any browser', async () => {
    const spellings = [
      'carol',
      'CAROL',
      ' carol ',
      'ｃａｒｏｌ',
      'ca\u200brol',
      'Carol',
      'cArol',
      'caRol',
      'carOl',
      'caroL',
    ]
    for (const name of spellings) {
      const { browser, page } = await openTyped(harness, 'password-service')
      assert.match((await typeIn(browser, page, { name, password: 'wrong' })).body, /did not accept this/, name)
    }
    const asked = harness.service.requests.length
    const { browser, page } = await openTyped(harness, 'password-service')
    const refused = await typeIn(browser, page, { name: 'carol', password: 'right perhaps' })
    assert.match(refused.body, /too many wrong attempts\. Try again in (a minute|\d+ minutes)/)
    assert.equal(harness.service.requests.length, asked, 'the service was not asked')
    const other = await typeIn(browser, page, { name: 'ada', password: 'correct horse' })
    assert.ok(other.stopped, 'another name still works')
  })

  test('one browser is refused after twenty wrong keys; right ones do not count', async () => {
    const browser = newBrowser()
    const wrong = async () => {
      const { page } = await openTyped(harness, 'key-service', browser)
      return (await typeIn(browser, page, { token: 'sk_wrong' })).body
    }
    const { page: right } = await openTyped(harness, 'key-service', browser)
    assert.ok((await typeIn(browser, right, KEY)).stopped)
    for (let i = 0; i < 20; i += 1) assert.match(await wrong(), /did not accept this/, String(i))
    assert.match(await wrong(), /too many wrong attempts/)
  })
})

suite('a credential that stops working', () => {
  test('the profile needs a new sign-in, and its link leads to the page, for the same user only', async () => {
    const granted = await signInAs('password-service', { name: 'bob', password: 'battery staple' })
    const stateOf = async () =>
      entryOf((await get(harness, '/profiles?full=true', granted.access_token)).body, 'password-service')['state']
    harness.service.people.get('bob')!.password = 'changed'
    const refused = await get(harness, '/proxy/password-service/me', granted.access_token)
    assert.notEqual(refused.status, 200)
    await harness.tributary.sql(`update profile set state = 'needs_auth' where account_id = $1`, [granted.account])
    const link = await send(harness, 'POST', '/profiles/password-service/reconnect', {
      token: granted.access_token,
      json: {},
    })
    assert.equal(link.status, 201, link.text)
    const browser = newBrowser()
    const page = await browser.open(String(link.body['url']))
    assert.match(page.body, /Connect Password Service/)
    const other = await typeIn(browser, page, { name: 'ada', password: 'correct horse' })
    assert.match(other.body, /another user/)
    let back = await typeIn(browser, other, { name: 'bob', password: 'changed' })
    const confirm = back.forms.find(({ action }) => action === '/oauth/confirm')
    if (confirm !== undefined) back = await browser.submit(back, confirm, { answer: 'yes' })
    assert.equal(new URL(back.url).searchParams.get('reconnected'), '2@password-service')
    assert.equal(await stateOf(), 'active')
    harness.service.people.get('bob')!.password = 'battery staple'
  })

  const session = { workspace: 'acme', user: 'ada', pass: 'correct horse' }
  const callSession = (token: string) => get(harness, '/proxy/session-service/me', token)
  const count = (path: string) => harness.service.requests.filter((line) => line.includes(path)).length

  test('a token that was exchanged is refreshed before it expires', async () => {
    const granted = await signInAs('session-service', session)
    await harness.tributary.sql('update credential set expires_at = 1')
    const before = count('/session/refresh')
    assert.equal((await callSession(granted.access_token)).status, 200)
    assert.equal(count('/session/refresh'), before + 1)
  })

  test('it is exchanged again when the refresh token has ended too', async () => {
    const granted = await signInAs('session-service', session)
    harness.service.endSessions()
    const before = count('/session {')
    assert.equal((await callSession(granted.access_token)).status, 200)
    assert.equal(count('/session {'), before + 1)
  })

  test('when the password changed as well, the profile needs a new sign-in', async () => {
    const granted = await signInAs('session-service', { workspace: 'acme', user: 'bob', pass: 'battery staple' })
    harness.service.endSessions()
    harness.service.people.get('bob')!.password = 'changed'
    const refused = await callSession(granted.access_token)
    harness.service.people.get('bob')!.password = 'battery staple'
    assert.equal(refused.body['reason'], 'needs_auth', refused.text)
    const full = (await get(harness, '/profiles?full=true', granted.access_token)).body
    assert.equal(entryOf(full, 'session-service')['state'], 'needs_auth')
  })
})

suite('a server that the person names', () => {
  test('S88 is used for every call, and its ids say on which server they are', async () => {
    const server = `${harness.service.url}/`
    const granted = await signInAs('server-service', { server, name: 'ada', password: 'correct horse' })
    const entry = entryOf((await get(harness, '/profiles?full=true', granted.access_token)).body, 'server-service')
    assert.equal(entry['id'], encodeURIComponent(`1@${new URL(server).host}`))
    const proxied = await get(harness, '/proxy/server-service/me', granted.access_token)
    assert.equal(
      proxied.status,
      200,
      `${proxied.text} ${harness.tributary.logged.filter((line) => line.includes('"error"')).at(-1)}`,
    )
  })

  test('S87 in a private network is not reachable, and looks like any server that is down', async () => {
    const { browser, page } = await openTyped(harness, 'server-service')
    const values = { name: 'ada', password: 'correct horse' }
    const inside = await typeIn(browser, page, { ...values, server: 'http://10.0.0.1' })
    assert.match(inside.body, /does not respond/)
    for (const server of ['ftp://files.test', 'https://user:pass@host.test', 'https://', 'javascript:alert(1)'])
      assert.match((await typeIn(browser, page, { ...values, server })).body, /must be a web address/, server)
  })

  test('S88 a value in an address cannot leave its place', async () => {
    const { browser, page } = await openTyped(harness, 'session-service')
    const again = await typeIn(browser, page, { workspace: '../../x', user: 'ada', pass: 'x' })
    assert.match(again.body, /This does not look right/)
  })
})

suite('a service without sign-in', () => {
  test('the person names the source', async () => {
    const feed = `${harness.service.url}/feeds/news`
    const granted = await signInAs('feed-service', { feed: `${feed}/#top` })
    const entry = entryOf((await get(harness, '/profiles?full=true', granted.access_token)).body, 'feed-service')
    assert.deepEqual([entry['name'], entry['data']], ['The News', { feed, name: 'The News' }])
  })

  test('a source that is not there is told on the page', async () => {
    const { browser, page } = await openTyped(harness, 'feed-service')
    const again = await typeIn(browser, page, { feed: `${harness.service.url}/feeds/none` })
    assert.match(again.body, /There is nothing at this address/)
    assert.match(page.body, /No password is needed/)
  })

  test('GET /services says what is typed and that no key is needed', async () => {
    const { body } = await send(harness, 'GET', '/services', { query: { client_id: harness.app.clientId } })
    const card = body['feed-service'] as Record<string, unknown>
    assert.deepEqual([card['auth'], card['needs_keys'], card['has_keys']], ['none', false, false])
    assert.deepEqual(card['fields'], { feed: { title: 'Feed', format: 'address', secret: false, optional: false } })
    const page = await newBrowser().open(
      `${harness.tributary.url}/connect?${new URLSearchParams({ client_id: harness.app.clientId, redirect_uri: REDIRECT, services: 'feed-service,github' }).toString()}`,
    )
    assert.match(page.body, /service=feed-service/)
    assert.doesNotMatch(page.body, /service=github"/)
  })
})

test('another app does not see the page, and secrets are sealed', async () => {
  const other = await makeApp(harness.tributary, { redirectUris: [REDIRECT] })
  const granted = await signInAs('key-service', KEY)
  const seen = await send(harness, 'GET', '/profiles', {
    query: { access_token: granted.access_token, auth: 'true' },
    headers: basic(other),
  })
  assert.notEqual(seen.status, 200)
  for (const table of ['credential', 'consent', 'pending']) {
    const rows = await harness.tributary.sql(`select * from ${table}`)
    assert.ok(!JSON.stringify(rows).includes(Buffer.from(KEY.token).toString('hex')), table)
  }
  assert.match(startUrl(harness, 'key-service', {}, other), /key-service/)
})

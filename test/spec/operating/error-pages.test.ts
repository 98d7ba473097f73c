import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type App, makeApp } from '../../harness/app.ts'
import { type Reply, send } from '../../harness/send.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const REGISTERED = ['https://app.example/back', 'https://secret-staging.example/back']

let tributary: Tributary
let app: App
before(async () => {
  tributary = await startTributary()
  app = await makeApp(tributary, { name: 'Diary', redirectUris: REGISTERED })
})
after(() => tributary.stop())

const isPage = ({ headers }: Reply) => (headers.get('content-type') ?? '').startsWith('text/html')
const open = (path: string, headers: Record<string, string> = {}) =>
  send({ tributary }, 'GET', path, { headers: { ...HTML, ...headers } })
/** As a browser elsewhere sees it, through a reverse proxy. */
const openAsStranger = (path: string) => open(path, { 'x-forwarded-for': '203.0.113.7' })
const start = (query: Record<string, string>) => `/oauth/authenticate?${new URLSearchParams(query).toString()}`

suite('addresses that do not exist', () => {
  test('are a page for browsers, and JSON for programs', async () => {
    for (const path of ['/nowhere', '/types/all/nothing', '/v0/nowhere', '/.git/config', '/%F0%9F%98%80'])
      for (const [headers, expected] of [
        [HTML, true],
        [{ accept: '*/*' }, false],
        [{ accept: 'application/json' }, false],
        [{}, false],
      ] as const) {
        const reply = await send({ tributary }, 'GET', path, { headers })
        assert.deepEqual([reply.status, isPage(reply)], [404, expected], `${path} ${JSON.stringify(headers)}`)
        if (!expected) assert.equal(reply.body['reason'], 'not_found')
      }
  })

  test('a method that an address does not take', async () => {
    const page = await open('/oauth/access_token')
    assert.deepEqual([page.status, isPage(page)], [405, true])
    assert.match(page.headers.get('allow') ?? '', /POST/)
    const json = await send({ tributary }, 'GET', '/oauth/access_token')
    assert.deepEqual([json.status, json.body['reason']], [405, 'method_not_allowed'])
  })

  test('a failure of ours is a page that discloses nothing but the request id', async () => {
    await tributary.sql('alter table app rename to app_away')
    try {
      const page = await open(start({ client_id: app.clientId, redirect_uri: REGISTERED[0]! }))
      assert.deepEqual([page.status, isPage(page)], [500, true])
      assert.ok(page.text.includes(page.headers.get('x-request-id')!))
      assert.doesNotMatch(page.text, /relation|app_away|select\s/)
    } finally {
      await tributary.sql('alter table app_away rename to app')
    }
    tributary.logged.length = 0
  })

  test('routes of the API answer browsers in JSON too', async () => {
    const reply = await open('/types/all')
    assert.deepEqual([reply.status, isPage(reply)], [401, false])
  })

  test('the page is in the language of the browser', async () => {
    const { text } = await open('/nowhere', { 'accept-language': 'ar,de;q=0.5' })
    assert.match(text, /<html lang="ar" dir="rtl">/)
    assert.match(text, /<details class="card" lang="en" dir="ltr">/, 'what developers read stays English')
  })
})

suite('the page of a wrong request', () => {
  const wrong = 'https://app.example/bakc'

  test('repeats what was sent, what is registered and the command that helps', async () => {
    const { text } = await open(start({ client_id: app.clientId, redirect_uri: wrong }))
    for (const shown of [wrong, ...REGISTERED, 'Diary', 'redirect_unregistered']) assert.ok(text.includes(shown), shown)
    const options = [...REGISTERED, wrong].map((each) => `--redirect-uri &#39;${each}&#39;`).join(' ')
    assert.ok(text.includes(`app set ${app.clientId} ${options}`), text)
  })

  test('shows a stranger only addresses on the host that they named', async () => {
    const { text } = await openAsStranger(start({ client_id: app.clientId, redirect_uri: wrong }))
    assert.ok(text.includes(REGISTERED[0]!) && !text.includes('secret-staging'))
    const other = await openAsStranger(start({ client_id: app.clientId, redirect_uri: 'https://evil.test/' }))
    assert.ok(!other.text.includes('app.example') && !other.text.includes('secret-staging'))
    assert.match(other.text, /2 on other hosts/)
    const none = await openAsStranger(start({ client_id: app.clientId }))
    assert.ok(!none.text.includes('app.example') && none.text.includes('redirect_uri is missing'))
  })

  test('escapes and cuts what was sent, and repeats no secret', async () => {
    const hostile = `https://evil.test/'"><script>alert(1)</script>${'x'.repeat(5000)}`
    const query = {
      client_id: app.clientId,
      redirect_uri: hostile,
      access_token: 'canary-token',
      state: 'canary-state',
    }
    const { text } = await open(start(query))
    assert.doesNotMatch(text, /<script|canary/)
    assert.doesNotMatch(text, /x{400}/)
    const shell = await open(start({ client_id: app.clientId, redirect_uri: "https://a.test/'; rm -rf ~ #" }))
    assert.ok(shell.text.includes(`&#39;https://a.test/&#39;\\&#39;&#39;; rm -rf ~ #&#39;`), 'quoted for a shell')
  })

  test('tells a missing client_id from an unknown one', async () => {
    assert.match((await open(start({}))).text, /client_id is missing/)
    const { text } = await open(start({ client_id: 'app_nobody' }))
    assert.match(text, /No app has this client_id/)
    assert.ok(text.includes('app_nobody') && text.includes('app list'))
  })

  test('programs get none of the help', async () => {
    const { text } = await send({ tributary }, 'GET', start({ client_id: app.clientId, redirect_uri: wrong }))
    assert.doesNotMatch(text, /secret-staging|app set/)
  })
})

suite('the way back to the app', () => {
  test('leads to the host of the sign-in that this browser began, and nowhere else', async () => {
    const begun = await open(start({ client_id: app.clientId, redirect_uri: REGISTERED[0]!, service: 'nowhere' }))
    const cookie = begun.headers
      .getSetCookie()
      .find((each) => each.startsWith('tributary-app='))!
      .split(';')[0]!
    const back = await open('/auth/demo-social/callback?state=x', { cookie })
    assert.ok(back.text.includes('href="https://app.example"') && back.text.includes('Diary'))
    const [name, value] = cookie.split('=') as [string, string]
    const forged = Buffer.from(JSON.stringify({ name: 'Diary', url: 'https://evil.test' })).toString('base64url')
    for (const wrong of [`${name}=${forged}.${value.split('.')[1]}`, `${name}=x`, `${name}=`, `${name}=.`]) {
      const page = await open('/auth/demo-social/callback?state=x', { cookie: wrong })
      assert.equal(page.status, 400)
      assert.doesNotMatch(page.text, /evil\.test|Diary/)
    }
  })
})

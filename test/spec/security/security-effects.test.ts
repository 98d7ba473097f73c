import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { startQuietHarness, tokensFor } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const FETCHERS: Record<string, string>[] = [
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { purpose: 'prefetch' },
  { 'x-moz': 'prefetch' },
  { 'x-purpose': 'preview', purpose: 'preview' },
  ...[
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Twitterbot/1.0',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'WhatsApp/2.23.20.0 A',
    'TelegramBot (like TwitterBot)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0)',
    'Pinterest/0.2 (+https://www.pinterest.com/bot.html)',
  ].map((agent) => ({ 'user-agent': agent })),
]

const PEOPLE = [
  'Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 13; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36 Telegram-Android/10.5',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
]

suite('S25 prefetch, HEAD and link previews change nothing', () => {
  test('of a merge', async () => {
    const [ada, ben] = [await signIn(harness, 'demo-social', 'ada'), await signIn(harness, 'demo-social', 'ben')]
    const query = { source: ada.access_token, dest: ben.access_token }
    for (const headers of FETCHERS) {
      const response = await send(harness, 'GET', '/auth/merge', { query, headers })
      assert.equal(response.status, 400, JSON.stringify(headers))
    }
    for (const method of ['HEAD', 'OPTIONS'])
      assert.notEqual((await send(harness, method, '/auth/merge', { query })).status, 200)
    for (const { access_token: token } of [ada, ben])
      assert.equal(((await get(harness, '/profiles', token)).body['demo-social'] as unknown[]).length, 1)
    assert.equal((await send(harness, 'GET', '/auth/merge', { query })).status, 200)
  })

  test('of an apply', async () => {
    const { token } = await tokensFor(harness, 'demo-social', 'ada')
    const query = { client_id: harness.app.clientId, client_secret: harness.app.secret, token }
    const count = async () => (await harness.sql('select 1 from account')).length
    const before = await count()
    for (const headers of FETCHERS)
      assert.equal((await send(harness, 'GET', '/auth/demo-social/apply', { query, headers })).status, 400)
    for (const method of ['HEAD', 'OPTIONS']) await send(harness, method, '/auth/demo-social/apply', { query })
    assert.equal(await count(), before)
  })

  test('of a sign-in start and callback', async () => {
    const path = harness.startUrl('demo-social').slice(harness.tributary.url.length)
    for (const headers of FETCHERS) {
      assert.equal((await send(harness, 'GET', path, { headers })).status, 400)
      assert.equal((await send(harness, 'GET', '/auth/demo-social/callback?state=x&code=y', { headers })).status, 400)
    }
    for (const method of ['HEAD', 'OPTIONS']) await send(harness, method, path)
    assert.deepEqual(await harness.sql('select 1 from pending'), [])
  })

  test('browsers with unusual user agents get in', async () => {
    for (const agent of PEOPLE) {
      const path = harness.startUrl('demo-social').slice(harness.tributary.url.length)
      assert.equal((await send(harness, 'GET', path, { headers: { 'user-agent': agent } })).status, 302, agent)
    }
  })
})

suite('S29 parameters that are repeated, arrays or objects are refused', () => {
  let token: string
  before(async () => {
    token = (await signIn(harness, 'demo-social', 'esra')).access_token
  })

  const QUERIES = (name: string) => [
    `${name}=a&${name}=b`,
    `${name}[]=a`,
    `${name}[x]=a`,
    `${name}[__proto__]=a`,
    `__proto__=a&${name}=`,
    `constructor[prototype][x]=1&${name}=%00`,
    `${name}=%ff%fe`,
    `${name}=${'x'.repeat(3000)}`,
    name,
    `&&&=&${name}=a&=b`,
  ]
  const READS = ['/profiles', '/profile', '/profiles/demo-social']

  test('on reads', async () => {
    for (const path of READS) {
      for (const name of ['access_token', 'full', 'auth', 'client_id', 'anything']) {
        for (const query of QUERIES(name)) {
          const response = await send(harness, 'GET', `${path}?${query}`, { token })
          assert.ok(response.status < 500, `${path}?${query.slice(0, 60)} ${response.status}`)
        }
      }
    }
    assert.equal((await send(harness, 'GET', `/profiles?access_token=${token}&access_token=${token}`)).status, 400)
    assert.equal((await send(harness, 'GET', '/profiles?full=true&full=true', { token })).status, 400)
    const unknown = await send(harness, 'GET', '/profiles?other=1&other=2&x[]=3', { token })
    assert.deepEqual(
      [unknown.status, unknown.body['reason'], unknown.body['param']],
      [400, 'parameter_unknown', 'other'],
    )
  })

  test('on everything that changes something', async () => {
    const targets: [string, string, string[]][] = [
      ['GET', '/oauth/authenticate', ['client_id', 'redirect_uri', 'service', 'state', 'flag', 'force_login']],
      ['GET', '/auth/demo-social/callback', ['state', 'code', 'oauth_token', 'error', 'iss']],
      ['GET', '/auth/demo-social/apply', ['client_id', 'client_secret', 'token', 'account']],
      ['GET', '/auth/merge', ['source', 'dest']],
      ['GET', '/connect', ['client_id', 'redirect_uri']],
    ]
    for (const [method, path, names] of targets) {
      for (const name of names) {
        for (const query of QUERIES(name)) {
          const response = await send(harness, method, `${path}?${query}`)
          assert.ok(response.status >= 400 && response.status < 500, `${path}?${query.slice(0, 60)} ${response.status}`)
        }
      }
    }
  })

  test('in bodies, as form and as JSON', async () => {
    const forms = (name: string) => QUERIES(name).map((body) => ({ body, type: 'application/x-www-form-urlencoded' }))
    const values = [
      '[]',
      '{}',
      '[[["a"]]]',
      '{"__proto__":{"x":1}}',
      '1',
      'true',
      'null',
      '"\\u0000"',
      '"\\ud800"',
      '1e400',
      '{"toString":"x"}',
    ]
    const jsons = (name: string) => values.map((value) => ({ body: `{"${name}":${value}}`, type: 'application/json' }))
    const raw = ['', '[]', 'null', '"x"', '{', '{"__proto__":{"polluted":1}}', '['.repeat(10_000)].map((body) => ({
      body,
      type: 'application/json',
    }))
    for (const [path, name] of [
      ['/oauth/access_token', 'code'],
      ['/oauth/revoke', 'token'],
      ['/auth/demo-social/apply', 'token'],
      ['/auth/apply/batch', 'accounts'],
      ['/auth/merge', 'source'],
      ['/oauth/confirm', 'ticket'],
    ] as const) {
      for (const { body, type } of [...forms(name), ...jsons(name), ...raw]) {
        const response = await fetch(`${harness.tributary.url}${path}`, {
          method: 'POST',
          body,
          headers: { 'content-type': type },
        })
        // Any text may be revoked: an unknown token is not an error (RFC 7009).
        const isRevoked = path === '/oauth/revoke' && response.status === 200
        const isRefused = response.status >= 400 && response.status < 500
        assert.ok(isRevoked || isRefused, `${path} ${body.slice(0, 60)} ${response.status}`)
        await response.body?.cancel()
      }
    }
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  })

  test('in the right places with the secret given', async () => {
    const client = { client_id: harness.app.clientId, client_secret: harness.app.secret }
    for (const fields of [
      { code: ['a', 'b'] },
      { code: { a: 'b' } },
      { code: 'x', profile: ['all'] },
      { code: 'x', auth: true },
      { code: '\u0000' },
    ]) {
      const response = await send(harness, 'POST', '/oauth/access_token', { json: { ...client, ...fields } })
      assert.equal(response.status, 400, JSON.stringify(fields))
    }
    const { token: upstream } = await tokensFor(harness, 'demo-social', 'ada')
    for (const account of ['\u0000', 'x\u0000'.padEnd(28, '0')]) {
      const response = await send(harness, 'POST', '/auth/demo-social/apply', {
        json: { ...client, token: upstream, account },
      })
      assert.ok([400, 404].includes(response.status), `${response.status}`)
    }
  })
})

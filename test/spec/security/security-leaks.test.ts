import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createBrowser } from '../../../lab/browser.ts'
import { basic } from '../../harness/app.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { type Granted, REDIRECT, redeem } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { entryOf, pkce, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
/** Secrets that must not appear anywhere, by name. */
const secrets = new Map<string, string>()
/** Every response, refusals included. */
const bodies: string[] = []

before(async () => {
  harness = await startQuietHarness()
  await collect()
})
after(() => harness.stop())

const keep = (name: string, value: string | null | undefined): string => {
  assert.ok(value !== null && value !== undefined && value.length >= 8, `${name} is there`)
  secrets.set(name, value)
  return value
}

const request: typeof send = async (...given) => {
  const response = await send(...given)
  bodies.push(response.text)
  return response
}

/** One sign-in of each kind, with every secret recorded; then every endpoint, accepted and refused. */
async function collect(): Promise<void> {
  const { app, lab } = harness
  keep('app secret', app.secret)
  for (const [service, key] of Object.entries(app.keys)) keep(`secret of ${service}`, key.secret)
  const browser = createBrowser({ stopAt: (url) => url.startsWith(REDIRECT) })
  const { verifier, query } = pkce()
  keep('verifier', verifier)
  for (const service of ['demo-social', 'demo-micro', 'demo-health'] as const) {
    const page = await browser.walk(harness.startUrl(service, { ...query, state: `app-state-${service}` }), {
      person: 'ada',
    })
    const back = page.chain.map((url) => new URL(url)).find(({ href }) => href.startsWith(app.keys[service]!.callback))!
    for (const name of ['state', 'code', 'oauth_token', 'oauth_verifier'])
      if (back.searchParams.has(name)) keep(`${name} of ${service}`, back.searchParams.get(name))
    const code = keep(`our code for ${service}`, new URL(page.url).searchParams.get('code'))
    const response = await redeem(harness, code, { profile: 'last', auth: 'true', code_verifier: verifier })
    const granted = (await response.json()) as Granted & { profile: unknown }
    keep(`access token for ${service}`, granted.access_token)
    const { auth } = entryOf(granted.profile, service)
    keep(`token of ${service}`, auth.token)
    if (auth.refresh_token !== undefined) keep(`refresh token of ${service}`, auth.refresh_token)
    if (auth.token_secret !== undefined) keep(`token secret of ${service}`, auth.token_secret)
    await redeem(harness, code, { code_verifier: verifier })
  }
  keep('cookie', browser.cookies(harness.tributary.url)['tributary'])
  const confirm = await browser.walk(harness.startUrl('demo-health', { response_type: 'token' }), { person: 'ben' })
  keep('ticket', confirm.forms[0]!.fields.find(({ name }) => name === 'ticket')?.value)
  const result = await browser.submit(confirm, confirm.forms[0]!, { answer: 'yes' })
  keep('token of the fragment', new URLSearchParams(new URL(result.url).hash.slice(1)).get('access_token'))
  lab.services['demo-social'].faults.add({ path: '/oauth/token', kind: 'status', status: 500 })
  await browser.walk(harness.startUrl('demo-social'), { person: 'ada' })
  await everyEndpoint()
}

/** With a marker in each parameter, so that an echo would show. */
async function everyEndpoint(): Promise<void> {
  const canary = (name: string) => keep(`canary for ${name}`, `canary-${name.replaceAll(/\W/g, '')}-7f3a9c`)
  const fields = (names: string[]) => Object.fromEntries(names.map((name) => [name, canary(name)]))
  const client = { client_id: harness.app.clientId, client_secret: harness.app.secret }
  const token = secrets.get('access token for demo-health')!
  await request(harness, 'POST', '/oauth/access_token', { form: { ...client, ...fields(['code', 'code_verifier']) } })
  await request(harness, 'POST', '/oauth/access_token', {
    form: { client_id: harness.app.clientId, ...fields(['client_secret', 'code']) },
  })
  await request(harness, 'POST', '/oauth/access_token', {
    headers: basic({ clientId: harness.app.clientId, secret: canary('basic secret') }),
    form: { code: 'x' },
  })
  await request(harness, 'POST', '/oauth/access_token', {
    headers: { 'content-type': 'application/json' },
    json: { ...client, ...fields(['profile']) },
  })
  await request(harness, 'POST', '/oauth/revoke', { form: { ...client, ...fields(['token']) } })
  await request(harness, 'GET', '/auth/demo-social/apply', {
    query: { ...client, ...fields(['token', 'token_secret']) },
  })
  await request(harness, 'POST', '/auth/demo-micro/apply', {
    form: { ...client, ...fields(['token', 'token_secret']) },
  })
  await request(harness, 'POST', '/auth/apply/batch', {
    json: { ...client, accounts: [{ id: 'x', 'demo-social': fields(['token']) }] },
  })
  await request(harness, 'GET', '/auth/merge', { query: fields(['source', 'dest']) })
  await request(harness, 'POST', '/auth/merge', { form: { ...fields(['source']), dest: token } })
  await request(harness, 'GET', '/profiles', { query: { access_token: canary('access_token') } })
  await request(harness, 'GET', '/profiles', { token: canary('bearer') })
  await request(harness, 'GET', '/profiles', {
    query: {
      access_token: token,
      auth: 'true',
      client_id: harness.app.clientId,
      client_secret: canary('client_secret'),
    },
  })
  await request(harness, 'GET', '/profile', { query: { access_token: token } })
  await request(harness, 'GET', '/connect', {
    query: { client_id: harness.app.clientId, redirect_uri: 'https://x.test/', access_token: canary('linked') },
  })
  await request(harness, 'GET', '/oauth/authenticate', {
    query: {
      client_id: harness.app.clientId,
      redirect_uri: REDIRECT,
      service: 'demo-social',
      access_token: canary('linked'),
    },
  })
  await request(harness, 'GET', '/oauth/authenticate', {
    query: { client_id: 'none', access_token: canary('linked') },
    headers: { accept: 'text/html' },
  })
  await request(harness, 'GET', '/auth/demo-social/callback', {
    query: fields(['code', 'state']),
    headers: { cookie: `tributary=${canary('cookie')}` },
  })
  await request(harness, 'GET', '/auth/demo-micro/callback', {
    query: fields(['oauth_token', 'oauth_verifier']),
    headers: { accept: 'text/html' },
  })
  await request(harness, 'POST', '/oauth/confirm', { form: { ...fields(['ticket']), answer: 'yes' } })
  await inPaths()
  await request(harness, 'DELETE', '/profiles/demo-health', { query: { access_token: token } })
}

/** What the calls of a person are signed with, in the path of a proxied call. */
async function inPaths(): Promise<void> {
  let calls = 0
  for (const service of ['demo-social', 'demo-micro', 'demo-health'] as const) {
    const browser = createBrowser({ stopAt: (url) => url.startsWith(REDIRECT) })
    const page = await browser.walk(harness.startUrl(service), { person: 'esra' })
    const response = await redeem(harness, new URL(page.url).searchParams.get('code')!, {
      profile: 'last',
      auth: 'true',
    })
    const granted = (await response.json()) as Granted & { profile: unknown }
    const { auth } = entryOf(granted.profile, service)
    const signedWith = [
      harness.app.keys[service]?.secret,
      granted.access_token,
      auth.token,
      auth.refresh_token,
      auth.token_secret,
    ]
    for (const [index, secret] of signedWith.entries()) {
      if (secret === undefined) continue
      keep(`${index} in a path of ${service}`, secret)
      const path = `/proxy/${service}/echo/${encodeURIComponent(secret)}`
      await send(harness, 'GET', path, { token: granted.access_token })
      calls += 1
    }
  }
  await until(
    'the calls are logged',
    () => harness.sql(`select 1 from call_log where path like '/echo/%'`),
    (rows) => rows.length === calls,
  )
}

suite('S13 secrets that pass through every endpoint, at debug level', () => {
  test('appear in no log line', () => {
    assert.ok(harness.tributary.logged.length > 50)
    const all = harness.tributary.logged.join('\n')
    assert.ok(all.includes('"path":"/oauth/access_token"'), 'requests are logged')
    for (const [name, value] of secrets)
      for (const form of [value, encodeURIComponent(value), Buffer.from(value).toString('base64')])
        assert.ok(!all.includes(form), `${name} is in the log`)
  })

  test('appear in no refusal', () => {
    assert.ok(bodies.length > 15)
    for (const [name, value] of secrets)
      for (const body of bodies) assert.ok(!body.includes(value), `${name} is in ${body}`)
  })

  test('appear in no metric', async () => {
    const { text } = await send(harness, 'GET', '/metrics')
    assert.ok(text.includes('/oauth/access_token'))
    for (const [name, value] of secrets) assert.ok(!text.includes(value), `${name} is in the metrics`)
  })
})

test('S17 no table contains one of them in clear, as text or as bytes', async () => {
  const tables = await harness.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  assert.ok(tables.length > 15)
  let found = 0
  for (const { name } of tables) {
    const rows = await harness.sql<{ row: string }>(`select t::text as row from ${name} t`)
    const text = rows.map(({ row }) => row).join('\n')
    if (rows.length > 0) found += 1
    for (const [secret, value] of secrets) {
      const bytes = Buffer.from(value)
      for (const form of [value, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')])
        assert.ok(!text.includes(form), `${secret} is in ${name}`)
    }
  }
  assert.ok(found > 8, 'the tables are not empty')
  const [sealed] = await harness.sql<{ n: number }>('select count(*)::int as n from credential')
  assert.ok(sealed!.n > 0)
})

suite('S14 responses to browsers', () => {
  const HEADERS: Record<string, RegExp> = {
    'referrer-policy': /^no-referrer$/,
    'cache-control': /^no-store$/,
    'x-content-type-options': /^nosniff$/,
    'x-frame-options': /^DENY$/,
    'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
  }

  test('every page and redirect of a sign-in has the security headers; the token is never in a query', async () => {
    const seen: string[] = []
    const browser = createBrowser({ stopAt: (url) => url.startsWith(REDIRECT) })
    const original = globalThis.fetch
    globalThis.fetch = async (...given) => {
      const response = await original(...given)
      const url = new Request(given[0]).url
      if (url.startsWith(harness.tributary.url)) {
        for (const [name, pattern] of Object.entries(HEADERS))
          assert.match(response.headers.get(name) ?? '(none)', pattern, `${name} of ${url}`)
        seen.push(`${response.status} ${new URL(url).pathname}`)
        assert.ok(!/[?&]access_token=trt_/.test(response.headers.get('location') ?? ''), 'a token in a query')
      }
      return response
    }
    try {
      const query = new URLSearchParams({ client_id: harness.app.clientId, redirect_uri: REDIRECT })
      await browser.open(`${harness.tributary.url}/connect?${query.toString()}`)
      const page = await browser.walk(harness.startUrl('demo-social', { response_type: 'token' }), { person: 'esra' })
      const result = await browser.submit(page, page.forms[0]!, { answer: 'yes' })
      assert.match(new URL(result.url).hash, /^#access_token=trt_/)
      await browser.walk(harness.startUrl('demo-social'), { person: 'esra' })
      await browser.walk(harness.startUrl('demo-social'), { person: 'esra', decision: 'deny' })
      await browser.open(`${harness.tributary.url}/oauth/authenticate`)
    } finally {
      globalThis.fetch = original
    }
    for (const step of [
      '200 /connect',
      '302 /oauth/authenticate',
      '200 /oauth/confirm',
      '303 /oauth/confirm',
      `302 ${new URL(harness.app.keys['demo-social']!.callback).pathname}`,
      '400 /oauth/authenticate',
    ])
      assert.ok(seen.includes(step), `${step} in ${seen.join(', ')}`)
  })
})

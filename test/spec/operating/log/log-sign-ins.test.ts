import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { makeApp } from '../../../harness/app.ts'
import { startSecondServer } from '../../../harness/database/second-server.ts'
import { type LabApp, type LabHarness, startLabHarness } from '../../../harness/lab.ts'
import { newBrowser, newCode, REDIRECT, redeem, signIn, startUrl, walk } from '../../../harness/sign-in.ts'
import { startTributary } from '../../../harness/start.ts'
import { until } from '../../../harness/until.ts'
import { CONNECTORS, pkce, startQuietHarness } from '../../sign-in/fixture.ts'
import { inspected, logged, readLog, stepNames } from './log-reading.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

/** The newest sign-in of an app that nothing else uses. */
const ofNewApp = async (use: (app: LabApp) => Promise<unknown>, expected: { outcome: string; reason: string }) => {
  const app = await harness.makeApp()
  await use(app)
  const found = await logged(harness, app.clientId, { kind: 'sign_in', ...expected })
  assert.equal((await readLog(harness, app.clientId)).operations.length, 1, 'one sign-in is one operation')
  return found
}
const begun = (by: LabApp, service = 'demo-social', query: Record<string, string> = {}) =>
  startUrl(harness, service, query, by)

suite('a sign-in in the log', () => {
  test('is one operation over all its requests, with the calls to the service', async () => {
    const app = await harness.makeApp()
    const { account } = await signIn(harness, 'demo-social', 'ada', {}, app)
    const operation = await logged(harness, app.clientId, { kind: 'sign_in', outcome: 'ok' })
    assert.deepEqual(stepNames(operation), [
      'request',
      'request/checks',
      'request/redirect',
      'callback',
      'callback/token_exchange',
      'callback/self_request',
      'code_exchange',
    ])
    assert.equal(operation.account, account)
    assert.equal(operation.service, 'demo-social')
    assert.equal(operation.reason, undefined)
    assert.match(operation.profile ?? '', /^[0-9a-z]{28}$/)
    assert.match(operation.request_id ?? '', /./)
    const [request, callback] = operation.steps
    assert.deepEqual(request?.steps[0]?.detail, { response_type: 'code', pkce: false, links_account: false })
    const exchange = callback?.steps[0]
    assert.equal(exchange?.detail['status'], 200)
    assert.equal(exchange.detail['address'], harness.lab.services['demo-social'].endpoints['token_url'])
    assert.ok(operation.ms >= 0 && operation.at <= request.at)
  })

  test('goes on in another process, and after a restart', async () => {
    const app = await harness.makeApp()
    const code = await newCode(harness, 'demo-social', 'ben', {}, app)
    const second = await startSecondServer(harness.tributary, { TRIBUTARY_CONNECTORS: CONNECTORS })
    try {
      assert.equal((await redeem({ ...second, app }, code, {}, app)).status, 200)
    } finally {
      // Writes what it has not written yet.
      await second.stop()
    }
    const { id } = await logged(harness, app.clientId, { outcome: 'ok' })
    // The other process may write first.
    const operation = await until(
      'both have written',
      () => inspected(harness, app.clientId, id),
      ({ steps }) => steps.length === 3,
    )
    assert.deepEqual(
      operation.steps.map(({ name }) => name),
      ['request', 'callback', 'code_exchange'],
    )
    assert.equal(operation.outcome, 'ok')
  })

  test('is open until the person comes back, and abandoned after ten minutes', async () => {
    const app = await harness.makeApp()
    await newBrowser().open(begun(app))
    const open = await logged(harness, app.clientId, { outcome: 'open' })
    assert.equal(open.reason, undefined)
    await harness.sql(`update operation set expires_at = 1 where app_id = '${app.clientId}'`)
    const abandoned = await inspected(harness, app.clientId, open.id)
    assert.deepEqual([abandoned.outcome, abandoned.reason], ['refused', 'abandoned'])
    const list = await readLog(harness, app.clientId, { outcome: 'refused', reason: 'abandoned' })
    assert.deepEqual(
      list.operations.map(({ id }) => id),
      [open.id],
    )
    assert.deepEqual((await readLog(harness, app.clientId, { outcome: 'open' })).operations, [])
  })

  test('with a code that the app never exchanges is named so', async () => {
    const app = await harness.makeApp()
    await newCode(harness, 'demo-social', 'ada', {}, app)
    const { id } = await logged(harness, app.clientId, { outcome: 'open' }, ({ summary }) => summary.includes('code'))
    await harness.sql(`update operation set expires_at = 1 where app_id = '${app.clientId}'`)
    assert.equal((await inspected(harness, app.clientId, id)).reason, 'code_unused')
  })

  test('that joins an account shows the question to the person', async () => {
    const app = await harness.makeApp()
    const { access_token: token } = await signIn(harness, 'demo-social', 'ada', {}, app)
    const browser = newBrowser()
    const page = await browser.walk(begun(app, 'demo-health', { access_token: token }), { person: 'ada' })
    const form = page.forms.find(({ action }) => action === '/oauth/confirm')!
    await browser.submit(page, form, { answer: 'no' })
    const { id, ...operation } = await logged(harness, app.clientId, { reason: 'access_denied' })
    assert.equal(operation.outcome, 'refused')
    assert.deepEqual(
      operation.steps.map(({ name }) => name),
      ['request', 'callback', 'confirm'],
    )
    // Declining again, or reloading, is not another sign-in.
    await browser.submit(page, form, { answer: 'no' })
    assert.equal((await inspected(harness, app.clientId, id)).steps.length, 3)
  })
})

suite('why a sign-in stopped', () => {
  const withoutCode = async (by: LabApp, options: Parameters<typeof walk>[1] = { person: 'ada' }) =>
    walk(begun(by), options)
  const fault = (path: string, status: number, body: string) =>
    harness.lab.services['demo-social'].faults.add({ path, kind: 'response', status, body })

  test('the person declined at the service', async () => {
    const expected = { outcome: 'refused', reason: 'access_denied' }
    await ofNewApp((app) => withoutCode(app, { person: 'ada', decision: 'deny' }), expected)
  })

  test('a permission is missing', async () => {
    const operation = await ofNewApp((app) => withoutCode(app, { person: 'ada', permissions: ['posts.read'] }), {
      outcome: 'failed',
      reason: 'scope_missing',
    })
    assert.match(operation.summary, /did not grant profile/)
  })

  test('the service refuses the keys, with its status and what it said', async () => {
    const operation = await ofNewApp(
      (app) => {
        fault('/oauth/token', 401, '{"error":"invalid_client","error_description":"Unknown client"}')
        return withoutCode(app)
      },
      { outcome: 'failed', reason: 'keys_refused' },
    )
    const callback = operation.steps.at(-1)
    assert.equal(callback?.name, 'callback')
    assert.equal(callback.outcome, 'failed')
    assert.equal(callback.detail['status'], 401)
    assert.match(String(callback.detail['said']), /invalid_client: Unknown client/)
    assert.equal(callback.steps[0]?.detail['status'], 401)
  })

  test('the service fails', async () => {
    const operation = await ofNewApp(
      (app) => {
        for (let i = 0; i < 3; i += 1) fault('/api/me', 503, '{}')
        return withoutCode(app)
      },
      { outcome: 'failed', reason: 'service_failed' },
    )
    assert.equal(operation.steps.at(-1)?.steps.find(({ name }) => name === 'self_request')?.outcome, 'failed')
    harness.lab.services['demo-social'].faults.clear()
  })

  test('the redirect address is not registered', async () => {
    const redirect = { redirect_uri: 'https://elsewhere.test/back?token=trs_0123456789abcdefghjkmn' }
    const expected = { outcome: 'refused', reason: 'redirect_unregistered' }
    await ofNewApp((app) => fetch(begun(app, 'demo-social', redirect)), expected)
  })

  const WRONG_REQUESTS: [reason: string, query: Record<string, string>][] = [
    ['unsupported_response_type', { response_type: 'id_token' }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_access_token', { access_token: 'trs_unknown' }],
    ['service_unknown', { service: 'demo-socail' }],
    ['no_service_keys', { service: 'tumblr' }],
  ]
  for (const [reason, query] of WRONG_REQUESTS)
    test(`the request is wrong: ${reason}`, async () => {
      const operation = await ofNewApp((app) => newBrowser().open(begun(app, 'demo-social', query)), {
        outcome: 'refused',
        reason,
      })
      assert.deepEqual(
        operation.steps.map(({ name }) => name),
        ['request'],
      )
    })

  /** The address of the service's redirect to our callback, which nobody has followed. */
  const callbackOf = async (by: LabApp, browser: ReturnType<typeof newBrowser>) => {
    const page = await browser.walk(begun(by), { person: 'ada' })
    return page.chain.find((url) => url.includes('/auth/demo-social/callback'))!
  }

  test('the person came back in another browser', async () => {
    const expected = { outcome: 'refused', reason: 'other_browser' }
    const operation = await ofNewApp(async (app) => {
      const page = await newBrowser().open(begun(app))
      const state = new URL(page.chain.find((url) => url.includes('state='))!).searchParams.get('state')!
      await newBrowser().open(`${app.keys['demo-social']!.callback}?code=x&state=${state}`)
    }, expected)
    assert.equal(operation.steps.at(-1)?.detail['has_cookie'], false)
  })

  test('the person came back too late', async () => {
    await ofNewApp(
      async (app) => {
        const browser = newBrowser()
        const page = await browser.open(begun(app))
        await harness.sql(`update pending set expires_at = 1 where app_id = '${app.clientId}'`)
        const state = new URL(page.chain.find((url) => url.includes('state='))!).searchParams.get('state')!
        await browser.open(`${app.keys['demo-social']!.callback}?code=x&state=${state}`)
      },
      { outcome: 'refused', reason: 'expired' },
    )
  })

  test('a text that PostgreSQL cannot store takes nothing else out of the log', async () => {
    const app = await harness.makeApp()
    // The cut after 100 characters leaves half of the last one.
    const halved = `${'x'.repeat(99)}\u{1F600}`
    await Promise.all([halved, 'unknown'].map((service) => newBrowser().open(begun(app, service))))
    await logged(harness, app.clientId, { reason: 'service_unknown', service: 'unknown' })
    const { service } = await logged(harness, app.clientId, { reason: 'service_unknown', q: 'xxx' })
    assert.equal(service, `${'x'.repeat(99)}\uFFFD`)
  })

  test('a second use of the callback adds nothing', async () => {
    const app = await harness.makeApp()
    const browser = newBrowser()
    const callback = await callbackOf(app, browser)
    await browser.open(callback)
    const operation = await logged(harness, app.clientId, { outcome: 'open' }, ({ summary }) => /code/.test(summary))
    assert.deepEqual(
      operation.steps.map(({ name }) => name),
      ['request', 'callback'],
    )
  })

  const EXCHANGES: [reason: string, change: (app: LabApp, code: string) => Promise<unknown>][] = [
    [
      'code_expired',
      async (app, code) => {
        await harness.sql(`update consent set expires_at = 1 where app_id = '${app.clientId}'`)
        await redeem(harness, code, {}, app)
      },
    ],
    ['redirect_mismatch', (app, code) => redeem(harness, code, { redirect_uri: `${REDIRECT}/other` }, app)],
    ['verifier_mismatch', (app, code) => redeem(harness, code, { code_verifier: pkce().verifier }, app)],
    [
      'code_replayed',
      async (app, code) => {
        await redeem(harness, code, {}, app)
        await redeem(harness, code, {}, app)
      },
    ],
  ]
  for (const [reason, change] of EXCHANGES)
    test(`the app could not exchange the code: ${reason}`, async () => {
      const operation = await ofNewApp(
        async (app) => change(app, await newCode(harness, 'demo-social', 'ada', {}, app)),
        { outcome: 'refused', reason },
      )
      assert.equal(operation.steps.at(-1)?.name, 'code_exchange')
    })

  test('the app sent a code that does not exist', async () => {
    const expected = { outcome: 'refused', reason: 'code_unknown' }
    await ofNewApp((app) => redeem(harness, 'trc_nothing', {}, app), expected)
  })

  test('a code of another app is not added to the sign-in of that app', async () => {
    const [app, other] = [await harness.makeApp(), await harness.makeApp()]
    const code = await newCode(harness, 'demo-social', 'ada', {}, app)
    await redeem(harness, code, {}, other)
    await logged(harness, other.clientId, { reason: 'code_unknown' })
    const [mine, ...more] = (await readLog(harness, app.clientId)).operations
    assert.deepEqual([mine?.outcome, more.length], ['open', 0])
  })

  test('our egress guard refused the address', async () => {
    const strict = await startTributary()
    try {
      const keys = { 'demo-micro': { key: 'k', secret: 's', overrides: { base_url: 'http://127.0.0.1:9' } } }
      const app = await makeApp(strict, { redirectUris: [REDIRECT], keys })
      await newBrowser().open(startUrl({ tributary: strict }, 'demo-micro', {}, app))
      const operation = await logged({ tributary: strict }, app.clientId, { reason: 'address_refused' })
      assert.equal(operation.outcome, 'failed')
      assert.match(operation.summary, /127\.0\.0\.1 was not called/)
    } finally {
      await strict.stop()
    }
  })

  test('the connector is faulty', async () => {
    const connectors = join(import.meta.dirname, '../../sign-in/failing-connectors')
    const broken = await startLabHarness({ TRIBUTARY_CONNECTORS: connectors })
    try {
      await walk(broken.startUrl('demo-social'), { person: 'ada' })
      const operation = await logged(broken, broken.app.clientId, { reason: 'connector_failed' })
      assert.match(operation.summary, /number instead of a text/)
    } finally {
      await broken.stop()
    }
  })
})

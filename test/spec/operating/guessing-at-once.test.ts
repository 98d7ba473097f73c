import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { authenticateApp } from '#flows/apps/authenticate-app.ts'
import { ATTEMPTS } from '#flows/apps/limit-guesses.ts'
import { ApiError } from '#model/errors.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'

const AT_ONCE = 400
const HOOK_SECRET = 'the-verify-token-of-the-hook'

let tributary: Tributary
let app: App
before(async () => {
  tributary = await startTributary({ TRUST_PROXY: '127.0.0.1' })
  app = await makeApp(tributary)
  const key = { key: 'k', secret: 's', hook_secret: HOOK_SECRET }
  for (const service of ['facebook', 'foursquare'])
    await tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/${service}`, key)
})
after(() => tributary.stop())

const counted = (outcomes: string[]) =>
  Object.fromEntries(Object.entries(Object.groupBy(outcomes, (each) => each)).map(([name, all]) => [name, all!.length]))

suite('F20 concurrent guesses', () => {
  /** At one fixed time, so that no minute ends in between. */
  const atOnce = async (secrets: string[], from: string) => {
    const { store } = tributary
    const now = Date.now()
    const deps = { database: store.database, hasher: store.hasher, clock: { now: () => now } }
    return Promise.all(
      secrets.map((secret) =>
        authenticateApp(deps, app.clientId, secret, from).then(
          () => 'let in',
          (error: unknown) => (error instanceof ApiError ? error.reason : String(error)),
        ),
      ),
    )
  }
  const wrong = Array.from({ length: AT_ONCE - 1 }, (_, n) => `guess-${n}`)
  const limited = { app_secret_invalid: ATTEMPTS.perSubject, too_many_attempts: AT_ONCE - ATTEMPTS.perSubject }

  test('at most the limit is compared, and the right secret after them is refused', async () => {
    assert.deepEqual(counted(await atOnce([...wrong, app.secret], '203.0.113.1')), limited)
  })

  test('repeating the same wrong secret counts each time', async () => {
    const same = Array.from({ length: AT_ONCE }, () => 'the-same')
    assert.deepEqual(counted(await atOnce(same, '203.0.113.2')), limited)
  })

  test('right secrets are all accepted, the first time and later, and never count', async () => {
    const right = Array.from({ length: AT_ONCE }, () => app.secret)
    assert.deepEqual(counted(await atOnce(right, '203.0.113.3')), { 'let in': AT_ONCE })
    assert.deepEqual(counted(await atOnce(right, '203.0.113.3')), { 'let in': AT_ONCE })
    const [row] = await tributary.store.database.rows<{ n: number }>({
      name: 'test-failures',
      text: "select coalesce(sum(failures), 0)::int as n from attempt where subject like '203.0.113.3%'",
    })
    assert.equal(row!.n, 0)
  })

  test('an expired secret counts as wrong, although it was right before', async () => {
    const other = await makeApp(tributary)
    const request = async () => {
      const { store } = tributary
      const deps = { database: store.database, hasher: store.hasher, clock: store.clock }
      return authenticateApp(deps, other.clientId, other.secret, '203.0.113.4').then(
        () => 'let in',
        (error: unknown) => (error as ApiError).reason,
      )
    }
    assert.equal(await request(), 'let in')
    await tributary.admin('POST', `/admin/apps/${other.clientId}/rotate-secret`, { overlap_seconds: 0 })
    assert.equal(await request(), 'app_secret_invalid')
  })

  // Over HTTP a minute can end in between, so twice the limit may be compared.
  test('of the admin token, over HTTP', async () => {
    const statuses = await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, n) => {
        const headers = { 'x-forwarded-for': '203.0.113.5', authorization: `Bearer tra_guess_${n}` }
        const response = await fetch(`${tributary.url}/admin/apps`, { headers })
        await response.text()
        return String(response.status)
      }),
    )
    const { 401: refused = 0, 429: stopped = 0 } = counted(statuses)
    assert.equal(refused + stopped, AT_ONCE)
    assert.ok(refused >= 1 && refused <= 2 * ATTEMPTS.perSubject, String(refused))
  })
})

suite('F20 guesses at a webhook of a service', () => {
  const request = (from: string, token: string) => {
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '42' }
    return fetch(`${tributary.url}/hooks/facebook/${app.clientId}?${new URLSearchParams(query).toString()}`, {
      headers: { 'x-forwarded-for': from },
    })
  }
  const deliver = (from: string, secret: string) =>
    fetch(`${tributary.url}/hooks/foursquare/${app.clientId}`, {
      method: 'POST',
      headers: { 'x-forwarded-for': from, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ user: '{"id":"1"}', secret }).toString(),
    })

  for (const [what, guess] of [
    ['the verify token', request],
    ['the secret in a delivery', deliver],
  ] as const) {
    test(`${what}: blocked, from this address and for this webhook alone`, async () => {
      const from = guess === request ? '203.0.113.21' : '203.0.113.22'
      let last: Response | undefined
      let attempts = 0
      for (; attempts <= 2 * ATTEMPTS.perSubject && last?.status !== 429; attempts += 1) {
        last = await guess(from, `guess-${attempts}`)
        await last.arrayBuffer()
      }
      assert.equal(last?.status, 429)
      assert.ok(attempts > ATTEMPTS.perSubject)
      assert.ok(Number(last.headers.get('retry-after')) >= 1)
      assert.equal((await guess('203.0.113.99', HOOK_SECRET)).status, 200, 'other addresses are not blocked')
      const headers = { 'x-forwarded-for': from, authorization: `Bearer ${tributary.adminToken}` }
      assert.equal(
        (await fetch(`${tributary.url}/admin/apps`, { headers })).status,
        200,
        'other secrets are not blocked',
      )
    })
  }

  test('valid deliveries never count as guesses, however many arrive at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 3 * ATTEMPTS.perSubject }, () => deliver('203.0.113.23', HOOK_SECRET)),
    )
    assert.deepEqual(counted(responses.map(({ status }) => String(status))), { 200: 3 * ATTEMPTS.perSubject })
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startLab } from '../../../../lab/lab.ts'
import { type App, basic, makeApp } from '../../../harness/app.ts'
import { registerAt } from '../../../harness/callback.ts'
import { tributary as cli } from '../../../harness/command-line.ts'
import { LOOPBACK } from '../../../harness/loopback.ts'
import { codeOf, REDIRECT, redeemed, startUrl, walk } from '../../../harness/sign-in.ts'
import { startTributary } from '../../../harness/start.ts'
import { synced, syncProgress } from '../../../harness/sync.ts'
import { until } from '../../../harness/until.ts'

interface Spending {
  spent: string
  limit: string | null
  state: string
  endpoints: Record<string, { on: boolean; price: Record<string, string> }>
}

suite('the bill of X', () => {
  let lab: Awaited<ReturnType<typeof startLab<'x'>>>
  let tributary: Awaited<ReturnType<typeof startTributary>>
  let app: App
  let token: string
  before(async () => {
    lab = await startLab({ services: ['x'] })
    tributary = await startTributary({ TRIBUTARY_ALLOW_PRIVATE: LOOPBACK })
    app = await makeApp(tributary, { redirectUris: [REDIRECT] })
    await registerAt(tributary, app, 'x', lab.services.x)
  })
  after(async () => {
    await tributary?.stop()
    await lab?.close()
  })

  const connect = async (person: string): Promise<string> => {
    const back = await walk(startUrl({ tributary }, 'x', {}, app), { person })
    return (await redeemed({ tributary, app }, codeOf(back))).access_token
  }
  const billing = () =>
    (lab.services.x.settings() as { billing: { invoice: Record<string, number>; refused: number } }).billing
  /** What reading has cost so far, without the person's own record, in millionths. */
  const invoice = () => {
    const { users: _own, ...read } = billing().invoice
    return Object.values(read).reduce((sum, each) => sum + each, 0)
  }
  const spending = async (method = 'GET', body?: object): Promise<Spending> => {
    const response = await fetch(`${tributary.url}/spending`, {
      method,
      headers: { ...basic(app), 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    assert.equal(response.status, 200)
    return ((await response.json()) as { x: Spending }).x
  }
  const micros = ({ spent }: Spending) => Math.round(Number(spent) * 1e6)
  const progress = (token: string) => syncProgress({ tributary }, token, 'x')

  test('is empty while nothing is switched on', async () => {
    token = await connect('dmitri')
    const all = await until(
      'all is off',
      () => progress(token),
      (now) => Object.values(now).every(({ state }) => state === 'off'),
    )
    assert.ok(Object.keys(all).length > 0)
    assert.equal(all['timeline']?.last_reason, 'priced')
    const response = await fetch(`${tributary.url}/sync`, { headers: { authorization: `Bearer ${token}` } })
    const { profiles, ...account } = (await response.json()) as { profiles: object[] }
    const nothing = { state: 'off', items: 0, endpoints: { done: 0, of: 0 }, off: { priced: Object.keys(all).length } }
    assert.deepEqual(account, nothing, 'not complete, and it says why')
    assert.equal((profiles[0] as { state: string }).state, 'off')
    assert.equal(invoice(), 0)
    assert.deepEqual((await spending()).endpoints['followers'], {
      on: false,
      price: { currency: 'USD', per_record: '0.01' },
    })
  })

  test('is never more than what we count, and a second read pays for a few records only', async () => {
    const names = ['tweets', 'likes', 'followers']
    await spending('PATCH', { endpoints: Object.fromEntries(names.map((name) => [`x/${name}`, true])) })
    const first = await synced({ tributary }, token, 'x', { endpoints: names })
    const latest = Math.max(...Object.values(first).map(({ last_run: at = 0 }) => at))
    await tributary.idle('syncs')
    const counted = micros(await spending())
    assert.ok(counted >= invoice() && invoice() > 0, `${counted} counted, ${invoice()} charged`)
    assert.equal((await progress(token))['timeline']?.state, 'off')
    await fetch(`${tributary.url}/profiles/x/sync?access_token=${token}`, { method: 'POST' })
    const lists = ['tweets', 'likes']
    await synced({ tributary }, token, 'x', { endpoints: lists, afterMs: latest })
    await tributary.idle('syncs')
    // Lists are read again by five records, not by a hundred.
    const requests = lab.services.x.requests.all.map(({ target }) => target)
    assert.ok(requests.some((each) => /liked_tweets\?.*max_results=5(&|$)/.test(each)))
    assert.ok(requests.some((each) => /\/tweets\?.*start_time=/.test(each)))
    const again = micros(await spending())
    assert.ok(again >= invoice())
    // The people are listed again as a whole.
    const readAgain = again - counted - ((await progress(token))['followers']?.items ?? 0) * 10_000
    assert.ok(readAgain < 200_000, `${readAgain} for a second read`)
  })

  test('never grows beyond the limit of the app', async () => {
    const before = micros(await spending())
    const limit = ((before + 120_000) / 1e6).toFixed(6)
    await spending('PATCH', { limits: { x: limit } })
    const atFirst = invoice()
    token = await connect('esra')
    await until(
      'it is stopped',
      () => progress(token),
      (now) => Object.values(now).some(({ last_reason }) => last_reason === 'spending_limit_reached'),
    )
    await tributary.idle('syncs')
    assert.ok(invoice() - atFirst <= 120_000)
    assert.ok(micros(await spending()) <= before + 120_000)
    assert.equal((await spending()).state, 'reached')
    const metrics = await (await fetch(`${tributary.url}/metrics`)).text()
    assert.match(metrics, /^tributary_spending\{app="[^"]+",service="x",currency="USD"\} [\d.]+$/m)
    assert.match(metrics, /^tributary_spending_limit\{app="[^"]+",service="x",currency="USD"\} [\d.]+$/m)
  })

  test('is refused when the credit ends: the profile stays, its endpoints wait', async () => {
    const { invoice: sofar } = billing()
    const spent = Object.values(sofar).reduce((sum, each) => sum + each, 0)
    lab.services.x.configure({ billing: { credits: spent } })
    await spending('PATCH', { limits: { x: null } })
    const now = await until(
      'the service refuses',
      () => progress(token),
      (each) => Object.values(each).some(({ last_reason }) => last_reason === 'unpaid'),
    )
    assert.ok(Object.values(now).every(({ last_reason }) => last_reason !== 'service_refused'))
    assert.equal((await spending()).state, 'unpaid')
    const profile = (await (await fetch(`${tributary.url}/profiles/x?access_token=${token}`)).json()) as {
      state?: string
    }
    assert.notEqual(profile.state, 'needs_auth')
    lab.services.x.configure({ billing: { credits: null } })
    await spending('PATCH', {})
    await synced({ tributary }, token, 'x', { endpoints: ['tweets', 'followers'] })
    assert.equal((await spending()).state, 'ok')
  })

  test('is shown and limited from the command line', async () => {
    const run = (...args: string[]) =>
      cli(['app', 'spending', app.clientId, ...args], {
        DATABASE_URL: tributary.databaseUrl,
        TRIBUTARY_DATA: tributary.dataDir,
      })
    const shown = await run('--off', 'x/timeline', '--limit', 'x=12.5')
    assert.equal(shown.code, 0, shown.stderr)
    assert.match(shown.stdout, /x: [\d.]+ of 12\.50 USD spent until \d{4}-\d\d-01/)
    assert.match(shown.stdout, /timeline +off +0\.005/)
    assert.match(shown.stdout, /likes +on +0\.005/)
    assert.equal((await spending()).limit, '12.50')
    const wrong = await run('--limit', 'x=much')
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /SERVICE=AMOUNT/)
  })
})

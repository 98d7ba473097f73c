import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Lab, startLab } from '../../../lab/lab.ts'
import { type App, basic, makeApp, setKeys } from '../../harness/app.ts'
import { registerAt } from '../../harness/callback.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import { send } from '../../harness/send.ts'
import { begin, codeOf, continued, newBrowser, REDIRECT, redeemed, startUrl, walk } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { logged } from '../operating/log/log-reading.ts'
import { CONNECTORS, entryOf } from './fixture.ts'

interface Granted {
  access_token: string
  account: string
}

let one: Lab<'mastodon'>
let two: Lab<'mastodon'>
let tributary: Tributary
let app: App
const hostOf = (lab: Lab<'mastodon'>) => new URL(lab.services.mastodon.url).host
const registrations = (lab: Lab<'mastodon'>) => lab.services.mastodon.requests.to('/api/v1/apps', 'POST').length
const rows = () => tributary.sql<{ instance: string; sealed: Buffer | null }>('select * from service_registration')
const start = (query: Record<string, string> = {}, by: Pick<App, 'clientId'> = app) =>
  startUrl({ tributary }, 'mastodon', query, by)

before(async () => {
  one = await startLab({ services: ['mastodon'] })
  two = await startLab({ services: ['mastodon'] })
  tributary = await startTributary({ ...LOOPBACK_TYPED, TRIBUTARY_CONNECTORS: CONNECTORS })
  app = await makeApp(tributary, { redirectUris: [REDIRECT] })
})
after(async () => {
  await tributary?.stop()
  await one?.close()
  await two?.close()
})

async function signIn(lab: Lab<'mastodon'>, person = 'ada', token?: string): Promise<Granted> {
  const query = { host: hostOf(lab), ...(token === undefined ? {} : { access_token: token }) }
  return redeemed({ tributary, app }, codeOf(await walk(start(query), { person })))
}

suite('a service with many instances', () => {
  test('is described with its questions, and needs no keys', async () => {
    const { body } = await send({ tributary }, 'GET', `/services?client_id=${app.clientId}`)
    const cards = body as Record<string, { asks: unknown; needs_keys: boolean; has_keys: boolean }>
    assert.deepEqual(cards['mastodon']?.asks, {
      host: { title: 'Your Mastodon server', example: 'mastodon.social', required: true },
    })
    assert.deepEqual([cards['mastodon']?.needs_keys, cards['mastodon']?.has_keys], [false, false])
    assert.deepEqual([cards['x']?.needs_keys, cards['x']?.asks], [true, {}])
  })

  test('asks for the server on a page that can be reloaded, corrected and gone back to', async () => {
    const browser = newBrowser()
    const page = await browser.open(start({ state: 's-1' }))
    assert.equal(page.status, 200)
    assert.match(page.url, /\/oauth\/ask\?ticket=\w+$/)
    assert.match(page.body, /<label for="ask-host">Your Mastodon server<\/label>/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.equal((await browser.open(page.url)).status, 200)
    const form = page.forms.find(({ action }) => action === '/oauth/ask')
    assert.ok(form)
    const wrong = await browser.submit(page, form, { field_host: 'no host', answer: 'yes' })
    assert.equal(wrong.url, page.url, 'a submit leads back to the page, so that reload and Back repeat nothing')
    assert.match(wrong.body, /aria-describedby="ask-host-hint ask-host-fault" aria-invalid="true"/)
    assert.match(wrong.body, /role="alert">Please write it like mastodon\.social/)
    assert.match(wrong.body, /value="no host"/)
    const empty = await browser.submit(page, form, { field_host: '', answer: 'yes' })
    assert.match(empty.body, /aria-invalid="true"/)
    // A server that is there and is none of this kind.
    const other = await browser.submit(page, form, { field_host: new URL(tributary.url).host, answer: 'yes' })
    assert.match(other.body, /not a Mastodon server/)
    const unreachable = await browser.submit(page, form, { field_host: '127.0.0.1:1', answer: 'yes' })
    assert.match(unreachable.body, /does not answer/)
    assert.deepEqual(await rows(), [], 'failed registrations leave nothing')
    const right = await browser.submit(page, form, { field_host: `http://${hostOf(one)}/@ada`, answer: 'yes' })
    assert.ok(right.url.startsWith(one.services.mastodon.url), right.url)
    // Back, and the same again: another state.
    const again = await browser.submit(await browser.open(page.url), form, { field_host: hostOf(one), answer: 'yes' })
    const consent = await browser.login(again, 'ada')
    const back = await continued(browser, await browser.decide(consent, 'allow'))
    const address = new URL(back.url)
    assert.equal(address.searchParams.get('state'), 's-1')
    const { access_token: token } = await redeemed({ tributary, app }, codeOf(address))
    const { body } = await send({ tributary }, 'GET', '/profiles', { token })
    const { id } = one.services.mastodon.people[0]!
    assert.deepEqual(body['mastodon'], [encodeURIComponent(`${id}@${hostOf(one)}`)])
    assert.equal(registrations(one), 1)
  })

  test('the person may decline, and another browser cannot answer', async () => {
    const browser = newBrowser()
    const page = await browser.open(start({ state: 's-2' }))
    const form = page.forms[0]!
    const declined = await browser.submit(page, form, { answer: 'no' })
    assert.match(declined.url, /error=access_denied.*state=s-2/)
    const stranger = newBrowser()
    assert.equal((await stranger.open(page.url)).status, 400)
    assert.equal((await stranger.submit(page, form, { field_host: hostOf(one), answer: 'yes' })).status, 400)
    const forged = page.url.replace(/ticket=\w+/, 'ticket=nonsense')
    assert.equal((await browser.open(forged)).status, 400)
  })

  test('a wrong answer of the app becomes a question to the person', async () => {
    const page = await newBrowser().open(start({ host: 'not a host/at all' }))
    assert.match(page.body, /role="alert"/)
    assert.match(page.body, /value="not a host\/at all"/)
  })

  test('concurrent first sign-ins register the app once', async () => {
    const other = await makeApp(tributary, { redirectUris: [REDIRECT] })
    const before = registrations(two)
    const urls = Array.from({ length: 6 }, () => start({ host: hostOf(two) }, other))
    const pages = await Promise.all(urls.map((url) => begin(url)))
    for (const { url } of pages) assert.ok(url.startsWith(two.services.mastodon.url), url)
    assert.equal(registrations(two) - before, 1)
    await tributary.admin('DELETE', `/admin/apps/${other.clientId}`)
  })

  test('S88 the same id on two instances is two people; each is called on its own', async () => {
    const { access_token: token } = await signIn(one)
    const { access_token: same } = await signIn(two, 'ada', token)
    const { body } = await send({ tributary }, 'GET', '/profiles', { token: same })
    const { id } = one.services.mastodon.people[0]!
    assert.equal(two.services.mastodon.people[0]!.id, id)
    const names = [one, two].map((lab) => `${id}@${hostOf(lab)}`)
    assert.deepEqual((body['mastodon'] as string[]).toSorted(), names.map(encodeURIComponent).toSorted())
    for (const lab of [one, two]) {
      const { requests } = lab.services.mastodon
      requests.clear()
      const name = `${encodeURIComponent(`${id}@${hostOf(lab)}`)}@mastodon`
      const path = `/proxy/${name}/api/v1/accounts/verify_credentials`
      const answer = await send({ tributary }, 'GET', path, { token: same })
      assert.equal(answer.status, 200, answer.text)
      assert.equal(requests.to('/api/v1/accounts/verify_credentials').length, 1)
    }
    const { sealed } = (await rows())[0]!
    assert.ok(sealed !== null && !sealed.toString('latin1').includes('client'), 'sealed at rest')
  })

  test('S88 an app’s own key for one instance is used there and nowhere else', async () => {
    const own = await makeApp(tributary, { redirectUris: [REDIRECT] })
    const { key } = await registerAt(tributary, own, 'mastodon', one.services.mastodon)
    const direct = await newBrowser().open(start({}, own))
    assert.ok(
      direct.chain.some((url) => new URL(url).searchParams.get('client_id') === key),
      'no question',
    )
    const before = registrations(two)
    const other = await begin(start({ host: hostOf(two) }, own))
    assert.ok(other.url.startsWith(two.services.mastodon.url))
    assert.ok(!other.chain.some((url) => url.includes(key)))
    assert.equal(registrations(two) - before, 1)
  })

  test('S88 an applied token belongs to a person of the instance of the key, whatever address is given with it', async () => {
    const own = await makeApp(tributary, { redirectUris: [REDIRECT], apply: 'any' })
    await registerAt(tributary, own, 'mastodon', one.services.mastodon)
    const granted: Granted = await redeemed(
      { tributary, app: own },
      codeOf(await walk(start({}, own), { person: 'ada' })),
    )
    const query = { access_token: granted.access_token, auth: 'true' }
    const { body } = await send({ tributary }, 'GET', '/profiles', { query, headers: basic(own) })
    const { token } = entryOf(body, 'mastodon').auth
    const apply = (json: Record<string, unknown>) =>
      send({ tributary }, 'POST', '/auth/mastodon/apply', { json: { token, ...json }, headers: basic(own) })
    const applied = await apply({})
    assert.equal(applied.status, 200, applied.text)
    const { id } = one.services.mastodon.people[0]!
    assert.equal(applied.body['profile'], `${encodeURIComponent(`${id}@${hostOf(one)}`)}@mastodon`)
    two.services.mastodon.requests.clear()
    for (const instance of [
      { api_url: two.services.mastodon.url },
      { host: hostOf(two) },
      { base_url: two.services.mastodon.url },
      { host: hostOf(one), base_url: two.services.mastodon.url },
      { base_url: `${one.services.mastodon.url}/uploads/of/somebody` },
    ])
      assert.equal((await apply({ instance })).status, 400, JSON.stringify(instance))
    assert.equal(two.services.mastodon.requests.all.length, 0)
  })

  test('a registered key that the instance has forgotten is replaced at the next sign-in', async () => {
    await signIn(two)
    const before = registrations(two)
    const body = '{"error":"invalid_client","error_description":"Client authentication failed"}'
    two.services.mastodon.faults.add({ kind: 'response', status: 401, path: '/oauth/token', body })
    const failed = await walk(start({ host: hostOf(two) }), { person: 'ada' })
    assert.equal(failed.searchParams.get('error'), 'service_refused')
    assert.equal(
      (await rows()).filter(({ instance }) => instance.startsWith(`${hostOf(two)} `)).length,
      1,
      'that of the own key',
    )
    await signIn(two)
    assert.equal(registrations(two) - before, 1)
  })

  test('S88 the secret of a key that names no instance goes to none that a person chose', async () => {
    const own = await makeApp(tributary, { redirectUris: [REDIRECT] })
    await setKeys(tributary, own, 'mastodon', { key: 'key-of-some-server', secret: 'secret-of-some-server' })
    two.services.mastodon.requests.clear()
    const { href } = await walk(start({ host: hostOf(two) }, own), { person: 'ada' })
    assert.match(href, /code=/)
    assert.doesNotMatch(JSON.stringify(two.services.mastodon.requests.all), /of-some-server/)
  })

  test('a reconnect link leads to the instance of the profile without a question', async () => {
    const { access_token: token, account } = await signIn(one, 'ben')
    const { id } = one.services.mastodon.people[1]!
    const name = `${encodeURIComponent(`${id}@${hostOf(one)}`)}@mastodon`
    const { body } = await send({ tributary }, 'POST', `/profiles/${encodeURIComponent(name)}/reconnect`, { token })
    const back = await walk(String(body['url']), { person: 'ben' })
    assert.equal(back.searchParams.get('account'), account, back.href)
  })

  test('disconnecting ends the token at the right instance with its key', async () => {
    const { access_token: token } = await signIn(two, 'chloe')
    two.services.mastodon.requests.clear()
    const { body } = await send({ tributary }, 'DELETE', '/profiles', { token })
    const deleted = body['deleted'] as { service_token: string }[]
    assert.deepEqual(
      deleted.map(({ service_token: result }) => result),
      ['revoked'],
    )
    assert.equal(two.services.mastodon.requests.to('/oauth/revoke').length, 1)
  })

  test('deleting the app deletes its registrations', async () => {
    const gone = await makeApp(tributary, { redirectUris: [REDIRECT] })
    await begin(start({ host: hostOf(one) }, gone))
    const mine = () => tributary.sql('select 1 from service_registration where app_id = $1', [gone.clientId])
    assert.equal((await mine()).length, 1)
    await tributary.admin('DELETE', `/admin/apps/${gone.clientId}`)
    while ((await mine()).length > 0) await send({ tributary }, 'GET', '/healthz')
  })
})

suite('S87 a host that is not public', () => {
  test('is refused before anything is sent, and leaves nothing', async () => {
    const strict = await startTributary({ TRIBUTARY_CONNECTORS: CONNECTORS })
    try {
      one.services.mastodon.requests.clear()
      const said = async (host: string) => {
        const own = await makeApp(strict, { redirectUris: [REDIRECT] })
        const page = await begin(startUrl({ tributary: strict }, 'mastodon', { host }, own))
        assert.match(page.url, /\/oauth\/ask\?ticket=\w+$/)
        const operation = await logged({ tributary: strict }, own.clientId, { reason: 'address_refused' })
        const named = new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, '')
        assert.match(JSON.stringify(operation), new RegExp(`${named} .*TRIBUTARY_ALLOW_PRIVATE`))
        return /role="alert">([^<]+)/.exec(page.body)?.[1]?.replaceAll(host, '')
      }
      for (const host of [hostOf(one), '169.254.169.254', 'localhost', '[::1]', '10.0.0.1']) assert.ok(await said(host))
      // Whether a name is of a private network or does not exist must not be seen from outside.
      assert.equal(await said('localhost'), await said('does-not-exist.invalid'))
      assert.equal(one.services.mastodon.requests.all.length, 0)
      assert.deepEqual(await strict.sql('select 1 from service_registration'), [])
    } finally {
      await strict.stop()
    }
  })

  test('is asked for a limited number of times: failed calls to a named server count as well', async () => {
    const few = await startTributary({ TRIBUTARY_CONNECTORS: CONNECTORS, TRIBUTARY_QUOTA_ADDRESS_SIGN_INS: '3' })
    try {
      const own = await makeApp(few, { redirectUris: [REDIRECT] })
      const browser = newBrowser()
      const page = await browser.open(startUrl({ tributary: few }, 'mastodon', { host: '127.0.0.1:1' }, own))
      const statuses: number[] = [page.status]
      for (const port of [1, 2, 3]) {
        const answer = { field_host: `127.0.0.1:${port}`, answer: 'yes' }
        statuses.push((await browser.submit(page, page.forms[0]!, answer)).status)
      }
      assert.deepEqual(statuses, [200, 200, 200, 429])
    } finally {
      await few.stop()
    }
  })

  test('is not reached by a redirect of a public one', async () => {
    const host = hostOf(two)
    two.services.mastodon.requests.clear()
    one.services.mastodon.requests.clear()
    const other = await makeApp(tributary, { redirectUris: [REDIRECT] })
    two.services.mastodon.faults.add({
      kind: 'response',
      status: 302,
      headers: { location: `${one.services.mastodon.url}/api/v1/apps` },
      path: '/api/v1/apps',
      body: '',
    })
    assert.match((await begin(start({ host }, other))).body, /role="alert">[^<]*not a Mastodon server/)
    assert.equal(one.services.mastodon.requests.all.length, 0)
  })
})

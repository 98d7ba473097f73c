import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { serviceNames } from '../../../lab/lab.ts'
import { sampled } from '../../harness/effort.ts'
import { send } from '../../harness/send.ts'
import { newBrowser, newCode, startUrl } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { type AllServices, type Service, startAllServices } from '../sign-in/all-services-fixture.ts'
import { expireAfter } from '../sign-in/fixture.ts'

const ELEVEN_MINUTES_MS = 11 * 60_000

/** What each service can end: while others use the service user, and with the last of them. */
const RESULTS: Record<Service, [whileOthers: string, last: string]> = {
  'demo-social': ['token_ended', 'revoked'],
  'demo-micro': ['token_ended', 'revoked'],
  'demo-health': ['token_ended', 'revoked'],
  facebook: ['kept', 'revoked'],
  flickr: ['not_offered', 'not_offered'],
  foursquare: ['not_offered', 'not_offered'],
  instagram: ['not_offered', 'not_offered'],
  github: ['token_ended', 'revoked'],
  strava: ['kept', 'revoked'],
  spotify: ['not_offered', 'not_offered'],
  mastodon: ['token_ended', 'revoked'],
  tumblr: ['not_offered', 'not_offered'],
  x: ['token_ended', 'revoked'],
  dropbox: ['token_ended', 'revoked'],
  twitch: ['token_ended', 'revoked'],
  withings: ['kept', 'revoked'],
  oura: ['token_ended', 'revoked'],
  slack: ['kept', 'revoked'],
  google: ['kept', 'revoked'],
}

/** Of those that end the token, keep it, and offer neither; one with OAuth 1. */
const ONE_OF_EACH: Service[] = ['demo-social', 'demo-micro', 'facebook', 'flickr']

let harness: AllServices
before(async () => {
  harness = await startAllServices()
})
after(() => harness.stop())

suite('revoking never ends what another profile or sign-in of the app uses', () => {
  for (const service of sampled(ONE_OF_EACH, serviceNames)) {
    const [whileOthers, last] = RESULTS[service]

    test(`${service}: a profile of the same service user in another account goes on`, async () => {
      const one = await harness.signIn(service, 'ada')
      const account = await harness.otherAccount(harness.app, service === 'demo-micro' ? 'demo-social' : 'demo-micro')
      const two = await harness.signIn(service, 'ada', account)
      assert.deepEqual(await harness.disconnect(service, one), [whileOthers])
      assert.equal(await harness.statusAt(service, two), 200)
      assert.deepEqual(await harness.disconnect(service, two), [last])
    })

    test(`${service}: an abandoned sign-in that expires leaves the profile alone`, async () => {
      const token = await harness.signIn(service, 'ben')
      await newCode(harness, service, 'ben')
      await expireAfter(harness, ELEVEN_MINUTES_MS)
      assert.deepEqual(await harness.sql('select 1 from consent where used_at is null'), [])
      assert.equal(await harness.statusAt(service, token), 200)
      assert.deepEqual(await harness.disconnect(service, token), [last])
    })

    test(`${service}: an unredeemed sign-in survives that the profile is disconnected`, async () => {
      const app = await harness.newApp([service])
      const token = await harness.signIn(service, 'ada', undefined, app)
      const code = await newCode(harness, service, 'ada', {}, app)
      assert.deepEqual(await harness.disconnect(service, token), [whileOthers])
      const { access_token: later } = (await send(harness, 'POST', '/oauth/access_token', {
        form: { client_id: app.clientId, client_secret: app.secret, code },
      }).then(({ body }) => body)) as { access_token: string }
      assert.equal(await harness.statusAt(service, later), 200)
    })
  }

  for (const service of ['github', 'facebook', 'demo-social'] as const)
    test(`${service}: a declined confirmation leaves the profile alone`, async () => {
      const token = await harness.signIn(service, 'chloe')
      const browser = newBrowser()
      const page = await browser.walk(startUrl(harness, service, { response_type: 'token' }, harness.app), {
        person: 'chloe',
      })
      const form = page.forms.find(({ action }) => action === '/oauth/confirm')!
      await browser.submit(page, form, { answer: 'no' })
      assert.equal(await harness.statusAt(service, token), 200)
      await harness.disconnect(service, token)
    })

  test('deleting one of two accounts, too', async () => {
    const one = await harness.signIn('github', 'ada')
    const two = await harness.signIn('github', 'ada', await harness.otherAccount())
    const { body } = await send(harness, 'DELETE', '/profiles', { token: one })
    assert.deepEqual(
      (body['deleted'] as { service_token: string }[]).map(({ service_token: result }) => result),
      ['token_ended'],
    )
    assert.equal(await harness.statusAt('github', two), 200)
    await harness.disconnect('github', two)
  })

  test('a replayed code ends the access token here and nothing at the service', async () => {
    const app = await harness.newApp(['github'])
    const code = await newCode(harness, 'github', 'ada', {}, app)
    const form = { client_id: app.clientId, client_secret: app.secret, code }
    const granted = await send(harness, 'POST', '/oauth/access_token', { form })
    assert.equal((await send(harness, 'POST', '/oauth/access_token', { form })).status, 400)
    const token = String(granted.body['access_token'])
    assert.equal((await send(harness, 'GET', '/profiles', { token })).status, 401)
    assert.equal(harness.lab.services.github.requests.to(`/applications/${app.keys['github']!.key}/*`).length, 0)
  })
})

suite('a sign-in that nobody redeemed', () => {
  for (const [service, path] of [
    ['github', '/applications/*'],
    ['facebook', /\/me\/permissions$/],
  ] as const)
    test(`${service}: ends the access of the app when nobody else has the service user`, async () => {
      const app = await harness.newApp([service])
      await newCode(harness, service, 'dmitri', {}, app)
      const { requests } = harness.lab.services[service]
      requests.clear()
      await expireAfter(harness, ELEVEN_MINUTES_MS)
      const paths = requests.to(path, 'DELETE').map((request) => request.path.split('/').at(-1))
      assert.deepEqual(paths, [service === 'github' ? 'grant' : 'permissions'])
    })

  test('ends when it cannot be stored, and nothing else does', async () => {
    const app = await harness.newApp(['github'])
    await harness.sql(`create function refuse_consent() returns trigger language plpgsql as
      $$ begin raise exception 'not now' using errcode = '23514'; end $$`)
    await harness.sql(`create trigger refuse_consent before insert on consent for each row
      when (new.app_id = '${app.clientId}') execute function refuse_consent()`)
    const refuse = (how: 'enable' | 'disable') => harness.sql(`alter table consent ${how} trigger refuse_consent`)
    const { requests } = harness.lab.services.github
    const endedBy = async () => {
      requests.clear()
      const { url } = await newBrowser().walk(startUrl(harness, 'github', {}, app), { person: 'dmitri' })
      assert.match(url, /error=server_error/)
      return requests.to('/applications/*', 'DELETE').map(({ path }) => path.split('/').at(-1))
    }
    try {
      assert.deepEqual(await endedBy(), ['grant'], 'nobody else has the service user')
      await refuse('disable')
      const token = await harness.signIn('github', 'dmitri', undefined, app)
      await refuse('enable')
      assert.deepEqual(await endedBy(), ['token'])
      assert.equal(await harness.statusAt('github', token), 200)
    } finally {
      await harness.sql('drop trigger refuse_consent on consent')
      await harness.sql('drop function refuse_consent()')
    }
  })
})

suite('a token that is replaced', () => {
  /** The status of a call with the service's own token, past Tributary. */
  const statusOf = async (service: 'github' | 'demo-social', token: string) =>
    (
      await fetch(`${harness.lab.services[service].url}${service === 'github' ? '/user' : '/api/me'}`, {
        headers: { authorization: `Bearer ${token}`, 'user-agent': 'test' },
      })
    ).status

  for (const service of ['github', 'demo-social'] as const) {
    test(`${service}: by a new sign-in is ended; the new one works`, async () => {
      const app = await harness.newApp([service])
      const first = await harness.signInWithToken(service, 'ada', undefined, app)
      const second = await harness.signInWithToken(service, 'ada', undefined, app)
      await until('the first token ended', async () => (await statusOf(service, first.atService.token)) === 401)
      assert.equal(await statusOf(service, second.atService.token), 200)
      assert.equal(await harness.statusAt(service, first.token), 200)
    })

    test(`${service}: by a merge is ended, whichever account it was in; the newer one works`, async () => {
      for (const isSourceNewer of [true, false]) {
        const app = await harness.newApp([service, 'demo-micro'])
        const one = await harness.signInWithToken(service, 'ada', undefined, app)
        const two = await harness.signInWithToken(service, 'ada', await harness.otherAccount(app), app)
        const [source, dest] = isSourceNewer ? [two, one] : [one, two]
        const merged = await send(harness, 'POST', '/auth/merge', { form: { source: source.token, dest: dest.token } })
        assert.equal(merged.status, 200, merged.text)
        await until('the older token ended', async () => (await statusOf(service, one.atService.token)) === 401)
        assert.equal(await statusOf(service, two.atService.token), 200)
        assert.equal(await harness.statusAt(service, dest.token), 200)
      }
    })
  }

  test('is kept while another account uses the same token', async () => {
    const app = await harness.newApp(['github'])
    const { token, atService } = await harness.signInWithToken('github', 'ada', undefined, app)
    const form = { client_id: app.clientId, client_secret: app.secret, token: atService.token }
    const applied = await send(harness, 'POST', '/auth/github/apply', { form })
    assert.deepEqual(await harness.disconnect('github', token), ['kept'])
    const other = String(applied.body['access_token'])
    assert.equal(await harness.statusAt('github', other), 200)
    assert.deepEqual(await harness.disconnect('github', other), ['revoked'])
    assert.equal(await statusOf('github', atService.token), 401)
  })

  test('a profile that needs a new sign-in does not count: its token has ended', async () => {
    const app = await harness.newApp(['github', 'demo-micro'])
    const one = await harness.signIn('github', 'ada', undefined, app)
    await harness.signIn('github', 'ada', await harness.otherAccount(app), app)
    await harness.sql(
      `update profile set state = 'needs_auth' where app_id = $1 and account_id <> (select account_id from profile
       where app_id = $1 and service = 'github' order by connected_at limit 1) and service = 'github'`,
      [app.clientId],
    )
    assert.deepEqual(await harness.disconnect('github', one), ['revoked'])
  })
})

suite('what a service responds', () => {
  const cases: [service: Service, path: string | RegExp, status: number, body: string, result: string][] = [
    ['github', '/applications/*', 401, '{}', 'refused'],
    ['github', '/applications/*', 403, '{}', 'refused'],
    ['github', '/applications/*', 422, '{}', 'refused'],
    ['github', '/applications/*', 404, '{}', 'revoked'],
    ['github', '/applications/*', 429, '{}', 'unreachable'],
    ['github', '/applications/*', 503, '{}', 'unreachable'],
    ['facebook', /\/me\/permissions$/, 400, '{"error":{"code":190,"error_subcode":458}}', 'revoked'],
    ['facebook', /\/me\/permissions$/, 400, '{"error":{"code":190,"error_subcode":463}}', 'refused'],
    ['facebook', /\/me\/permissions$/, 400, '{"error":{"code":2}}', 'unreachable'],
    ['x', '/2/oauth2/revoke', 401, '{"error":"unauthorized_client"}', 'refused'],
    ['x', '/2/oauth2/revoke', 404, '{}', 'refused'],
    ['demo-social', '/oauth/revoke', 400, '{"error":"invalid_token"}', 'revoked'],
    ['demo-social', '/oauth/revoke', 400, '{"error":"invalid_client"}', 'refused'],
    ['demo-micro', '/oauth/revoke', 401, '', 'refused'],
    ['demo-micro', '/oauth/revoke', 502, '', 'unreachable'],
  ]
  for (const [service, path, status, body, result] of cases)
    test(`${service} with ${status} ${body}: ${result}`, async () => {
      const app = await harness.newApp([service])
      const token = await harness.signIn(service, 'ada', undefined, app)
      harness.lab.services[service].faults.add({ path, kind: 'response', status, body, times: 0 })
      assert.deepEqual(await harness.disconnect(service, token), [result])
      harness.lab.services[service].faults.clear()
    })
})

test('deleting an app ends its access for every account, also of one service user in several', async () => {
  const app = await harness.newApp(['facebook', 'github', 'tumblr', 'demo-micro'])
  const tokens: string[] = []
  for (const service of ['facebook', 'github'] as const) {
    tokens.push((await harness.signInWithToken(service, 'ada', undefined, app)).atService.token)
    tokens.push((await harness.signInWithToken(service, 'ada', await harness.otherAccount(app), app)).atService.token)
  }
  await harness.signIn('tumblr', 'ben', undefined, app)
  await newCode(harness, 'github', 'chloe', {}, app)
  await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}?erase=true`)
  const progress = async () => {
    const { body } = await harness.tributary.admin('GET', '/admin/deletions')
    return (body as { client_id: string; state: string; service_tokens: object }[]).find(
      ({ client_id: id }) => id === app.clientId,
    )
  }
  await until('the app is deleted', async () => (await progress())?.state === 'deleted')
  const counts = { revoked: 5, refused: 0, unreachable: 0, not_offered: 1 }
  assert.deepEqual((await progress())?.service_tokens, counts)
  const { url } = harness.lab.services.github
  const status = async (token: string) =>
    (await fetch(`${url}/user`, { headers: { authorization: `Bearer ${token}`, 'user-agent': 'test' } })).status
  assert.deepEqual([await status(tokens[2]!), await status(tokens[3]!)], [401, 401])
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connectors } from '#connectors/index.ts'
import { appProofOf } from '#kit/auth/app-proof.ts'
import { startLab } from '../../../lab/lab.ts'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { registerAt } from '../../harness/callback.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import { send } from '../../harness/send.ts'
import { newCode, REDIRECT, redeem } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { assertRefused } from '../sign-in/fixture.ts'

const SERVICES = ['twitch', 'mastodon', 'spotify', 'foursquare'] as const
type Service = (typeof SERVICES)[number]

suite('what proves to apply that a token was issued to the app', () => {
  let lab: Awaited<ReturnType<typeof startLab<Service>>>
  let tributary: Tributary
  let app: App
  let other: App
  before(async () => {
    lab = await startLab({ services: [...SERVICES], maxActivity: 1 })
    tributary = await startTributary(LOOPBACK_TYPED)
    const newApp = async (apply: 'proven' | 'any') => {
      const made = await makeApp(tributary, { redirectUris: [REDIRECT], apply })
      for (const service of SERVICES) await registerAt(tributary, made, service, lab.services[service])
      return made
    }
    app = await newApp('proven')
    other = await newApp('any')
  })
  after(async () => {
    await tributary.stop()
    await lab.close()
  })

  const tokenOf = async (service: Service, by: App) => {
    const code = await newCode({ tributary, app: by }, service, 'ada', {}, by)
    const response = await redeem({ tributary, app: by }, code, { profile: 'last', auth: 'true' }, by)
    const { profile } = (await response.json()) as { profile: Record<string, { auth: { token: string } }[]> }
    return profile[service]![0]!.auth.token
  }
  const apply = (service: Service, token: string, by: App) =>
    send({ tributary }, 'POST', `/auth/${service}/apply`, { form: { token }, headers: basic(by) })

  for (const service of ['twitch', 'mastodon'] as const)
    test(`${service} says it: a plain token of the app is accepted, that of another app is not`, async () => {
      const own = await apply(service, await tokenOf(service, app), app)
      assert.deepEqual([own.status, own.body['app_verified']], [200, true], own.text)
      const stolen = await tokenOf(service, other)
      assertRefused(await apply(service, stolen, app), 401, 'service_refused')
      assertRefused(await apply(service, await tokenOf(service, app), other), 401, 'service_refused')
      assertRefused(await apply(service, 'nonsense', app), 401, 'service_refused')
    })

  test('a Mastodon server that does not name apps proves nothing', async () => {
    lab.services.mastodon.configure({ namesApps: false })
    try {
      assertRefused(await apply('mastodon', await tokenOf('mastodon', app), app), 403, 'app_unproven')
      const any = await apply('mastodon', await tokenOf('mastodon', other), other)
      assert.deepEqual([any.status, any.body['app_verified']], [200, false], any.text)
    } finally {
      lab.services.mastodon.configure({ namesApps: true })
    }
  })

  test('the refusal names what proves the app, and the command that allows any token', async () => {
    const { body } = await apply('spotify', await tokenOf('spotify', app), app)
    assert.match(String(body['error']), /^Spotify does not say to which app it issued a token/)
    assert.match(String(body['error']), /Send its refresh_token too/)
    const [command] = /tributary app set \S+ --apply any/.exec(String(body['error'])) ?? []
    assert.equal(command, `tributary app set ${app.clientId} --apply any`)
    const batch = { accounts: [{ id: 'one', spotify: { token: 'any' } }] }
    const refused = await send({ tributary }, 'POST', '/auth/apply/batch', { json: batch, headers: basic(app) })
    assert.deepEqual(refused.body, { one: { error: { spotify: 'app_unproven' } } })
  })
})

test('each connector of OAuth 2 reads the app of a token, or says why it cannot', () => {
  for (const { service, auth } of connectors) {
    const why = auth.kind === 'oauth2' || auth.kind === 'app_password' ? auth.noAppCheck : undefined
    const mustSay = appProofOf(auth) === 'none' && auth.kind !== 'file'
    assert.equal(why !== undefined, mustSay, service)
  }
})

test('a password that people type everywhere was issued to no app: apply takes it as a sign-in does', () => {
  const proofs = Object.fromEntries(connectors.map(({ service, auth }) => [service, appProofOf(auth)]))
  for (const service of ['caldav', 'carddav', 'feed']) assert.equal(proofs[service], 'not_issued', service)
  assert.equal(proofs['wordpress'], 'none', 'issued to an app, which the password does not name')
})

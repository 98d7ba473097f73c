import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { App } from '../../harness/app.ts'
import { registerAt } from '../../harness/callback.ts'
import { send } from '../../harness/send.ts'
import { redeemed, startUrl, walk } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { type AllServices, startAllServices } from '../sign-in/all-services-fixture.ts'
import { expireAfter } from '../sign-in/fixture.ts'

let harness: AllServices
let gate: Gate
before(async () => {
  harness = await startAllServices()
  gate = await startGate(harness.lab.services.github.url)
})
after(async () => {
  await gate.close()
  await harness.stop()
})

interface Gate {
  url: string
  /** Requests that arrived and wait. */
  waiting: () => number
  open: () => void
  close: () => Promise<void>
}

/** Stands before the service: a request waits here until the test lets it pass. */
async function startGate(target: string): Promise<Gate> {
  let waiting: (() => void)[] = []
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      waiting.push(() => {
        const { authorization = '', 'content-type': type = '' } = request.headers
        void fetch(`${target}${request.url}`, {
          method: request.method!,
          headers: { authorization, 'content-type': type, 'user-agent': 'gate' },
          body: Buffer.concat(parts),
        }).then(({ status }) => response.writeHead(status).end())
      })
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => waiting.length,
    open: () => {
      for (const pass of waiting) pass()
      waiting = []
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

/** An app whose revocations of grants go through the gate. */
async function newGatedApp(): Promise<App> {
  const app = await harness.newApp(['demo-micro'])
  const { github } = harness.lab.services
  const key = `gated-${app.clientId}`
  const overrides = { base_url: github.url, revoke_url: `${gate.url}/applications/${key}/grant` }
  await registerAt(harness.tributary, app, 'github', github, { key, overrides })
  return app
}

const isAnnounced = async () => (await harness.sql('select 1 from grant_revocation where ended_at is null')).length > 0

suite('a grant that is revoked while', () => {
  test('a sign-in of the same service user finishes: the sign-in fails, and the next one works', async () => {
    const app = await newGatedApp()
    const token = await harness.signIn('github', 'ada', undefined, app)
    const disconnecting = harness.disconnect('github', token)
    await until('the service is asked', () => gate.waiting() === 1)
    const signingIn = walk(startUrl(harness, 'github', {}, app), { person: 'ada' })
    await until(
      'the sign-in waits',
      async () =>
        (await harness.sql('select 1 from consent where app_id = $1 and used_at is null', [app.clientId])).length > 0,
    )
    gate.open()
    assert.deepEqual(await disconnecting, ['revoked'])
    const back = await signingIn
    assert.equal(back.searchParams.get('code'), null)
    assert.notEqual(back.searchParams.get('error'), null)
    assert.equal(await isAnnounced(), false)
    assert.deepEqual(
      await harness.sql('select 1 from consent where app_id = $1 and used_at is null', [app.clientId]),
      [],
    )
    const again = await harness.signIn('github', 'ada', undefined, app)
    assert.equal(await harness.statusAt('github', again), 200)
  })

  test('a sign-in finishes, but the service refuses to revoke: the sign-in works', async () => {
    const app = await newGatedApp()
    const token = await harness.signIn('github', 'ada', undefined, app)
    const disconnecting = harness.disconnect('github', token)
    await until('the service is asked', () => gate.waiting() === 1)
    harness.lab.services.github.faults.add({ path: '/applications/*', method: 'DELETE', kind: 'status', status: 403 })
    const signingIn = walk(startUrl(harness, 'github', {}, app), { person: 'ada' })
    await until(
      'the sign-in waits',
      async () =>
        (await harness.sql('select 1 from consent where app_id = $1 and used_at is null', [app.clientId])).length > 0,
    )
    gate.open()
    assert.deepEqual(await disconnecting, ['refused'])
    const code = (await signingIn).searchParams.get('code')
    const granted = await redeemed(harness, code!, app)
    assert.equal(await harness.statusAt('github', granted.access_token), 200)
  })

  test('a token is applied: it is refused, and no profile is left with it', async () => {
    const app = await newGatedApp()
    const { token, atService } = await harness.signInWithToken('github', 'ada', undefined, app)
    const disconnecting = harness.disconnect('github', token)
    await until('the service is asked', () => gate.waiting() === 1)
    const form = { client_id: app.clientId, client_secret: app.secret, token: atService.token }
    const { requests } = harness.lab.services.github
    requests.clear()
    const applying = send(harness, 'POST', '/auth/github/apply', { form })
    await until('the token is verified', () => requests.count('/user') > 0)
    gate.open()
    assert.deepEqual(await disconnecting, ['revoked'])
    assert.deepEqual([(await applying).status, (await applying).body['reason']], [401, 'service_refused'])
    assert.deepEqual(await harness.sql('select 1 from profile where app_id = $1', [app.clientId]), [])
  })
})

suite('two disconnects at once', () => {
  for (const service of ['github', 'facebook', 'demo-social'] as const)
    test(`${service}: the last one ends the access of the app`, async () => {
      const app = await harness.newApp([service, 'demo-micro'])
      const one = await harness.signInWithToken(service, 'ada', undefined, app)
      const two = await harness.signInWithToken(service, 'ada', await harness.otherAccount(app), app)
      const results = (await Promise.all([one, two].map(({ token }) => harness.disconnect(service, token)))).flat()
      assert.ok(results.includes('revoked'), results.join())
      assert.ok(results.every((result) => ['revoked', 'token_ended', 'kept'].includes(result)))
      // Applying a token shows whether the service still accepts it.
      for (const { atService } of [one, two]) {
        const form = { client_id: app.clientId, client_secret: app.secret, token: atService.token }
        assert.equal((await send(harness, 'POST', `/auth/${service}/apply`, { form })).status, 401)
      }
    })
})

test('what a process that died left announced blocks nobody for long, and is removed', async () => {
  const app = await harness.newApp(['github'])
  const [row] = await harness.sql<{ shard: number }>('select 1 as shard')
  await harness.sql(
    `insert into grant_revocation (shard, app_id, service, native_id, id, until) values ($1, $2, 'github', 'x', 'dead', $3)`,
    [row!.shard, app.clientId, Date.now()],
  )
  const token = await harness.signIn('github', 'ada', undefined, app)
  assert.equal(await harness.statusAt('github', token), 200)
  await expireAfter(harness, 11 * 60_000)
  assert.deepEqual(await harness.sql('select 1 from grant_revocation'), [])
})

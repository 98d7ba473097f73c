import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connect } from '../../harness/connect.ts'
import { startSecondServer } from '../../harness/database/second-server.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { get, type Running, send } from '../../harness/send.ts'
import type { Granted } from '../../harness/sign-in.ts'
import { CONNECTORS, nativeId, serviceToken, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const SERVICE = 'demo-social'
const idOf = (person: string) => nativeId(harness, SERVICE, person)
const personOf = (id: unknown) =>
  ['ada', 'finn', 'ben'].find((person) => idOf(person) === id) ?? `nobody: ${String(id)}`

/** Connects a person to an account, or to a new one. */
async function connected(app: LabApp, person: string, account?: string): Promise<Granted> {
  const token = await serviceToken(harness, SERVICE, person, app)
  const granted = await connect(harness, app, SERVICE, { token, account })
  await nameEndpoint(granted.account, person)
  return granted
}

/** Gives a profile an endpoint named after its person: what a sync shows then says whose it is. */
async function nameEndpoint(account: string, person: string): Promise<void> {
  await harness.sql(
    `insert into endpoint_sync (shard, profile_id, endpoint, next_run_at, interval_ms, epoch, items, fails, faults,
       quarantined, suspect_deletes)
     select shard, id, $3, ${Number.MAX_SAFE_INTEGER}, 1, 0, 0, 0, 0, 0, 0 from profile
     where account_id = $1 and native_id = $2 and merged_into is null on conflict do nothing`,
    [account, idOf(person), person],
  )
}

const bodyOf = async (at: Running, token: string, method: string, path: string) =>
  (await send(at, method, path, { token })).body
const nameIn = (body: Record<string, unknown>) => String(body['profile']).split('@')[0]

/** Whose profile each path means by the name of the service alone. */
const PATHS: Record<string, (at: Running, token: string) => Promise<unknown>> = {
  'GET /profiles/:service': async (at, token) =>
    personOf(((await bodyOf(at, token, 'GET', `/profiles/${SERVICE}`))['data'] as { id: string }).id),
  'GET /profiles/:service/sync': async (at, token) =>
    Object.keys(await bodyOf(at, token, 'GET', `/profiles/${SERVICE}/sync`)).join(' '),
  'POST /profiles/:service/sync': async (at, token) =>
    Object.keys(await bodyOf(at, token, 'POST', `/profiles/${SERVICE}/sync`)).join(' '),
  'POST /profiles/:service/reset': async (at, token) =>
    Object.keys(await bodyOf(at, token, 'POST', `/profiles/${SERVICE}/reset`)).join(' '),
  'POST /profiles/:service/pause': async (at, token) =>
    personOf(nameIn(await bodyOf(at, token, 'POST', `/profiles/${SERVICE}/pause`))),
  'POST /profiles/:service/resume': async (at, token) =>
    personOf(nameIn(await bodyOf(at, token, 'POST', `/profiles/${SERVICE}/resume`))),
  'GET /proxy/:service': async (at, token) => personOf((await bodyOf(at, token, 'GET', `/proxy/${SERVICE}/me`))['id']),
  'GET /profile, its fields': async (at, token) => (await bodyOf(at, token, 'GET', '/profile'))['handle'],
  'GET /profile, its services': async (at, token) => {
    const { services } = (await bodyOf(at, token, 'GET', '/profile')) as { services: Record<string, { id: string }> }
    return personOf(services[SERVICE]?.id)
  },
}

async function assertMeans(person: string, token: string, at: Running = harness): Promise<void> {
  for (const [path, read] of Object.entries(PATHS)) assert.equal(await read(at, token), person, path)
}

const afterRestart = async (token: string, person: string) => {
  const second = await startSecondServer(harness.tributary, {
    TRIBUTARY_CONNECTORS: CONNECTORS,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
  })
  try {
    await assertMeans(person, token, second)
  } finally {
    await second.stop()
  }
}

suite('a service name means the profile that was connected last, on every path', () => {
  test('of two, the second; after the first signs in again, the first; also after a restart', async () => {
    const app = await harness.makeApp()
    const { access_token: token, account } = await connected(app, 'ada')
    await assertMeans('ada', token)
    await connected(app, 'finn', account)
    await assertMeans('finn', token)
    await connected(app, 'ada', account)
    await assertMeans('ada', token)
    await afterRestart(token, 'ada')
  })

  test('after a merge, the one connected last of both accounts', async () => {
    const app = await harness.makeApp()
    const dest = await connected(app, 'ada')
    const source = await connected(app, 'finn')
    await assertMeans('ada', dest.access_token)
    const form = { source: source.access_token, dest: dest.access_token }
    assert.equal((await send(harness, 'POST', '/auth/merge', { form })).status, 200)
    await assertMeans('finn', dest.access_token)
    await connected(app, 'ada', dest.account)
    await assertMeans('ada', dest.access_token)
    await afterRestart(dest.access_token, 'ada')
  })

  test('after a merge of accounts with the same service user, the sign-in that was last counts', async () => {
    const app = await harness.makeApp()
    const dest = await connected(app, 'ada')
    await connected(app, 'finn', dest.account)
    const source = await connected(app, 'ada')
    const form = { source: source.access_token, dest: dest.access_token }
    await send(harness, 'POST', '/auth/merge', { form })
    await assertMeans('ada', dest.access_token)
  })

  test('a process whose clock is behind still connects last', async () => {
    const app = await harness.makeApp()
    const { access_token: token, account } = await connected(app, 'ada')
    const ahead = Date.now() + 3_600_000
    await harness.sql('update profile set connected_at = $2 where account_id = $1', [account, ahead])
    await connected(app, 'finn', account)
    await assertMeans('finn', token)
  })

  test('after the last one is disconnected, the one before it', async () => {
    const app = await harness.makeApp()
    const { access_token: token, account } = await connected(app, 'ada')
    await connected(app, 'finn', account)
    const path = `/profiles/${idOf('finn')}@${SERVICE}`
    assert.equal((await send(harness, 'DELETE', path, { token })).status, 200)
    await assertMeans('ada', token)
  })
})

suite('GET /profile with several profiles of one service', () => {
  test('shows each: the last by the name of the service, the others by id@service', async () => {
    const app = await harness.makeApp()
    const { access_token: token, account } = await connected(app, 'dmitri')
    await connected(app, 'ada', account)
    await connected(app, 'ben', account)
    const { body } = await get(harness, '/profile', token)
    const services = body['services'] as Record<string, { id: string; profile: string; name: string }>
    const others = ['ada', 'dmitri'].map((person) => `${idOf(person)}@${SERVICE}`)
    assert.deepEqual(Object.keys(services), [SERVICE, ...others])
    assert.equal(services[SERVICE]?.profile, `${idOf('ben')}@${SERVICE}`)
    assert.equal(body['handle'], 'ben')
  })

  test('a field that the last one lacks comes from the one before it', async () => {
    const app = await harness.makeApp()
    const { access_token: token, account } = await connected(app, 'ada')
    await connected(app, 'dmitri', account)
    await harness.sql(`update profile set self = '{"handle":"dmitri","name":""}' where native_id = $1`, [
      idOf('dmitri'),
    ])
    const { body } = await get(harness, '/profile', token)
    assert.deepEqual([body['handle'], body['name']], ['dmitri', 'Ada Marlowe'])
  })
})

suite('the proxy right after the profiles of an account changed', () => {
  const asWhom = async (at: Running, token: string, method = 'GET') =>
    personOf((await bodyOf(at, token, method, `/proxy/${SERVICE}/me`))['id'])

  test('a call that filled the caches does not keep the previous profile', async () => {
    const app = await harness.makeApp()
    const { access_token: token, account } = await connected(app, 'ada')
    for (const person of ['finn', 'ada', 'finn', 'ada']) {
      await asWhom(harness, token)
      await connected(app, person, account)
      assert.equal(await asWhom(harness, token), person)
    }
  })

  test('in another process, a write is made as the profile connected last', async () => {
    const app = await harness.makeApp()
    const { access_token: token, account } = await connected(app, 'ada')
    const second = await startSecondServer(harness.tributary, {
      TRIBUTARY_CONNECTORS: CONNECTORS,
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    })
    try {
      const requests = () => harness.lab.services[SERVICE].requests
      const post = async () => {
        requests().clear()
        await send(second, 'POST', `/proxy/${SERVICE}/posts`, { token, json: { message: 'x' } })
      }
      await asWhom(second, token)
      await connected(app, 'finn', account)
      await post()
      assert.equal(await asWhom(second, token), 'finn', 'the write also refreshed what reads use')
    } finally {
      await second.stop()
    }
  })
})

import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { Connector } from '#kit/connector/connector.ts'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { putCredential } from '#store/identity/credentials.ts'
import { holdStatements, watchStatements } from '../../harness/database/statements.ts'
import { until } from '../../harness/until.ts'
import { plain } from './connectors.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

/** Written later, in batches; and what watches over a call that lasts long, as any may on a busy machine. */
const LATER = /^(?:log-accounts|call-insert|proxy-token-used|server-is-sharded|watch-.*)$/
/** What a caller needs that no call was made for within a second. */
const COLD = ['caller-find', 'rate-limit-take']
const LARGE_BODY = 'x'.repeat(300_000)

/** Limits a person, in two windows, and an app. */
const crowded: Connector = {
  ...plain,
  service: 'crowded',
  aliases: [],
  api: {
    ...plain.api,
    limits: {
      person: [
        { calls: 1000, perS: 60 },
        { calls: 10_000, perS: 3600 },
      ],
      app: { calls: 1_000_000, perS: 1 },
    },
  },
}

/** A person may call once in an hour; the app's calls are few enough to see each. */
const narrow: Connector = {
  ...crowded,
  service: 'narrow',
  api: { ...plain.api, limits: { person: { calls: 1, perS: 3600 }, app: { calls: 100, perS: 3600 } } },
}

let upstream: RawUpstream
let harness: ProxyHarness
let nowMs = Date.now()
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness({ clock: { now: () => nowMs }, connectors: [crowded, narrow] })
  // What is looked up once for each process.
  await call((await connect({ service: 'crowded' })).token, 'GET', { service: 'crowded' })
})
after(async () => {
  await harness.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.requests.length = 0
  upstream.response = OK
})

const connect = (more: { nativeId?: string; token?: string; account?: string; service?: string } = {}) => {
  // Connections of one moment would not say which was last.
  nowMs += 1
  const { token = 'of-the-first-0123', ...given } = more
  return harness.connect({ apiUrl: upstream.url, credential: { token }, ...given })
}

interface Called {
  status: number
  reason: string | undefined
}
async function call(token: string, method: string, { service = 'plain', body = 'x' } = {}): Promise<Called> {
  const content = method === 'GET' ? {} : { body }
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${harness.url}/proxy/${service}/x`, { method, headers, ...content })
  const text = await response.text()
  return {
    status: response.status,
    reason: response.ok ? undefined : (JSON.parse(text) as { reason: string }).reason,
  }
}

/** The names of the statements that run meanwhile, sorted. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = []
  const stop = watchStatements(harness.store.database, ({ name }) => {
    if (!LATER.test(name)) names.push(name)
    return undefined
  })
  await work().finally(stop)
  return names.sort()
}

const times = <Result>(count: number, work: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, work))

/** A person all of whose look-ups are cached. */
async function called() {
  const connected = await connect()
  for (const method of ['GET', 'POST']) assert.equal((await call(connected.token, method)).status, 200)
  upstream.requests.length = 0
  return connected
}

suite('the statements of a proxied call', () => {
  test('a caller that was not seen within a second: each look-up once, also for many calls at once', async () => {
    const [one, many] = [await connect(), await connect()]
    assert.deepEqual(await statementsOf(() => call(one.token, 'GET')), COLD)
    // Later, so that the grant of the rate limiter has expired.
    nowMs += 60_000
    assert.deepEqual(await statementsOf(() => times(16, () => call(many.token, 'GET'))), COLD)
    nowMs += 60_000
    assert.deepEqual(await statementsOf(() => call(many.token, 'POST')), COLD)
    nowMs += 60_000
    assert.deepEqual(await statementsOf(() => call(many.token, 'POST', { body: LARGE_BODY })), COLD)
    nowMs += 60_000
    assert.deepEqual(
      await statementsOf(() => call(many.token, 'POST', { service: '42@plain', body: LARGE_BODY })),
      COLD,
    )
  })

  test('several limits are taken from with one statement, on a sharded server with one for each', async () => {
    const { token } = await connect({ service: 'crowded' })
    const taken = (await isSharded(harness.store.database))
      ? Array.from({ length: 3 }, () => 'rate-limit-take')
      : ['rate-limit-take-several']
    nowMs += 60_000
    for (const method of ['GET', 'POST']) {
      const names = await statementsOf(() => call(token, method, { service: 'crowded' }))
      assert.deepEqual(names, ['caller-find', ...taken])
      nowMs += 60_000
    }
  })

  test('many people who call at once: each look-up once for each of them', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => connect({ service: 'crowded' })))
    nowMs += 60_000
    const names = await statementsOf(() =>
      Promise.all(people.map(({ token }) => times(4, () => call(token, 'GET', { service: 'crowded' })))),
    )
    const count = (name: string) => names.filter((each) => each === name).length
    assert.equal(count('caller-find'), people.length)
    if (await isSharded(harness.store.database)) return
    // The app's bucket is taken from by the first, together with the buckets of a person.
    assert.equal(count('rate-limit-take-several'), people.length)
    assert.equal(names.length, 2 * people.length)
  })

  test('a person who keeps calling costs one look-up a second, by reads as by writes', async () => {
    const { token } = await called()
    for (const method of ['GET', 'POST']) {
      nowMs += 1001
      assert.deepEqual(await statementsOf(() => call(token, method)), COLD)
      assert.deepEqual(await statementsOf(() => call(token, method)), method === 'GET' ? [] : ['token-find'])
    }
  })

  test('a read soon afterwards needs none, a write by service name one, and by id@service none', async () => {
    const { token } = await called()
    assert.deepEqual(await statementsOf(() => call(token, 'GET')), [])
    assert.deepEqual(await statementsOf(() => call(token, 'POST')), ['token-find'])
    assert.deepEqual(await statementsOf(() => call(token, 'POST', { service: '42@plain' })), [])
  })

  test('a body that is streamed needs the current credential as well', async () => {
    const { token } = await called()
    const names = await statementsOf(() => call(token, 'POST', { body: LARGE_BODY }))
    assert.deepEqual(names, ['caller-find'])
  })

  test('writes that arrive while another is verified are verified together afterwards', async () => {
    const { token } = await called()
    let held = 0
    const names = await statementsOf(async () => {
      const release = holdStatements(harness.store.database, ({ name }) => name === 'token-find' && (held += 1) > 0)
      const arrived: unknown[] = []
      harness.server.server.on('request', (request) => arrived.push(request))
      const calls = times(16, () => call(token, 'POST'))
      await until('all of them arrived', () => arrived.length === 16)
      assert.equal(held, 1)
      release()
      for (const { status } of await calls) assert.equal(status, 200)
    })
    assert.deepEqual(names, ['token-find', 'token-find'])
  })
})

suite('the statements of a call with a token for one service', () => {
  const calledWithToken = async () => {
    const { token } = await connect()
    const response = await fetch(`${harness.url}/proxy-tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ service: 'plain', methods: ['GET', 'POST'], paths: ['/x'] }),
    })
    return ((await response.json()) as { token: string }).token
  }
  const cold = COLD.map((name) => (name === 'caller-find' ? 'proxy-caller-find' : name)).sort()

  test('are as many as with the token of the account, also in a burst', async () => {
    const [one, many] = [await calledWithToken(), await calledWithToken()]
    nowMs += 60_000
    assert.deepEqual(await statementsOf(() => call(one, 'GET')), cold)
    nowMs += 60_000
    assert.deepEqual(await statementsOf(() => times(16, () => call(many, 'GET'))), cold)
    assert.equal((await call(many, 'POST')).status, 200)
    assert.deepEqual(await statementsOf(() => call(many, 'GET')), [])
    assert.deepEqual(await statementsOf(() => call(many, 'POST')), ['proxy-token-find'])
    assert.deepEqual(await statementsOf(() => call(many, 'POST', { service: '42@plain' })), [])
  })

  test('a refused call needs only the one that finds the token', async () => {
    const token = await calledWithToken()
    const refusal = { status: 403, reason: 'token_restricted' }
    const work = async () => assert.deepEqual(await call(token, 'GET', { service: 'keyed' }), refusal)
    assert.deepEqual(await statementsOf(work), ['proxy-caller-find'])
  })
})

const sql = (text: string, values: unknown[]) => harness.store.database.count({ name: '', text }, values)
const usedToken = () => /Bearer (\S+)/.exec(upstream.requests.at(-1) ?? '')?.[1]

suite('what is read with a cold caller', () => {
  test('is the key and the credential of now, whatever another process stored', async () => {
    const { token, profile } = await called()
    await putCredential(
      harness.store.database,
      harness.store.keyring,
      { shard: profile.shard, profileId: profile.id },
      JSON.stringify({ token: 'of-another-process-0123' }),
      undefined,
      nowMs,
    )
    assert.equal((await call(token, 'GET')).status, 200)
    assert.equal(usedToken(), 'of-the-first-0123', 'cached for a second')
    assert.equal((await call(token, 'POST', { body: LARGE_BODY })).status, 200)
    assert.equal(usedToken(), 'of-another-process-0123', 'a body that can be sent only once')
    nowMs += 1001
    assert.equal((await call(token, 'GET')).status, 200)
    assert.equal(usedToken(), 'of-another-process-0123')
  })

  test('ends with the key of the app', async () => {
    const { token } = await connect({ service: 'crowded' })
    assert.equal((await call(token, 'GET', { service: 'crowded' })).status, 200)
    await sql('delete from service_key where app_id = $1 and service = $2', [harness.appId, 'crowded'])
    nowMs += 1001
    const refused = await call(token, 'GET', { service: 'crowded' })
    assert.deepEqual(refused, { status: 404, reason: 'no_service_keys' })
  })

  test('a credential that is damaged is found out, and the person must sign in again', async () => {
    const { token, profile } = await connect()
    await sql(`update credential set sealed = '\\x00' where shard = $1 and profile_id = $2`, [
      profile.shard,
      profile.id,
    ])
    for (const _time of ['first', 'second'])
      assert.deepEqual(await call(token, 'GET'), { status: 403, reason: 'needs_auth' })
    assert.deepEqual(upstream.requests, [])
  })

  test('a person without calls left takes none of the app', async () => {
    const { token } = await connect({ service: 'narrow' })
    for (const status of [200, 429]) assert.equal((await call(token, 'GET', { service: 'narrow' })).status, status)
    const appCalls = async () => {
      const [row] = await harness.store.database.rows<{ tokens: number }>(
        { name: '', text: 'select tokens from rate_limit where bucket = $1' },
        [`${harness.appId} narrow`],
      )
      return row?.tokens
    }
    const before = await appCalls()
    nowMs += 1001
    for (const _time of ['first', 'second']) assert.equal((await call(token, 'GET', { service: 'narrow' })).status, 429)
    assert.equal(await appCalls(), before)
  })
})

suite('a write by service name sees at once what another process did', () => {
  test('a revoked token', async () => {
    const { token, account } = await called()
    await sql('update access_token set revoked_at = 1 where shard = $1 and account_id = $2', [
      account.shard,
      account.id,
    ])
    assert.deepEqual(await call(token, 'POST'), { status: 401, reason: 'token_invalid' })
    assert.deepEqual(upstream.requests, [])
  })

  test('a revoked token, for the reads that follow, too', async () => {
    const { token, account } = await called()
    await sql('update access_token set revoked_at = 1 where shard = $1 and account_id = $2', [
      account.shard,
      account.id,
    ])
    assert.equal((await call(token, 'POST')).status, 401)
    assert.equal((await call(token, 'GET')).status, 401)
  })

  test('an account that was merged into another', async () => {
    const { token, account } = await called()
    await sql('update account set merged_into = id where shard = $1 and id = $2', [account.shard, account.id])
    assert.deepEqual(await call(token, 'POST'), { status: 401, reason: 'token_invalid' })
  })

  test('a profile that was removed', async () => {
    const { token, profile } = await called()
    await sql('delete from profile where shard = $1 and id = $2', [profile.shard, profile.id])
    assert.deepEqual(await call(token, 'POST'), { status: 404, reason: 'no_profile' })
    assert.deepEqual(upstream.requests, [])
  })

  test('a profile that was merged into another and only keeps its items', async () => {
    const { token, profile } = await called()
    await sql(`update profile set merged_into = 'another' where shard = $1 and id = $2`, [profile.shard, profile.id])
    assert.deepEqual(await call(token, 'POST'), { status: 404, reason: 'no_profile' })
  })

  test('a profile whose person must sign in again', async () => {
    const { token, profile } = await called()
    await sql(`update profile set state = 'needs_auth' where shard = $1 and id = $2`, [profile.shard, profile.id])
    assert.deepEqual(await call(token, 'POST'), { status: 403, reason: 'needs_auth' })
  })

  test('a profile that was connected meanwhile, also for the reads that follow', async () => {
    const { token, account } = await called()
    await connect({ nativeId: '43', token: 'of-the-second-0123', account: account.id })
    assert.equal((await call(token, 'GET')).status, 200)
    assert.equal(usedToken(), 'of-the-first-0123', 'this read is cached')
    for (const method of ['POST', 'GET']) {
      assert.equal((await call(token, method)).status, 200)
      assert.equal(usedToken(), 'of-the-second-0123')
    }
  })

  test('a write that arrives while an older one is verified is not verified by that', async () => {
    const { token, account } = await called()
    const found = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const { database } = harness.store
    const rows = database.rows.bind(database)
    // The first look-up has read, and its rows are on the way.
    database.rows = async (statement, values) => {
      const result = await rows(statement, values)
      if (statement.name !== 'token-find') return result as never
      database.rows = rows
      found.resolve()
      await answered.promise
      return result as never
    }
    const first = call(token, 'POST')
    await found.promise
    await sql('update access_token set revoked_at = 1 where shard = $1 and account_id = $2', [
      account.shard,
      account.id,
    ])
    const arrived = Promise.withResolvers<void>()
    harness.server.server.once('request', () => arrived.resolve())
    const second = call(token, 'POST')
    await arrived.promise
    answered.resolve()
    assert.equal((await first).status, 200)
    assert.equal((await second).status, 401)
  })
})

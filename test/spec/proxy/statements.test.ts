import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { holdStatements, watchStatements } from '../../harness/database/statements.ts'
import { until } from '../../harness/until.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

/** Written later, in batches. */
const OF_THE_LOG = new Set(['log-accounts', 'call-insert'])
/** What a caller needs that no call was made for within a second. */
const COLD = ['credential-find', 'rate-limit-find', 'rate-limit-take', 'service-key-find', 'token-find']
const LARGE_BODY = 'x'.repeat(300_000)

let upstream: RawUpstream
let harness: ProxyHarness
let nowMs = Date.now()
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness({ clock: { now: () => nowMs } })
})
after(async () => {
  await harness.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.requests.length = 0
  upstream.response = OK
})

const connect = (more: { nativeId?: string; token?: string; account?: string } = {}) => {
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
    if (!OF_THE_LOG.has(name)) names.push(name)
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
    assert.deepEqual(names, ['credential-find', 'token-find'])
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

suite('a write by service name sees at once what another process did', () => {
  const sql = (text: string, values: unknown[]) => harness.store.database.count({ name: '', text }, values)
  const usedToken = () => /Bearer (\S+)/.exec(upstream.requests.at(-1) ?? '')?.[1]

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

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { HttpDeps } from '#http/server/deps.ts'
import { createServer } from '#http/server.ts'
import { revokeAnyToken } from '#identity/accounts.ts'
import { disconnectProfiles, eraseAccount } from '#identity/disconnect.ts'
import { mergeAccounts } from '#identity/merge.ts'
import { lockAccount } from '#store/identity/accounts.ts'
import { createOperationLog } from '#store/log/operation-log.ts'
import { closed } from '../../../harness/closed.ts'
import { purgeExpired } from '../../../harness/maintenance.ts'
import { rawClient } from '../../operating/raw-http.ts'
import { type ProxyHarness, startProxyHarness } from '../fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from '../raw-upstream.ts'
import { type Requests, requestsOf } from './requests.ts'

const HOUR_S = 3600

let upstream: RawUpstream
let harness: ProxyHarness
/** Another process on the same database. */
let other: ReturnType<typeof createServer>
let requests: Requests
let elsewhere: Requests
let nowMs = Date.now()
before(async () => {
  upstream = await startRawUpstream()
  harness = await startProxyHarness({ clock: { now: () => nowMs } })
  other = createServer(harness.deps as unknown as HttpDeps)
  requests = requestsOf(harness.url)
  elsewhere = requestsOf(await other.listen({ port: 0, host: '127.0.0.1' }))
})
after(async () => {
  const ended = other.close()
  other.closeConnections('all')
  await ended
  await harness.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.requests.length = 0
  upstream.response = OK
})

const connect = (
  more: { nativeId?: string; service?: string; account?: string; credential?: { token: string } } = {},
) => {
  // Connections of one moment would not say which was last.
  nowMs += 1
  return harness.connect({ apiUrl: upstream.url, ...more })
}
const sql = (text: string, values: unknown[] = []) => harness.store.database.rows({ name: '', text }, values)
const rowsOf = async (accountId: string) =>
  (await sql('select 1 from proxy_token where account_id = $1', [accountId])).length
const purge = () => purgeExpired({ database: harness.store.database, clock: harness.store.clock })
/** What is cached for a second is read again. */
const later = () => {
  nowMs += 1001
}
const merge = (source: string, dest: string) =>
  mergeAccounts({ ...harness.deps, operations: createOperationLog(harness.store) }, source, dest)

interface Way {
  by: string
  request: object
  end: (given: { token: string; accountId: string; made: { id: string; token: string } }) => unknown
}

const WAYS: Way[] = [
  {
    by: 'itself, in another process',
    request: { service: 'plain' },
    end: ({ token, made }) => elsewhere.revoke(token, made.id),
  },
  {
    by: 'anybody who has it',
    request: { service: 'plain' },
    end: ({ made }) => elsewhere.send('POST', '/oauth/revoke', undefined, { token: made.token }),
  },
  {
    by: 'the app, for an account',
    request: { service: 'plain' },
    end: ({ accountId, made }) => elsewhere.byApp(harness, 'DELETE', `/accounts/${accountId}/proxy-tokens/${made.id}`),
  },
  {
    by: 'the command line',
    request: { service: 'plain' },
    end: ({ made }) => revokeAnyToken(harness.store, made.token),
  },
  {
    by: 'the end of the access token that made it',
    request: { service: 'plain' },
    end: ({ token }) => elsewhere.send('POST', '/oauth/revoke', undefined, { token }),
  },
  {
    by: 'its expiry',
    request: { service: 'plain', expires_in: HOUR_S },
    end: () => {
      nowMs += HOUR_S * 1000
    },
  },
  {
    by: 'the disconnection of its profile',
    request: { service: '42@plain' },
    end: ({ accountId }) => disconnect(accountId),
  },
  {
    by: 'a merge of its account into another',
    request: { service: 'plain' },
    end: async ({ token }) => merge(token, (await connect({ nativeId: '43' })).token),
  },
  {
    by: 'a process of an older release that merged its account',
    request: { service: 'plain' },
    end: ({ accountId }) => sql('update account set merged_into = id where id = $1', [accountId]),
  },
]

async function disconnect(accountId: string): Promise<void> {
  const [row] = (await sql('select shard from account where id = $1', [accountId])) as { shard: number }[]
  const account = { shard: row!.shard, id: accountId, appId: harness.appId, shards: [row!.shard], createdAt: 0 }
  await disconnectProfiles(harness.deps, account, 'plain', 'test')
}

suite('a token for one service ends', () => {
  for (const { by, request, end } of WAYS)
    test(`by ${by}: calls are refused, and one in progress is cut off`, async () => {
      const { token, account } = await connect()
      const made = await requests.make(token, request)
      assert.equal(await requests.call(made.token), 'ok')
      assert.equal(await elsewhere.call(made.token), 'ok')
      const called = Promise.withResolvers<Socket>()
      upstream.response = (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmore\r\n')
        called.resolve(socket)
      }
      const client = await rawClient(harness.url)
      client.send(`GET /proxy/plain/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${made.token}\r\n\r\n`)
      await once(client.socket, 'data')
      const atService = closed(await called.promise)
      await end({ token, accountId: account.id, made })
      await client.ended
      await atService
      upstream.requests.length = 0
      upstream.response = OK
      for (const each of [requests, elsewhere]) {
        assert.equal(await each.call(made.token, { method: 'POST' }), '401 token_invalid', 'a write knows it at once')
        later()
        assert.equal(await each.call(made.token), '401 token_invalid')
      }
      assert.deepEqual(upstream.requests, [])
      await purge()
      assert.equal(await rowsOf(account.id), 0)
    })

  test('at its time, also for calls that are cached and for a body that is still on its way', async () => {
    const { token } = await connect()
    const made = await requests.make(token, { service: 'plain', expires_in: HOUR_S })
    nowMs += HOUR_S * 1000 - 10
    assert.equal(await requests.call(made.token), 'ok')
    const client = await rawClient(harness.url)
    const head = ['POST /proxy/plain/up HTTP/1.1', 'Host: x', `Authorization: Bearer ${made.token}`]
    client.send([...head, 'Content-Length: 1000000', '', ''].join('\r\n'))
    client.socket.write(Buffer.alloc(300_000))
    await requests.until('the call has begun', () => upstream.connections() > 0)
    nowMs += 10
    assert.equal(await requests.call(made.token), '401 token_invalid')
    await client.ended
    assert.ok(
      upstream.requests.every((request) => !request.startsWith('POST')),
      'no whole upload',
    )
    assert.deepEqual(await requests.list(token), [])
  })

  test('with its account, and with its app', async () => {
    const { token, account } = await connect()
    const made = await requests.make(token)
    await harness.store.database.transaction(async (tx) => {
      const locked = await lockAccount(tx, account.shard, account.id)
      await eraseAccount(harness.deps, tx, locked!, 'test')
    })
    assert.equal(await rowsOf(account.id), 0)
    later()
    assert.equal(await requests.call(made.token), '401 token_invalid')
    const { token: second } = await connect()
    const left = await requests.make(second)
    await sql('update app set deleting_at = 1 where id = $1', [harness.appId])
    try {
      assert.equal(await requests.call(left.token, { method: 'POST' }), '401 token_invalid')
    } finally {
      await sql('update app set deleting_at = null where id = $1', [harness.appId])
    }
    assert.equal(await requests.call(left.token, { method: 'POST' }), 'ok')
  })

  test('not with another token, profile or account', async () => {
    const { token, account } = await connect()
    await connect({ service: 'keyed', account: account.id })
    const [made, revoked] = [await requests.make(token), await requests.make(token)]
    const ofApp = await requests.byApp(harness, 'POST', `/accounts/${account.id}/proxy-tokens`, { service: '42@plain' })
    await requests.revoke(token, revoked.id)
    const again = await requests.send('DELETE', `/proxy-tokens/${revoked.id}`, token)
    assert.deepEqual([again.status, again.body?.reason], [404, 'not_found'])
    await disconnectProfiles(harness.deps, account, 'keyed', 'test')
    // As a wrong app: RFC 7009 2.2, nothing happens.
    const basic = { authorization: `Basic ${btoa('app_none:secret')}` }
    await requests.send('POST', '/oauth/revoke', undefined, { token: made.token }, basic)
    later()
    assert.equal(await requests.call(made.token), 'ok')
    await requests.send('POST', '/oauth/revoke', undefined, { token })
    later()
    assert.equal(await requests.call(made.token), '401 token_invalid')
    assert.equal(await requests.call(String(ofApp.body!['token'])), 'ok', 'the app made it, not the token')
    await purge()
    assert.equal(await rowsOf(account.id), 1)
  })

  test('a profile that is connected again has other tokens; one of the service means the new profile', async () => {
    const { token, account } = await connect()
    const [ofProfile, ofService] = [await requests.make(token, { service: '42@plain' }), await requests.make(token)]
    await disconnectProfiles(harness.deps, account, 'plain', 'test')
    later()
    assert.equal(await requests.call(ofService.token), '404 no_profile')
    await connect({ account: account.id })
    later()
    assert.equal(await requests.call(ofService.token), 'ok')
    assert.equal(await requests.call(ofProfile.token), '401 token_invalid')
    assert.deepEqual(
      (await requests.list(token)).map(({ id }) => id),
      [ofService.id],
    )
  })
})

suite('accounts that are merged', () => {
  const usedToken = () => /of-(?:ada|bob)-0123/.exec(upstream.requests.at(-1) ?? '')?.[0]

  test('tokens of the one that ends call nobody, and those of the other nobody else', async () => {
    const ada = await connect({ nativeId: 'ada', credential: { token: 'of-ada-0123' } })
    const bob = await connect({ nativeId: 'bob', credential: { token: 'of-bob-0123' } })
    const ofAda = await requests.make(ada.token, { service: 'ada@plain' })
    const ofAdaToo = await requests.make(ada.token)
    const [ofBob, ofBobToo] = [await requests.make(bob.token, { service: 'bob@plain' }), await requests.make(bob.token)]
    for (const { token } of [ofAda, ofAdaToo, ofBob, ofBobToo]) assert.equal(await requests.call(token), 'ok')
    await merge(bob.token, ada.token)
    for (const { token } of [ofBob, ofBobToo])
      for (const service of ['plain', 'bob@plain', 'ada@plain'])
        assert.equal(await elsewhere.call(token, { method: 'POST', service }), '401 token_invalid')
    assert.equal(await rowsOf(bob.account.id), 0)
    for (const service of ['plain', 'ada@plain']) {
      assert.equal(await requests.call(ofAda.token, { method: 'POST', service }), 'ok')
      assert.equal(usedToken(), 'of-ada-0123')
    }
    assert.equal(await requests.call(ofAda.token, { method: 'POST', service: 'bob@plain' }), '403 token_restricted')
    // As with the token of the account, the name of the service means the profile that was connected last.
    assert.equal(await requests.call(ofAdaToo.token, { method: 'POST' }), 'ok')
    assert.equal(usedToken(), 'of-bob-0123')
  })

  test('of one person: the token of the profile that stays goes on', async () => {
    const [source, dest] = [await connect({ nativeId: 'both' }), await connect({ nativeId: 'both' })]
    const [ends, stays] = [
      await requests.make(source.token, { service: 'both@plain' }),
      await requests.make(dest.token, { service: 'both@plain' }),
    ]
    await merge(source.token, dest.token)
    assert.equal(await requests.call(ends.token, { method: 'POST' }), '401 token_invalid')
    assert.equal(await requests.call(stays.token, { method: 'POST' }), 'ok')
    assert.equal((await requests.list(dest.token))[0]?.service, 'both@plain')
  })
})

suite('a process that starts, and an older one', () => {
  test('a token is known after a restart', async () => {
    const { token } = await connect()
    const made = await requests.make(token, { service: 'plain', paths: ['/me'] })
    const restarted = createServer(harness.deps as unknown as HttpDeps)
    const after = requestsOf(await restarted.listen({ port: 0, host: '127.0.0.1' }))
    try {
      assert.equal(await after.call(made.token, { path: '/me' }), 'ok')
      assert.equal(await after.call(made.token, { path: '/you' }), '403 token_restricted')
    } finally {
      const ended = restarted.close()
      restarted.closeConnections('all')
      await ended
    }
  })

  test('what an older release leaves behind is removed: tokens of accounts that it erased or merged', async () => {
    const [erased, merged, kept] = [await connect(), await connect(), await connect()]
    for (const { token } of [erased, merged, kept]) await requests.make(token)
    await sql('delete from account where id = $1', [erased.account.id])
    await sql('update account set merged_into = $2 where id = $1', [merged.account.id, kept.account.id])
    assert.ok((await purge()).proxy_tokens >= 2)
    assert.deepEqual(await Promise.all([erased, merged, kept].map(({ account }) => rowsOf(account.id))), [0, 0, 1])
  })

  test('calls that an older release logged have no token', async () => {
    const { account } = await connect()
    await sql(
      `insert into call_log (shard, id, app_id, account_id, at, method, service, path, status, ms, bytes, refreshed, retried,
         request_id) values ($1, 'zz-old', $2, $3, $4, 'GET', 'plain', '/old', 200, 1, 1, false, false, 'r')`,
      [account.shard, harness.appId, account.id, nowMs],
    )
    const { body } = await harness.admin(`/admin/apps/${harness.appId}/calls?limit=1`)
    const [call] = body as { path: string; token_id?: string }[]
    assert.deepEqual([call?.path, call?.token_id], ['/old', undefined])
    await sql(`delete from call_log where id = 'zz-old'`)
  })
})

suite('what was called with a token', () => {
  interface Logged {
    path: string
    status: number
    token_id?: string
    account: string
  }
  const calls = async (account: string) =>
    ((await harness.admin(`/admin/apps/${harness.appId}/calls?limit=1000`)).body as Logged[])
      .filter((call) => call.account === account)
      .toReversed()

  test('is in the log, with refused calls, and found by the id of the token', async () => {
    const { token, account } = await connect()
    const made = await requests.make(token, { service: 'plain', paths: ['/me'] })
    for (const path of ['/me', '/you']) await requests.call(made.token, { path })
    await requests.call(token, { path: '/me' })
    const logged = await requests.until(
      'all are logged',
      () => calls(account.id),
      ({ length }) => length === 3,
    )
    assert.deepEqual(
      logged.map(({ path, status, token_id }) => [path, status, token_id === made.id]),
      [
        ['/me', 200, true],
        ['/you', 403, true],
        ['/me', 200, false],
      ],
    )
    assert.match(logged[2]!.token_id!, /^[0-9a-z]{16}$/)
    const found = await harness.admin(`/admin/apps/${harness.appId}/log?q=${made.id}`)
    const { operations } = found.body as { operations: { id: string; summary: string }[] }
    assert.deepEqual(
      operations.map(({ summary }) => summary),
      ['GET /you → 403', 'GET /me → 200'],
    )
    const shown = await harness.admin(`/admin/apps/${harness.appId}/log/${operations[0]!.id}`)
    assert.equal((shown.body as { steps: { detail: { token_id: string } }[] }).steps[0]!.detail.token_id, made.id)
  })
})

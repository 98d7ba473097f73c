import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accountOf } from '#identity/accounts.ts'
import { readAccessToken } from '#model/accounts/access-token.ts'
import type { Database } from '#platform/postgres/database.ts'
import { basic } from '../../harness/app.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, signIn } from '../../harness/sign-in.ts'
import { assertRefused, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

suite('S15 access tokens', () => {
  test('are short, new each time, sortable by time, and older ones stay valid', async () => {
    const granted: Granted[] = []
    for (let i = 0; i < 4; i += 1) granted.push(await signIn(harness, 'demo-social', 'ada'))
    const tokens = granted.map(({ access_token: token }) => token)
    assert.equal(new Set(tokens).size, 4)
    const times = tokens.map((token) => readAccessToken(token)!.issuedAt)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    for (const token of tokens) {
      assert.ok(token.length < 255)
      assert.equal((await get(harness, '/profiles', token)).body['id'], granted[0]!.account)
    }
  })

  test('one wrong character is rejected without a database query', async () => {
    const { access_token: token } = await signIn(harness, 'demo-social', 'ada')
    const untouchable = new Proxy({} as Database, {
      get: () => assert.fail('the database was queried'),
    })
    const { hasher } = harness.tributary.store
    for (let at = 0; at < token.length; at += 1) {
      const wrong = `${token.slice(0, at)}${token[at] === '0' ? '1' : '0'}${token.slice(at + 1)}`
      assert.equal(await accountOf({ database: untouchable, hasher }, wrong), undefined)
    }
  })

  test('are stored as keyed hashes that differ from any plain hash', async () => {
    const { createHash } = await import('node:crypto')
    const { access_token: token } = await signIn(harness, 'demo-social', 'ada')
    const plain = createHash('sha256').update(token).digest()
    assert.deepEqual(await harness.sql('select 1 from access_token where hash = $1', [plain]), [])
  })
})

suite('S16 an ended token is refused everywhere, at once', () => {
  const ENDPOINTS = [
    ['GET', '/profiles'],
    ['GET', '/profile'],
    ['GET', '/profiles/demo-social'],
    ['DELETE', '/profiles/demo-social'],
    ['DELETE', '/profiles'],
  ] as const

  const ends: Record<string, (granted: Granted) => Promise<unknown>> = {
    revoked: ({ access_token: token }) =>
      send(harness, 'POST', '/oauth/revoke', { form: { token }, headers: basic(harness.app) }),
    merged: async ({ access_token: source }) => {
      const { access_token: dest } = await signIn(harness, 'demo-micro', 'finn')
      await send(harness, 'POST', '/auth/merge', { form: { source, dest } })
    },
    erased: ({ access_token: token }) => send(harness, 'DELETE', '/profiles', { token }),
  }
  for (const [what, end] of Object.entries(ends)) {
    test(what, async () => {
      const granted = await signIn(harness, 'demo-social', 'ben')
      await end(granted)
      const token = granted.access_token
      for (const [method, path] of ENDPOINTS) {
        assertRefused(await send(harness, method, path, { token }), 401, 'token_invalid')
        assertRefused(await send(harness, method, path, { query: { access_token: token } }), 401, 'token_invalid')
      }
      const live = await signIn(harness, 'demo-social', 'chloe')
      for (const form of [
        { source: token, dest: live.access_token },
        { source: live.access_token, dest: token },
      ])
        assertRefused(await send(harness, 'POST', '/auth/merge', { form }), 401, 'token_invalid')
      const start = harness.startUrl('demo-social', { access_token: token }).slice(harness.tributary.url.length)
      const response = await send(harness, 'GET', start)
      assert.match(response.headers.get('location') ?? '', /error=invalid_access_token/)
    })
  }

  test('when the app is deleted, its tokens and codes are refused', async () => {
    const app = await harness.makeApp()
    const granted = await signIn(harness, 'demo-social', 'esra', {}, app)
    await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}?erase=true`)
    assertRefused(await send(harness, 'GET', '/profiles', { token: granted.access_token }), 401, 'token_invalid')
  })
})

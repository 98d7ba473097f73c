import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { authenticateApp } from '#flows/apps/authenticate-app.ts'
import { ApiError } from '#model/errors.ts'
import type { Database, Statement } from '#platform/postgres/database.ts'
import type { Hasher } from '#store/vault.ts'
import { basic } from '../../harness/app.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { newCode } from '../../harness/sign-in.ts'
import { assertRefused, startQuietHarness, withoutRequestId } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness({ TRUST_PROXY: '127.0.0.1' })
})
after(() => harness.stop())

/** The steps of checking a secret: each statement, and each comparison with the lengths compared. */
async function stepsOf(clientId: string, secret: string): Promise<string[]> {
  const { database, hasher, clock } = harness.tributary.store
  const steps: string[] = []
  const watched: Database = {
    ...database,
    rows: (statement: Statement, values) => {
      steps.push(statement.name)
      return database.rows(statement, values)
    },
    count: (statement: Statement, values) => {
      steps.push(statement.name)
      return database.count(statement, values)
    },
  }
  const watchedHasher = {
    matches: (purpose: string, value: string, hash: Uint8Array) => {
      steps.push(`compare ${hash.length} bytes for ${purpose}`)
      return hasher.matches(purpose, value, hash)
    },
  } as Hasher
  await authenticateApp({ database: watched, hasher: watchedHasher, clock }, clientId, secret, '192.0.2.1').catch(
    (error: unknown) => assert.ok(error instanceof ApiError),
  )
  await database.count({ name: 'test-forget', text: 'delete from attempt' })
  return steps
}

// Timing on a shared machine mostly measures the machine, so these tests show that the work is the same.
suite('S20 a refusal reveals nothing about the guess', () => {
  test('an unknown app, a wrong secret and a nearly right one take the same steps', async () => {
    const { clientId, secret } = harness.app
    const wrong = await stepsOf(clientId, 'wrong')
    assert.ok(wrong.includes('compare 32 bytes for app_secret'))
    for (const guess of [
      secret.slice(0, -1),
      `${secret}x`,
      `${secret[0]}${'x'.repeat(secret.length - 1)}`,
      'x'.repeat(2000),
    ])
      assert.deepEqual(await stepsOf(clientId, guess), wrong)
    for (const unknown of ['app_unknown', clientId.toUpperCase(), 'x'.repeat(500)])
      assert.deepEqual(await stepsOf(unknown, secret), wrong)
  })

  test('keyed hashes are compared: a guess with the same beginning shares nothing with the stored hash', () => {
    const { hasher } = harness.tributary.store
    const right = hasher.hash('app_secret', harness.app.secret)
    for (let length = 1; length < harness.app.secret.length; length += 1) {
      const similar = hasher.hash('app_secret', `${harness.app.secret.slice(0, length)}~`)
      assert.ok(similar.subarray(0, 4).compare(right.subarray(0, 4)) !== 0)
    }
  })

  test('the responses are identical', async () => {
    const request = (clientId: string, secret: string, from: string) =>
      send(harness, 'POST', '/oauth/revoke', {
        form: { token: 'x' },
        headers: { ...basic({ clientId, secret }), 'x-forwarded-for': from },
      })
    const known = await request(harness.app.clientId, 'wrong', '203.0.113.8')
    const unknown = await request('app_unknown', 'wrong', '203.0.113.9')
    assert.equal(withoutRequestId(known), withoutRequestId(unknown))
    assert.equal(known.status, unknown.status)
    const names = (response: typeof known) => [...response.headers.keys()].join()
    assert.equal(names(known), names(unknown))
  })
})

/** As docs/limits.md promises. Not read from the code, so that a test fails when somebody raises them. */
const PER_APP = 30
const PER_ADDRESS = 100

suite('S21 guessing is blocked', () => {
  const guess = (path: string, from: string, clientId: string, secret: string) =>
    send(harness, 'POST', path, {
      form: { token: 'x', code: 'x' },
      headers: { ...basic({ clientId, secret }), 'x-forwarded-for': from },
    })
  /** A window of a minute can end in between, so twice the limit must be enough. */
  const guessUntilStopped = async (limit: number, request: (n: number) => ReturnType<typeof guess>) => {
    for (let n = 1; n <= limit * 2 + 1; n += 1) {
      const response = await request(n)
      if (response.status === 429) return { response, after: n }
    }
    return assert.fail('never stopped')
  }

  for (const path of ['/oauth/access_token', '/oauth/revoke', '/auth/demo-social/apply']) {
    test(`${path}: one app from one address`, async () => {
      const from = `203.0.113.${20 + path.length}`
      const stopped = await guessUntilStopped(PER_APP, (n) => guess(path, from, harness.app.clientId, `g${n}`))
      assert.ok(stopped.after > PER_APP)
      assertRefused(stopped.response, 429, 'too_many_attempts')
      const [ofApp, ofAddress] = (stopped.response.headers.get('ratelimit-policy') ?? '').split(', ')
      assert.deepEqual(
        [ofApp, ofAddress],
        [`"wrong-secrets";q=${PER_APP};w=60`, `"wrong-secrets-of-address";q=${PER_ADDRESS};w=60`],
      )
      const wait = Number(stopped.response.headers.get('retry-after'))
      assert.ok(wait >= 1 && wait <= 60)
      const right = await guess('/oauth/revoke', from, harness.app.clientId, harness.app.secret)
      assert.equal(right.status, 429, 'also the right secret has to wait there')
      const elsewhere = await guess('/oauth/revoke', '203.0.113.99', harness.app.clientId, harness.app.secret)
      assert.equal(elsewhere.status, 200, 'and works from elsewhere')
    })
  }

  test('many apps from one address', async () => {
    const stopped = await guessUntilStopped(PER_ADDRESS, (n) => guess('/oauth/revoke', '203.0.113.77', `app_${n}`, 'x'))
    assert.ok(stopped.after > PER_ADDRESS)
  })

  test('an unknown code does not count as a wrong secret', async () => {
    for (let n = 0; n < PER_APP + 5; n += 1)
      assert.equal(
        (await guess('/oauth/access_token', '203.0.113.78', harness.app.clientId, harness.app.secret)).status,
        400,
      )
    assert.match(await newCode(harness, 'demo-social', 'ada'), /^trc_/)
  })
})

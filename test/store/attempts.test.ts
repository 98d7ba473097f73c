import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { authenticateApp } from '#flows/apps/authenticate-app.ts'
import { ATTEMPTS, limitGuesses } from '#flows/apps/limit-guesses.ts'
import { ApiError } from '#model/errors.ts'
import type { Database } from '#platform/postgres/database.ts'
import { insertApp } from '#store/apps/apps.ts'
import { countAttempts, purgeAttempts, releaseAttempts, reserveAttempts } from '#store/apps/attempts.ts'
import { migrate } from '#store/migrate.ts'
import { Hasher } from '#store/vault.ts'
import { purgeExpired } from '../harness/maintenance.ts'
import { type Opened, openPrepared } from './opened.ts'

let opened: Opened
before(async () => {
  opened = await openPrepared()
  await migrate(opened.database, 1)
})
after(() => opened.close())

const refused = (reason: string) => (error: unknown) => error instanceof ApiError && error.reason === reason

const add = (database: Database, subject: string, window: number) => reserveAttempts(database, [subject], window)
const count = async (database: Database, subject: string, window: number) =>
  (await countAttempts(database, [subject], window)).get(subject) ?? 0

suite('failed attempts', () => {
  test('are counted per subject and window, over all processes', async () => {
    const other = opened.another()
    const counts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => add(i % 2 ? other : opened.database, 'ann', 60_000)),
    )
    const numbers = counts.map((each) => each.get('ann')!).toSorted((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 20 }, (_, i) => i + 1),
      'each attempt gets its own number',
    )
    assert.equal(await count(other, 'ann', 60_000), 20)
    assert.equal(await count(other, 'ann', 120_000), 0)
    assert.equal(await count(other, 'bob', 60_000), 0)
    await add(other, 'ann', 120_000)
    assert.equal(await count(other, 'ann', 120_000), 1)
  })

  test('are subtracted again when they were right, in their own window alone', async () => {
    await reserveAttempts(opened.database, ['a', 'a b'], 60_000)
    await releaseAttempts(opened.database, ['a', 'a b'], 120_000)
    assert.equal(await count(opened.database, 'a', 60_000), 1)
    for (let i = 0; i < 3; i += 1) await releaseAttempts(opened.database, ['a', 'a b'], 60_000)
    assert.equal(await count(opened.database, 'a b', 60_000), 0, 'never below nothing')
  })

  test('are deleted after their window', async () => {
    await add(opened.database, 'old', 1000)
    await add(opened.database, 'new', 10_000_000)
    assert.equal((await purgeAttempts(opened.database, 5000)).done, 1)
    assert.equal(await count(opened.database, 'new', 10_000_000), 1)
    const { attempts } = await purgeExpired({ database: opened.database, clock: { now: () => 10_000_000 + 3_600_001 } })
    assert.equal(attempts >= 1, true)
    assert.equal(await count(opened.database, 'new', 10_000_000), 0)
  })
})

suite('authentication of an app', () => {
  let now = 1_000 * 60_000
  const deps = () => ({ database: opened.database, hasher: new Hasher('pepper'), clock: { now: () => now } })
  before(async () => {
    const hash = new Hasher('pepper').hash('app_secret', 'right')
    const app = {
      id: 'app',
      name: 'n',
      redirectUris: [],
      tokenFlow: true,
      isPublic: false,
      apply: 'proven' as const,
      createdAt: 1,
    }
    await insertApp(opened.database, app, { id: 's', hash, createdAt: 1, expiresAt: undefined })
  })

  test('accepts its secret and nothing else', async () => {
    assert.equal((await authenticateApp(deps(), 'app', 'right', '10.0.0.1')).id, 'app')
    for (const [id, secret] of [
      ['app', 'wrong'],
      ['app', ''],
      ['app', 'Right'],
      ['nobody', 'right'],
      ['', 'right'],
      ['app', 'right '],
    ] as const)
      await assert.rejects(authenticateApp(deps(), id, secret, '10.0.0.1'), refused('app_secret_invalid'))
  })

  test('refuses an address that guessed too often, until the next minute', async () => {
    now += 60_000
    for (let i = 0; i < ATTEMPTS.perSubject; i += 1)
      await assert.rejects(authenticateApp(deps(), 'app', `wrong ${i}`, '10.0.0.2'), refused('app_secret_invalid'))
    now += 15_500
    await assert.rejects(authenticateApp(deps(), 'app', 'right', '10.0.0.2'), (error) => {
      assert.equal((error as ApiError).retryAfterS, 45)
      return refused('too_many_attempts')(error)
    })
    assert.equal((await authenticateApp(deps(), 'app', 'right', '10.0.0.3')).id, 'app', 'others are not locked out')
    now += 44_500
    assert.equal((await authenticateApp(deps(), 'app', 'right', '10.0.0.2')).id, 'app')
  })

  test('refuses an address that tries one secret on many apps', async () => {
    now += 60_000
    for (let i = 0; i < ATTEMPTS.perAddress; i += 1)
      await assert.rejects(authenticateApp(deps(), `app_${i}`, 'x', '10.0.0.4'), refused('app_secret_invalid'))
    await assert.rejects(authenticateApp(deps(), 'app', 'right', '10.0.0.4'), refused('too_many_attempts'))
  })

  test('a subject of any length or spelling is one subject', async () => {
    now += 60_000
    const subject = 'é"\\%'.repeat(500)
    const guess = (name: string) =>
      limitGuesses(
        deps(),
        { subject: name, address: '10.0.0.5' },
        () => new ApiError('app_secret_invalid'),
        async () => undefined,
      )
    for (let i = 0; i < ATTEMPTS.perSubject; i += 1) await assert.rejects(guess(subject), refused('app_secret_invalid'))
    await assert.rejects(guess(subject), refused('too_many_attempts'))
    await assert.rejects(guess('another'), refused('app_secret_invalid'))
  })

  test('two processes together compare no more than the limit', async () => {
    now += 60_000
    const other = { ...deps(), database: opened.another() }
    const reasons = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        authenticateApp(i % 2 ? other : deps(), 'app', `wrong ${i}`, '10.0.0.6').then(
          () => 'let in',
          (error: unknown) => (error as ApiError).reason,
        ),
      ),
    )
    assert.equal(reasons.filter((reason) => reason === 'app_secret_invalid').length, ATTEMPTS.perSubject)
    assert.equal(reasons.filter((reason) => reason === 'too_many_attempts').length, 100 - ATTEMPTS.perSubject)
  })
})

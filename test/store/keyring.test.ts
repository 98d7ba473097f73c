import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { keyFilePath, openKeyFile, readKeyFile } from '#config/key-file.ts'
import { pruneKeyring, rotateKeyring } from '#flows/operations/keyring.ts'
import { systemClock } from '#platform/clock.ts'
import { Keyring } from '#platform/crypto/sealing.ts'
import { SetupError } from '#platform/errors.ts'
import { type Database, statement } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { insertApp } from '#store/apps/apps.ts'
import { findServiceKey, putServiceKey } from '#store/apps/service-keys.ts'
import { migrate } from '#store/migrate.ts'
import { findStale, reseal } from '#store/reseal.ts'
import { openHasher } from '#store/vault.ts'
import { type Opened, openPrepared } from './opened.ts'

const KEYS = 250
const log = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })
const quiet = { clock: systemClock, log }
let opened: Opened
let folder: string

beforeEach(async () => {
  opened = await openPrepared()
  folder = mkdtempSync(join(tmpdir(), 'tributary-keyring-'))
  await migrate(opened.database, 1)
})
afterEach(async () => {
  await opened.close()
  rmSync(folder, { recursive: true })
})

/** Opens the keyring as a separate process does: keys from the file, read again when a value names an unknown key. */
function openKeyring(): Keyring {
  return new Keyring(openKeyFile(folder).keys, () => readKeyFile(keyFilePath(folder))?.keys)
}

const serviceKey = (n: number) => ({ service: `s${n}`, key: 'k', scope: undefined, overrides: {}, updatedAt: 1 })

async function fill(keyring: Keyring): Promise<void> {
  const app = {
    id: 'app',
    name: 'n',
    redirectUris: [],
    tokenFlow: true,
    isPublic: false,
    apply: 'proven' as const,
    createdAt: 1,
  }
  await insertApp(opened.database, app, { id: 's', hash: Buffer.alloc(32), createdAt: 1, expiresAt: undefined })
  await opened.database.transaction(async (tx) => {
    for (let n = 0; n < KEYS; n += 1) await putServiceKey(tx, keyring, 'app', serviceKey(n), `secret ${n}`)
  })
}

async function assertAllOpen(keyring: Keyring, except: Map<number, string> = new Map()): Promise<void> {
  for (let n = 0; n < KEYS; n += 1) {
    const found = await findServiceKey(opened.database, keyring, 'app', `s${n}`)
    assert.equal(found?.secret, except.get(n) ?? `secret ${n}`)
  }
}

suite('rotating the keyring', () => {
  test('reseals everything, keeps every hash valid, and allows the old key to be dropped', async () => {
    const keyring = openKeyring()
    const hasher = await openHasher(opened.database, keyring)
    await fill(keyring)
    const [old] = openKeyFile(folder).keys
    const done = await rotateKeyring(
      { ...quiet, database: opened.database, keyring, keyFile: keyFilePath(folder) },
      () => {},
    )
    assert.deepEqual(done, { newKey: true, resealed: KEYS + 1, unreadable: [] })
    assert.equal((await findStale(opened.database, keyring)).needed, 0)
    assert.deepEqual(
      await pruneKeyring(
        { ...quiet, database: opened.database, keyring, keyFile: keyFilePath(folder) },
        { atOnce: true },
      ),
      { dropped: 1, unreadable: [] },
    )
    const { keys } = openKeyFile(folder)
    assert.equal(keys.length, 1)
    assert.notDeepEqual(keys[0], old)
    const fresh = openKeyring()
    await assertAllOpen(fresh)
    assert.deepEqual((await openHasher(opened.database, fresh)).hash('x', 'y'), hasher.hash('x', 'y'))
  })

  test('under reads and writes of other processes fails none of them and loses nothing', async () => {
    const rotating = openKeyring()
    await fill(rotating)
    const others = [openKeyring(), openKeyring()]
    const written = new Map<number, string>()
    const load = { over: false }
    const readers = others.map(async (keyring, worker) => {
      const database = opened.another()
      for (let n = worker; !load.over; n = (n + 2) % KEYS) {
        if (n % 5 === worker) {
          written.set(n, `written by ${worker}`)
          await putServiceKey(database, keyring, 'app', serviceKey(n), `written by ${worker}`)
        } else {
          const found = await findServiceKey(database, keyring, 'app', `s${n}`)
          assert.equal(found?.secret, written.get(n) ?? `secret ${n}`)
        }
      }
    })
    for (let i = 0; i < 3; i += 1)
      await rotateKeyring(
        { ...quiet, database: opened.database, keyring: rotating, keyFile: keyFilePath(folder) },
        () => {},
      )
    load.over = true
    await Promise.all(readers)
    await assertAllOpen(openKeyring(), written)
  })

  test('can be interrupted, and resumes with the same key', async () => {
    const keyring = openKeyring()
    await openHasher(opened.database, keyring)
    await fill(keyring)
    const stopped = rotateKeyring(
      { ...quiet, database: opened.database, keyring, keyFile: keyFilePath(folder) },
      (done) => {
        if (done > 200) throw new Error('killed')
      },
    )
    await assert.rejects(stopped, /killed/)
    const { needed: left } = await findStale(opened.database, keyring)
    assert.ok(left > 0 && left < KEYS, String(left))
    const afterwards = openKeyring()
    await assertAllOpen(afterwards)
    await assert.rejects(
      pruneKeyring(
        { ...quiet, database: opened.database, keyring: afterwards, keyFile: keyFilePath(folder) },
        { atOnce: true },
      ),
      (error) => error instanceof SetupError && error.code === 'keys_in_use',
    )
    assert.equal(openKeyFile(folder).keys.length, 2)
    const resumed = await rotateKeyring(
      { ...quiet, database: opened.database, keyring: afterwards, keyFile: keyFilePath(folder) },
      () => {},
    )
    assert.deepEqual(resumed, { newKey: false, resealed: left, unreadable: [] })
    await assertAllOpen(openKeyring())
  })

  test('by several processes at once loses no key', async () => {
    await fill(openKeyring())
    await Promise.all(
      [1, 2, 3].map(() => {
        const database: Database = opened.another()
        return rotateKeyring({ ...quiet, database, keyring: openKeyring(), keyFile: keyFilePath(folder) }, () => {})
      }),
    )
    await assertAllOpen(openKeyring())
  })

  test('does not overwrite a value written during the rotation', async () => {
    const keyring = openKeyring()
    await fill(keyring)
    const slow = new Keyring(openKeyFile(folder).keys)
    const racing = {
      ...opened.database,
      count: async (query: { name: string; text: string }, values?: readonly unknown[]) => {
        if (query.name.startsWith('reseal-swap') && values?.includes('s7'))
          await putServiceKey(opened.database, slow, 'app', serviceKey(7), 'newer')
        return opened.database.count(query, values)
      },
    }
    await rotateKeyring({ ...quiet, database: racing, keyring, keyFile: keyFilePath(folder) }, () => {})
    assert.equal((await findServiceKey(opened.database, keyring, 'app', 's7'))?.secret, 'newer')
  })

  test('leaves keys from the environment to the operator, and reseals with the first', async () => {
    const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    await fill(new Keyring([old]))
    const keyring = new Keyring([fresh, old])
    const done = await rotateKeyring({ ...quiet, database: opened.database, keyring, keyFile: undefined }, () => {})
    assert.deepEqual(done, { newKey: false, resealed: KEYS, unreadable: [] })
    await assertAllOpen(new Keyring([fresh]))
    assert.equal((await reseal(opened.database, keyring, () => {})).resealed, 0)
  })
})

suite('a wrong key', () => {
  const wrong = (error: unknown) => error instanceof SetupError && error.code === 'key_wrong'

  test('is refused, whether different, altered or missing, and changes nothing', async () => {
    await openHasher(opened.database, new Keyring([Buffer.alloc(32, 1)]))
    const vault = statement('t-vault', 'select name, sealed from vault')
    const before = await opened.database.rows(vault)
    await assert.rejects(openHasher(opened.database, new Keyring([Buffer.alloc(32, 2)])), wrong)
    await assert.rejects(openHasher(opened.database, openKeyring()), wrong)
    assert.deepEqual(await opened.database.rows(vault), before)
    await openHasher(opened.database, new Keyring([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]))
  })

  test('a damaged vault is refused too', async () => {
    const keyring = new Keyring([Buffer.alloc(32, 1)])
    await openHasher(opened.database, keyring)
    await opened.database.script(
      `update vault set sealed = set_byte(sealed, length(sealed) - 1, (get_byte(sealed, length(sealed) - 1) + 1) % 256)`,
    )
    await assert.rejects(openHasher(opened.database, keyring), wrong)
  })
})

test('two processes that open an empty vault at once use the same pepper', async () => {
  const keyring = new Keyring([Buffer.alloc(32, 1)])
  const hashers = await Promise.all([1, 2, 3, 4].map(() => openHasher(opened.another(), keyring)))
  const hashes = hashers.map((hasher) => hasher.hash('token', 'x').toString('hex'))
  assert.equal(new Set(hashes).size, 1)
  assert.notDeepEqual(hashers[0]!.hash('code', 'x'), hashers[0]!.hash('token', 'x'))
  assert.equal(hashers[0]!.matches('token', 'x', hashers[1]!.hash('token', 'x')), true)
  assert.equal(hashers[0]!.matches('token', 'x', Buffer.alloc(5)), false)
})

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { encodeFrame, readFrames } from '#store/backup/frames.ts'
import { childEnv } from '../../harness/child-env.ts'
import { tributary as command } from '../../harness/command-line.ts'
import { freshDatabase, type TestDatabase } from '../../harness/database/database.ts'
import { startSecondServer } from '../../harness/database/second-server.ts'
import { openSql } from '../../harness/database/sql.ts'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import { PROGRAM } from '../../harness/program.ts'
import { get } from '../../harness/send.ts'
import { type Granted, signIn } from '../../harness/sign-in.ts'
import { synced } from '../../harness/sync.ts'
import { until } from '../../harness/until.ts'

suite('backup', () => {
  let harness: LabHarness
  let ada: Granted
  const folder = mkdtempSync(join(tmpdir(), 'tributary-backup-'))
  const file = join(folder, 'full.backup')
  const withKeys = join(folder, 'with-keys.backup')
  const passphrase = join(folder, 'passphrase')
  const databases: TestDatabase[] = []
  const source = () => ({ DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir })

  async function emptyDatabase(name: string) {
    const database = await freshDatabase()
    databases.push(database)
    return { DATABASE_URL: database.url, TRIBUTARY_DATA: join(folder, name) }
  }

  const reasonOf = (stdout: string) => (JSON.parse(stdout) as { reason: string }).reason

  /** Rows of every table of ours, as text. */
  async function contents(url: string): Promise<Record<string, string[]>> {
    const { sql, close } = openSql(url)
    try {
      const tables = await sql<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
      )
      const found: Record<string, string[]> = {}
      for (const { name } of tables) {
        const rows = await sql<{ row: string }>(`select t::text as row from "${name}" t order by 1`)
        found[name] = rows.map(({ row }) => row)
      }
      return found
    } finally {
      await close()
    }
  }

  before(async () => {
    writeFileSync(passphrase, 'a passphrase of several words\n')
    harness = await startLabHarness()
    ada = await signIn(harness, 'demo-social', 'ada', { flag: 'dm' })
    await synced(harness, ada.access_token, 'demo-social')
    const made = await command(['backup', 'create', file, '--json'], source())
    assert.equal(made.code, 0, made.stdout + made.stderr)
    const sealed = await command(['backup', 'create', withKeys, '--passphrase-file', passphrase, '--json'], source())
    assert.equal(sealed.code, 0, sealed.stdout + sealed.stderr)
  })
  after(async () => {
    await harness.stop()
    for (const database of databases) await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is a file for its owner only, contains no key without being asked, and never replaces another', async () => {
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(existsSync(`${file}.part`), false)
    const [key] = (
      JSON.parse(readFileSync(join(harness.tributary.dataDir, 'keyring.json'), 'utf8')) as { keys: string[] }
    ).keys
    for (const each of [file, withKeys]) assert.equal(gunzipSync(readFileSync(each)).includes(key!), false)
    const { code } = await command(['backup', 'create', file, '--json'], source())
    assert.equal(code, 2)
  })

  test('the last one is known: when, how large, whether it was verified; an old one is a warning', async () => {
    interface Backups {
      last?: { created_at: number; bytes: number; keys_included: boolean; verified_at?: number; old: boolean }
    }
    const { admin, sql } = harness.tributary
    const last = async () => ((await admin('GET', '/admin/settings')).body as { backups: Backups }).backups.last!
    const findings = async () =>
      JSON.parse((await command(['doctor', '--json'], source())).stdout) as {
        findings: { name: string; state: string; detail: string }[]
      }
    const finding = async () => (await findings()).findings.find(({ name }) => name === 'backup')!
    const verified = async () => (await last()).verified_at !== undefined
    const first = await last()
    assert.deepEqual([first.bytes, first.keys_included, first.old], [statSync(withKeys).size, true, false])
    assert.equal(await verified(), false)
    assert.equal((await command(['backup', 'verify', file, '--record', '--json'], source())).code, 0)
    assert.equal(await verified(), false, 'another one was verified')
    const key = ['--passphrase-file', passphrase, '--json']
    assert.equal((await command(['backup', 'verify', withKeys, ...key], source())).code, 0)
    assert.equal(await verified(), false, 'it was not recorded')
    assert.equal((await command(['backup', 'verify', withKeys, '--record', ...key], source())).code, 0)
    assert.equal(await verified(), true)
    const checked = join(folder, 'checked.backup')
    const made = await command(['backup', 'create', checked, '--verify', '--json'], source())
    const { verified: isVerified, recorded } = JSON.parse(made.stdout) as Record<string, unknown>
    assert.deepEqual([made.code, isVerified, recorded], [0, true, true])
    assert.equal((await last()).bytes, statSync(checked).size)
    assert.equal(await verified(), true)
    assert.deepEqual([(await finding()).state, (await finding()).detail.endsWith(', verified')], ['ok', true])
    // Eight days later.
    await sql(
      `update audit set detail = detail::jsonb || jsonb_build_object('created_at', $1::bigint) where action = 'backup.create'`,
      [Date.now() - 8 * 86_400_000],
    )
    assert.equal((await last()).old, true)
    assert.equal((await finding()).state, 'warn')
    const { attention } = (await admin('GET', '/admin/overview')).body as {
      attention: { kind: string; text: string }[]
    }
    assert.deepEqual(
      attention.filter(({ kind }) => kind === 'backup_old').map(({ text }) => text),
      ['The newest backup is 8 days old.'],
    )
  })

  test('verify accepts it, and says whether the keys here open it', async () => {
    const mine = await command(['backup', 'verify', file, '--json'], source())
    assert.equal(mine.code, 0, mine.stdout)
    const { intact, keys_open, keys_included } = JSON.parse(mine.stdout) as Record<string, unknown>
    assert.deepEqual({ intact, keys_open, keys_included }, { intact: true, keys_open: true, keys_included: false })
    const others = {
      TRIBUTARY_DATA: join(folder, 'none'),
      TRIBUTARY_KEY: Buffer.from('another key, of 32 bytes exactly').toString('base64'),
    }
    assert.equal((await command(['backup', 'verify', file, '--json'], others)).code, 4)
    const none = await command(['backup', 'verify', withKeys, '--passphrase-file', passphrase, '--json'], {
      TRIBUTARY_DATA: join(folder, 'none'),
    })
    assert.equal((JSON.parse(none.stdout) as Record<string, unknown>)['keys_open'], true)
  })

  test('restored into an empty database, it has the same rows; the old token reads, and syncs continue', async () => {
    const target = await emptyDatabase('restored')
    const items = await get(harness, '/types/all?limit=5', ada.access_token)
    const { code, stdout } = await command(
      ['backup', 'restore', withKeys, '--passphrase-file', passphrase, '--json'],
      target,
    )
    assert.equal(code, 0, stdout)
    // One row of a run that goes on beside the backup may differ; the tables that nobody writes now do not.
    const [original, restored] = [await contents(harness.tributary.databaseUrl), await contents(target.DATABASE_URL)]
    for (const table of ['app', 'app_secret', 'service_key', 'access_token', 'account', 'item', 'vault', 'credential'])
      assert.deepEqual(restored[table], original[table], table)
    assert.ok(restored['item']!.length > 0)

    const server = await startSecondServer(
      { databaseUrl: target.DATABASE_URL, dataDir: target.TRIBUTARY_DATA, adminToken: harness.tributary.adminToken },
      { TRIBUTARY_ALLOW_PRIVATE: LOOPBACK },
    )
    try {
      const read = await get(server, '/types/all?limit=5', ada.access_token)
      assert.equal(read.status, 200)
      assert.deepEqual(read.body, items.body)
      const afterMs = Date.now()
      const asked = await fetch(`${server.tributary.url}/profiles/demo-social/sync`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ada.access_token}` },
      })
      assert.ok(asked.ok, String(asked.status))
      await synced(server, ada.access_token, 'demo-social', { afterMs: afterMs - 1 })
    } finally {
      await server.stop()
    }
    // A refused restore leaves the keys alone, too: those of the backup would seal from then on.
    const keyring = join(target.TRIBUTARY_DATA, 'keyring.json')
    const keys = readFileSync(keyring, 'utf8')
    const rotated = await command(['keyring', 'rotate', '--json'], target)
    assert.equal(rotated.code, 0, rotated.stdout)
    const newer = readFileSync(keyring, 'utf8')
    assert.notEqual(newer, keys)
    const again = await command(['backup', 'restore', withKeys, '--passphrase-file', passphrase, '--json'], target)
    assert.deepEqual([again.code, reasonOf(again.stdout)], [3, 'backup_not_empty'])
    assert.equal(readFileSync(keyring, 'utf8'), newer)
    writeFileSync(keyring, keys)
    const forced = await command(['backup', 'restore', file, '--force', '--json'], target)
    assert.equal(forced.code, 0, forced.stdout)
    assert.deepEqual((await contents(target.DATABASE_URL))['item'], original['item'])
  })

  test('a wrong key, a wrong passphrase and a damaged file change nothing', async () => {
    const target = await emptyDatabase('refused')
    const wrong = join(folder, 'wrong')
    writeFileSync(wrong, 'another passphrase of words')
    const whole = readFileSync(file)
    const flipped = gunzipSync(whole)
    flipped[flipped.length - 2000]! ^= 1
    const damages: [name: string, bytes: Buffer][] = [
      ['truncated', whole.subarray(0, whole.length - 100)],
      ['half', whole.subarray(0, whole.length / 2)],
      ['flipped', gzipSync(flipped)],
      ['cut-between-frames', gzipSync(await withoutEnd(gunzipSync(whole)))],
      [
        'longer',
        gzipSync(Buffer.concat([gunzipSync(whole), encodeFrame({ type: 'data', content: Buffer.from('x') })])),
      ],
      ['no-backup', Buffer.from('hello')],
      ['empty', Buffer.alloc(0)],
    ]
    for (const [name, bytes] of damages) {
      const path = join(folder, name)
      writeFileSync(path, bytes)
      for (const args of [
        ['verify', path],
        ['restore', path],
      ]) {
        const key = { ...target, TRIBUTARY_DATA: harness.tributary.dataDir }
        const { code, stdout } = await command(['backup', ...args, '--json'], key)
        assert.deepEqual([code, reasonOf(stdout)], [3, 'backup_damaged'], `${args.join(' ')}: ${stdout}`)
      }
    }
    for (const [args, reason] of [
      [[file], 'key_wrong'],
      [[withKeys], 'key_wrong'],
      [[withKeys, '--passphrase-file', wrong], 'backup_passphrase'],
      [[join(folder, 'missing')], 'backup_unreadable'],
    ] as const) {
      const { code, stdout } = await command(['backup', 'restore', ...args, '--json'], target)
      assert.deepEqual([code, reasonOf(stdout)], [3, reason])
    }
    const rows = Object.entries(await contents(target.DATABASE_URL)).filter(([name]) => name !== 'migration')
    assert.deepEqual(
      rows.filter(([, each]) => each.length > 0),
      [],
    )
  })

  test('a backup of a newer release is refused, and so is a database that is ahead of the backup', async () => {
    const newer = join(folder, 'newer')
    writeFileSync(
      newer,
      gzipSync(
        await withHeader(gunzipSync(readFileSync(file)), (migrations) => [
          ...migrations,
          { name: '9999-later.sql', checksum: 'x' },
        ]),
      ),
    )
    const refused = await command(['backup', 'restore', newer, '--json'], await emptyDatabase('newer-data'))
    assert.deepEqual([refused.code, reasonOf(refused.stdout)], [3, 'schema_newer'])
    const older = join(folder, 'older')
    writeFileSync(
      older,
      gzipSync(await withHeader(gunzipSync(readFileSync(file)), (migrations) => migrations.slice(0, -1))),
    )
    const target = { ...(await emptyDatabase('ahead')), TRIBUTARY_DATA: harness.tributary.dataDir }
    assert.equal((await command(['migrate', '--json'], target)).code, 0)
    const ahead = await command(['backup', 'restore', older, '--json'], target)
    assert.deepEqual([ahead.code, reasonOf(ahead.stdout)], [3, 'backup_schema'])
  })

  test('a restore that is killed in the middle leaves an empty database, and can be repeated', async () => {
    const target = { ...(await emptyDatabase('killed')), TRIBUTARY_DATA: harness.tributary.dataDir }
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const child = spawn(process.execPath, [PROGRAM, 'backup', 'restore', pipe], {
      env: { ...childEnv, ...target },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    const writing = createWriteStream(pipe)
    // Nobody reads the rest when the process is killed.
    writing.on('error', () => {})
    const whole = readFileSync(file)
    writing.write(whole.subarray(0, whole.length - 200))
    const { sql, close } = openSql(target.DATABASE_URL)
    await until('rows are being loaded', async () => {
      assert.equal(child.exitCode, null)
      const [row] = await sql<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query ilike 'copy%'`,
      )
      return row!.n > 0
    })
    child.kill('SIGKILL')
    await ended
    writing.destroy()
    await until('the server has noticed', async () => {
      const [row] = await sql<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      return row!.n === 0
    })
    const [left] = await sql<{ n: number }>(
      'select (select count(*) from app)::int + (select count(*) from item)::int as n',
    )
    assert.equal(left!.n, 0)
    await close()
    const { code, stdout } = await command(['backup', 'restore', file, '--json'], target)
    assert.equal(code, 0, stdout)
    assert.ok((await contents(target.DATABASE_URL))['item']!.length > 0)
  })

  test('a backup that is killed in the middle has no file of that name, and can be repeated', async () => {
    const path = join(folder, 'interrupted.backup')
    const { sql, close } = openSql(harness.tributary.databaseUrl)
    await sql('begin')
    await sql('lock table reader_fault in access exclusive mode')
    const child = spawn(process.execPath, [PROGRAM, 'backup', 'create', path], {
      env: { ...childEnv, ...source() },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await until('it waits for the locked table', async () => {
      assert.equal(child.exitCode, null)
      // By another connection: in a transaction the activity of others is read only once.
      const [row] = await harness.sql<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'copy%reader_fault%'`,
      )
      return row!.n > 0
    })
    child.kill('SIGKILL')
    await ended
    await sql('rollback')
    await close()
    assert.equal(existsSync(path), false)
    const { code, stdout } = await command(['backup', 'create', path, '--json'], source())
    assert.equal(code, 0, stdout)
    assert.equal(existsSync(`${path}.part`), false)
  })
})

/** The frames of a backup without the last one. */
async function withoutEnd(bytes: Buffer): Promise<Buffer> {
  const kept: Buffer[] = []
  for await (const frame of readFrames(chunksOf(bytes))) if (frame.type !== 'end') kept.push(encodeFrame(frame))
  return Buffer.concat(kept)
}

/** The same backup with other migrations in its header; its checksum is wrong then, which is found later. */
async function withHeader(
  bytes: Buffer,
  change: (migrations: { name: string; checksum: string }[]) => { name: string; checksum: string }[],
): Promise<Buffer> {
  const frames: Buffer[] = []
  for await (const frame of readFrames(chunksOf(bytes))) {
    if (frame.type !== 'header') {
      frames.push(encodeFrame(frame))
      continue
    }
    const header = JSON.parse(frame.content.toString('utf8')) as { migrations: { name: string; checksum: string }[] }
    const content = Buffer.from(JSON.stringify({ ...header, migrations: change(header.migrations) }))
    frames.push(encodeFrame({ type: 'header', content }))
  }
  return Buffer.concat(frames)
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findPackage } from '#platform/embedded-postgres/binaries.ts'
import { processesIn } from '#platform/embedded-postgres/processes.ts'
import { SetupError } from '#platform/errors.ts'
import { type Fixture, fixture, isRoot, type Reply } from './holders.ts'

const NOBODY = { uid: 65534, gid: 65534 }

async function made(fixture: Fixture): Promise<void> {
  const holder = fixture.hold()
  assert.equal((await holder.opened).started, 'new')
  await holder.leave()
}

/** Opens, expects a refusal, and checks that nothing keeps running. */
async function refused(fixture: Fixture, options?: Parameters<Fixture['hold']>[0]): Promise<Required<Reply>> {
  const response = await fixture.hold(options).opened
  assert.ok(response.error !== undefined && response.help !== undefined, JSON.stringify(response))
  assert.deepEqual(await processesIn(fixture.cluster), [])
  return response as Required<Reply>
}

test('damaged database files are reported and not changed', async (t) => {
  const dataFolder = await fixture(t)
  await made(dataFolder)

  await t.test('a different password from the one it was created with', async () => {
    const response = await refused(dataFolder, { password: 'other' })
    assert.equal(response.code, 'database_password')
    assert.ok(response.help.includes(join(dataFolder.dataDir, 'keyring.json')))
  })

  await t.test('a different major version', async () => {
    const versionFile = join(dataFolder.cluster, 'PG_VERSION')
    const version = readFileSync(versionFile)
    writeFileSync(versionFile, '17\n')
    const response = await refused(dataFolder)
    assert.equal(response.code, 'database_version')
    assert.match(response.error, /created by PostgreSQL 17; this release contains PostgreSQL 18/)
    assert.match(response.help, /17\/bin\/pg_dump/)
    rmSync(versionFile)
    assert.equal((await refused(dataFolder)).code, 'database_damaged')
    writeFileSync(versionFile, version)
    if (isRoot) chownSync(versionFile, 0, 0)
    chmodSync(versionFile, 0o644)
  })

  await t.test('a truncated control file', async () => {
    const control = join(dataFolder.cluster, 'global/pg_control')
    const whole = readFileSync(control)
    truncateSync(control, 100)
    const response = await refused(dataFolder)
    assert.equal(response.code, 'database_damaged')
    assert.match(response.error, /pg_control/)
    assert.ok(response.help.includes(`mv ${dataFolder.cluster}`))
    writeFileSync(control, whole)
  })

  const holder = dataFolder.hold()
  assert.equal((await holder.opened).started, 'existing')
  await holder.leave()
})

test('without embedded binaries the message asks for an external PostgreSQL', async () => {
  await assert.rejects(
    findPackage('plan9-mips'),
    (error) => error instanceof SetupError && error.code === 'embedded_unavailable' && /DATABASE_URL=/.test(error.help),
  )
})

test('a data folder of another system user is refused', { skip: !isRoot && 'needs root' }, async (t) => {
  const dataFolder = await fixture(t)
  const response = await refused(dataFolder, NOBODY)
  assert.equal(response.code, 'data_folder_refused')
  assert.match(response.help, /chown -R .*TRIBUTARY_DATA=/s)
  await made(dataFolder)
  assert.equal((await refused(dataFolder, NOBODY)).code, 'data_folder_refused')
})

test('R04 a full disk is named in the error, and the start works again when there is space', {
  skip: !isRoot && 'needs root',
}, async (t) => {
  const dataFolder = await fixture(t)
  mkdirSync(dataFolder.dataDir)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120m,mode=0711', 'tmpfs', dataFolder.dataDir], { stdio: 'pipe' })
  } catch {
    t.skip('no file system can be mounted here')
    return
  }
  const filler = join(dataFolder.dataDir, 'filler')
  const fillUp = (leaveBytes: number) => {
    const { bavail, bsize } = statfsSync(dataFolder.dataDir)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - leaveBytes))
  }
  try {
    fillUp(20_000_000)
    const response = await refused(dataFolder)
    assert.equal(response.code, 'disk_full')
    assert.ok(response.help.includes(`df -h ${dataFolder.dataDir}`))
    rmSync(filler)
    await made(dataFolder)
    fillUp(0)
    assert.equal((await refused(dataFolder)).code, 'disk_full')
    rmSync(filler)
    const holder = dataFolder.hold()
    assert.equal((await holder.opened).started, 'existing')
    await holder.leave()
  } finally {
    execFileSync('umount', ['-l', dataFolder.dataDir])
  }
})

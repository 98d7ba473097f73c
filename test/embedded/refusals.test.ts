import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SetupError } from '#base/errors.ts'
import { findPackage } from '#store/embedded/binaries.ts'
import { processesIn } from '#store/embedded/processes.ts'
import { type Answer, type Ground, ground, isRoot } from './holders.ts'

const NOBODY = { uid: 65534, gid: 65534 }

async function made(ground: Ground): Promise<void> {
  const holder = ground.hold()
  assert.equal((await holder.opened).started, 'new')
  await holder.leave()
}

/** Opens, expects a refusal, and that nothing was left running. */
async function refused(ground: Ground, options?: Parameters<Ground['hold']>[0]): Promise<Required<Answer>> {
  const answer = await ground.hold(options).opened
  assert.ok(answer.error !== undefined && answer.help !== undefined, JSON.stringify(answer))
  assert.deepEqual(await processesIn(ground.cluster), [])
  return answer as Required<Answer>
}

test('what is wrong with the files of a database is said, and nothing is touched', async (t) => {
  const place = await ground(t)
  await made(place)

  await t.test('another password than the one it was made with', async () => {
    const answer = await refused(place, { password: 'other' })
    assert.equal(answer.code, 'database_password')
    assert.ok(answer.help.includes(join(place.dataDir, 'keyring.json')))
  })

  await t.test('another major version', async () => {
    const versionFile = join(place.cluster, 'PG_VERSION')
    const version = readFileSync(versionFile)
    writeFileSync(versionFile, '17\n')
    const answer = await refused(place)
    assert.equal(answer.code, 'database_version')
    assert.match(answer.error, /made by PostgreSQL 17; this release brings PostgreSQL 18/)
    assert.match(answer.help, /17\/bin\/pg_dump/)
    rmSync(versionFile)
    assert.equal((await refused(place)).code, 'database_damaged')
    writeFileSync(versionFile, version)
    if (isRoot) chownSync(versionFile, 0, 0)
    chmodSync(versionFile, 0o644)
  })

  await t.test('a truncated control file', async () => {
    const control = join(place.cluster, 'global/pg_control')
    const whole = readFileSync(control)
    truncateSync(control, 100)
    const answer = await refused(place)
    assert.equal(answer.code, 'database_damaged')
    assert.match(answer.error, /pg_control/)
    assert.ok(answer.help.includes(`mv ${place.cluster}`))
    writeFileSync(control, whole)
  })

  const holder = place.hold()
  assert.equal((await holder.opened).started, 'existing')
  await holder.leave()
})

test('a machine without programs is told to bring its own PostgreSQL', async () => {
  await assert.rejects(
    findPackage('plan9-mips'),
    (error) => error instanceof SetupError && error.code === 'embedded_unavailable' && /DATABASE_URL=/.test(error.help),
  )
})

test('a data folder of another system user is refused', { skip: !isRoot && 'needs root' }, async (t) => {
  const place = await ground(t)
  const answer = await refused(place, NOBODY)
  assert.equal(answer.code, 'data_folder_refused')
  assert.match(answer.help, /chown -R .*TRIBUTARY_DATA=/s)
  await made(place)
  assert.equal((await refused(place, NOBODY)).code, 'data_folder_refused')
})

test('R04 a full disk is named, and works again when there is room', { skip: !isRoot && 'needs root' }, async (t) => {
  const place = await ground(t)
  mkdirSync(place.dataDir)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120m,mode=0711', 'tmpfs', place.dataDir], { stdio: 'pipe' })
  } catch {
    t.skip('no file system can be mounted here')
    return
  }
  const filler = join(place.dataDir, 'filler')
  const fillUp = (leaveBytes: number) => {
    const { bavail, bsize } = statfsSync(place.dataDir)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - leaveBytes))
  }
  try {
    fillUp(20_000_000)
    const answer = await refused(place)
    assert.equal(answer.code, 'disk_full')
    assert.ok(answer.help.includes(`df -h ${place.dataDir}`))
    rmSync(filler)
    await made(place)
    fillUp(0)
    assert.equal((await refused(place)).code, 'disk_full')
    rmSync(filler)
    const holder = place.hold()
    assert.equal((await holder.opened).started, 'existing')
    await holder.leave()
  } finally {
    execFileSync('umount', ['-l', place.dataDir])
  }
})

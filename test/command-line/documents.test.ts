import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { tributary, tributaryProcess } from '../harness/command-line.ts'
import { freshDatabase } from '../harness/database/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-documents-'))
let database: Awaited<ReturnType<typeof freshDatabase>>
before(async () => {
  database = await freshDatabase()
})
after(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

const env = () => ({ TRIBUTARY_DATA: folder, DATABASE_URL: database.url, PORT: '0' })
/** Runs with --json: exactly one document on stdout and nothing on stderr. */
async function document<T = Record<string, unknown>>(args: string[], expected = 0, run = tributary): Promise<T> {
  const { code, stdout, stderr } = await run([...args, '--json'], env())
  assert.equal(code, expected, `${stdout}${stderr}`)
  assert.equal(stderr, '')
  return JSON.parse(stdout) as T
}

suite('commands with --json print one document', () => {
  test('migrate --dry-run, migrate, and migrate again', async () => {
    const before = await document<{ done: string[]; pending: string[] }>(['migrate', '--dry-run'])
    assert.deepEqual(before.done, [])
    assert.ok(before.pending.length > 0)
    assert.deepEqual(await document(['migrate', '--dry-run']), before, 'looking changed nothing')
    assert.deepEqual(await document(['migrate'], 0, tributaryProcess), { applied: before.pending })
    assert.deepEqual(await document(['migrate']), { applied: [] })
    assert.deepEqual(await document(['migrate', '--dry-run']), { done: before.pending, pending: [] })
  })

  test('app create, list, show, set, rotate-secret, keys set, list, delete, app delete', async () => {
    const made = await document<{ client_id: string; client_secret: string }>(
      [
        ['app', 'create', '--name', 'My App', '--redirect-uri', 'https://a.test/cb', '--redirect-uri', 'com.app:/cb'],
      ].flat(),
    )
    const { client_id: id, client_secret: secret } = made
    assert.deepEqual(Object.keys(made).slice(0, 4), ['client_id', 'client_secret', 'name', 'redirect_uris'])
    assert.match(id, /^app_[0-9a-z]+$/)
    assert.match(secret, /^trs_[0-9a-z]{52}$/)
    assert.deepEqual({ ...made }, { ...made, name: 'My App', redirect_uris: ['https://a.test/cb', 'com.app:/cb'] })

    const listed = await document<{ client_id: string }[]>(['app', 'list'])
    assert.deepEqual(
      listed.map(({ client_id }) => client_id),
      [id],
    )
    const shown = await document<{ name: string; secrets: object[] }>(['app', 'show', id])
    assert.deepEqual([shown.name, shown.secrets.length], ['My App', 1])
    assert.ok(!JSON.stringify([listed, shown]).includes(secret))
    const changed = await document<{ name: string; apply: string }>(['app', 'set', id, '--apply', 'any'])
    assert.deepEqual([changed.name, changed.apply], ['My App', 'any'])
    for (const wrong of [['--apply', 'all'], []]) await document(['app', 'set', id, ...wrong], 2)

    type Agents = { agents?: { redirect_uris: string[]; write_services: string[] } }
    await document(['app', 'set', id, '--agent-writes', 'demo-social'], 2)
    await document<Agents>(['app', 'set', id, '--agent-redirect-uri', 'https://agent.test/cb'])
    const writing = await document<Agents>(['app', 'set', id, '--agent-writes', 'demo-social'])
    assert.deepEqual(writing.agents, { redirect_uris: ['https://agent.test/cb'], write_services: ['demo-social'] })
    const reading = await document<Agents>(['app', 'set', id, '--agent-writes', 'none'])
    assert.deepEqual(reading.agents?.write_services, [])
    await document(['app', 'set', id, '--no-agents', '--agent-writes', 'none'], 2)
    assert.equal((await document<Agents>(['app', 'set', id, '--no-agents'])).agents, undefined)

    const rotated = await document<{ client_secret: string; previous_ends_at: number }>([
      'app',
      'rotate-secret',
      id,
      '--overlap-hours',
      '0.5',
    ])
    assert.notEqual(rotated.client_secret, secret)
    assert.ok(Math.abs(rotated.previous_ends_at - Date.now() - 1_800_000) < 120_000)

    const set = await document<{ overrides: object }>(
      [
        ['keys', 'set', id, 'github', '--key', 'K', '--secret', 's3cret', '--scope', 'user repo'],
        ['--set', 'api_url=https://api.test/?a=b=c', '--set', 'token_url=https://t.test/'],
      ].flat(),
    )
    assert.deepEqual(Object.keys(set).slice(0, 3), ['service', 'key', 'overrides'])
    assert.deepEqual(
      { ...set },
      {
        ...set,
        service: 'github',
        key: 'K',
        overrides: { api_url: 'https://api.test/?a=b=c', token_url: 'https://t.test/' },
        scope: 'user repo',
      },
    )
    // With the addresses to enter at the service.
    const { addresses, ...stored } = set as { addresses?: Record<string, string> }
    assert.deepEqual(Object.keys(addresses ?? {}), ['callback', 'hook'])
    const typo = await tributary(['keys', 'set', id, 'gihub', '--key', 'K', '--secret', 's'], env())
    assert.match(typo.stdout, /^Warning: no service is called gihub here.* Did you mean github\?$/m)
    await document(['keys', 'delete', id, 'gihub'])
    const keys = await document<object[]>(['keys', 'list', id])
    assert.deepEqual(keys, [{ ...stored, callback: addresses?.['callback'] }])
    assert.ok(!JSON.stringify([set, keys]).includes('s3cret'))
    const withSetting = ['keys', 'set', id, 'facebook', '--key', 'K', '--secret', 's', '--setting']
    const configured = await document([...withSetting, 'config_id=12=34'])
    assert.ok(!JSON.stringify(configured).includes('12=34'))
    for (const wrong of ['config_id', '=x', 'other=x'])
      await document([...withSetting, wrong], wrong === 'other=x' ? 4 : 2)
    assert.deepEqual(await document(['keys', 'delete', id, 'facebook']), { deleted: 'facebook' })
    assert.deepEqual(await document(['keys', 'delete', id, 'github']), { deleted: 'github' })
    assert.deepEqual(await document(['app', 'delete', id, '--yes']), { deleted: id })
    assert.deepEqual(await document(['app', 'list']), [])
  })

  test('keyring rotate and prune', async () => {
    const rotated = await document<{ new_key: boolean; resealed: number; damaged: unknown[] }>(['keyring', 'rotate'])
    assert.deepEqual(rotated, { new_key: true, resealed: 1, damaged: [] })
    assert.deepEqual(await document(['keyring', 'prune', '--at-once']), { dropped: 1, unreadable: 0 })
    assert.deepEqual(await document(['keyring', 'prune']), { dropped: 0, unreadable: 0 })
    assert.deepEqual(await document(['app', 'list']), [], 'the new key fits')
  })

  test('doctor', async () => {
    const { healthy, findings } = await document<{
      healthy: boolean
      findings: { name: string; state: string; detail: string }[]
    }>(['doctor'], 0, tributaryProcess)
    assert.equal(healthy, true)
    const names = findings.map(({ name }) => name)
    assert.deepEqual(names, [
      'node',
      'settings',
      'data folder',
      'disk',
      'key',
      'admin token',
      'database',
      'migrations',
      'clock',
      'backup',
      'maintenance',
      'overrides',
      'port',
      'address',
      'proxy origin',
      'egress',
    ])
    assert.ok(findings.every(({ detail }) => detail !== ''))
  })

  test('refusals: exit code 4 and the reason, also of a process', async () => {
    const refused: [string[], string][] = [
      [['app', 'show', 'app_none'], 'not_found'],
      [['app', 'create', '--name', 'x', '--redirect-uri', 'http://a.test/'], 'bad_parameter'],
    ]
    await Promise.all(
      refused.map(async ([args, reason]) => {
        for (const run of [tributary, tributaryProcess]) {
          const refusal = await document<{ reason: string; error: string }>(args, 4, run)
          assert.equal(refusal.reason, reason)
          assert.ok(refusal.error.length > 10)
        }
      }),
    )
  })
})

test('F28 doctor warns of secrets that are not random', async () => {
  const secrets = {
    TRIBUTARY_KEY: `${Buffer.alloc(32, 'ab').toString('base64')},${randomBytes(32).toString('base64')}`,
    TRIBUTARY_ADMIN_TOKEN: 'the-admin-password-of-2026',
  }
  const { stdout } = await tributary(['doctor', '--json'], {
    ...env(),
    ...secrets,
    DATABASE_URL: 'postgres://u:c4nary@127.0.0.1:1/x',
  })
  const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string; help?: string }[] }
  for (const name of ['key', 'admin token']) {
    const finding = findings.find((each) => each.name === name)
    assert.equal(finding?.state, 'warn', name)
    assert.ok(finding.help)
  }
  for (const secret of Object.values(secrets)) assert.ok(!stdout.includes(secret))
})

test('doctor reports what is broken and how to repair it, and exits with a code', async () => {
  const args = [['doctor', '--json'], { ...env(), DATABASE_URL: 'postgres://u:c4nary@127.0.0.1:1/x' }] as const
  const { code, stdout } = await tributaryProcess([...args[0]], args[1])
  assert.notEqual(code, 0)
  const { healthy, findings } = JSON.parse(stdout) as {
    healthy: boolean
    findings: { name: string; state: string; help?: string }[]
  }
  assert.equal(healthy, false)
  const database = findings.find(({ name }) => name === 'database')
  assert.equal(database?.state, 'fail')
  assert.ok(database.help)
  assert.doesNotMatch(stdout, /c4nary/)
})

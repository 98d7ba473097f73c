import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { childEnv } from '../harness/child-env.ts'
import { tributary, tributaryProcess } from '../harness/command-line.ts'
import { freshDatabase } from '../harness/database/database.ts'
import { PROGRAM } from '../harness/program.ts'
import { startProcess } from '../harness/running.ts'

const NOBODY = 65_534
const folder = mkdtempSync(join(tmpdir(), 'tributary-refused-'))
chmodSync(folder, 0o755)
const dataDir = join(folder, 'data')
let database: Awaited<ReturnType<typeof freshDatabase>>
let id = ''

const env = (more: Record<string, string> = {}) => ({
  TRIBUTARY_DATA: dataDir,
  DATABASE_URL: database.url,
  PORT: '0',
  DRAIN_SECONDS: '2',
  ...more,
})
const stillThere = async () => {
  const { stdout } = await tributary(['app', 'list', '--json'], env())
  assert.deepEqual(
    (JSON.parse(stdout) as { client_id: string }[]).map(({ client_id }) => client_id),
    [id],
  )
}
/** Other commands than `serve` refuse in the same way in this process, and take most of a second less. */
async function refused(
  args: string[],
  more: Record<string, string>,
  reason: string,
): Promise<{ error: string; help: string }> {
  const run = args[0] === 'serve' ? tributaryProcess : tributary
  const { code, stdout, stderr } = await run([...args, '--json'], env(more))
  assert.equal(code, 3, stdout + stderr)
  const output = JSON.parse(stdout) as { error: string; reason: string; help: string }
  assert.equal(output.reason, reason)
  return output
}

before(async () => {
  database = await freshDatabase()
  const { stdout } = await tributary(
    ['app', 'create', '--name', 'x', '--redirect-uri', 'https://a.test/', '--json'],
    env(),
  )
  id = (JSON.parse(stdout) as { client_id: string }).client_id
})
after(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

suite('a refused start', () => {
  test('port in use: names the port and an alternative command', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    try {
      const { error, help } = await refused(['serve', '--port', String(port)], {}, 'port_taken')
      assert.ok(error.includes(String(port)))
      assert.match(help, /--port \d+/)
    } finally {
      taken.close()
    }
  })

  test('wrong key: says so and changes nothing', async () => {
    await refused(['serve'], { TRIBUTARY_KEY: randomBytes(32).toString('base64') }, 'key_wrong')
    const elsewhere = join(folder, 'elsewhere')
    await refused(['app', 'list'], { TRIBUTARY_DATA: elsewhere }, 'key_wrong')
    await stillThere()
  })

  test('database written by a newer release: says so and changes nothing', async () => {
    const client = new Client({ connectionString: database.url })
    await client.connect()
    await client.query(`insert into migration (name, checksum, applied_at) values ('9999-later.sql', 'x', 1)`)
    try {
      for (const args of [['serve'], ['migrate'], ['migrate', '--dry-run'], ['app', 'list']]) {
        const { error } = await refused(args, {}, 'schema_newer')
        assert.match(error, /9999-later\.sql/)
      }
    } finally {
      await client.query(`delete from migration where name like '9999%'`)
      await client.end()
    }
    await stillThere()
  })

  test('database written by a development version: says so and changes nothing', async () => {
    const client = new Client({ connectionString: database.url })
    await client.connect()
    await client.query(`insert into migration (name, checksum, applied_at) values ('0001-apps.sql', 'x', 1)`)
    try {
      const { error, help } = await refused(['serve'], {}, 'schema_development')
      assert.match(error, /0001-apps\.sql where this release has 0001-/)
      assert.match(help, /--data DIR/)
    } finally {
      await client.query(`delete from migration where name = '0001-apps.sql'`)
      await client.end()
    }
    await stillThere()
  })

  const skip = process.getuid?.() === 0 ? false : 'needs root, to run as another user'
  test('data folder of another user: says how to get access', { skip }, async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o755 })
    for (const [dir, reason] of [
      [closed, 'key_file_unwritable'],
      [join(closed, 'deeper'), 'data_folder'],
      [dataDir, 'key_file_unreadable'],
    ] as const) {
      const child = spawn(process.execPath, [PROGRAM, 'serve', '--json'], {
        uid: NOBODY,
        gid: NOBODY,
        cwd: '/',
        env: { ...childEnv, ...env({ TRIBUTARY_DATA: dir }) },
      })
      let stdout = ''
      child.stdout.on('data', (text: Buffer) => {
        stdout += text.toString()
      })
      const [code] = (await once(child, 'close')) as [number]
      assert.equal(code, 3, stdout)
      const output = JSON.parse(stdout) as { reason: string; error: string; help: string }
      assert.equal(output.reason, reason)
      assert.match(output.error, /EACCES/)
      assert.match(output.help, /id -un/)
    }
    assert.deepEqual(readdirSync(closed), [])
  })
})

suite('serve, work and demo', () => {
  for (const command of ['serve', 'work', 'demo']) {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      if (command !== 'serve' && signal === 'SIGINT') continue
      test(`${command} stops at ${signal} with code 0`, async () => {
        const running = await startProcess([command], env())
        if (command !== 'work') assert.equal((await fetch(`${running.document['url']}/readyz`)).status, 200)
        assert.deepEqual(await running.end(signal), { code: 0, signal: null })
        assert.doesNotMatch(running.output().stderr, /"level":"error"/)
        if (command !== 'work') await assert.rejects(fetch(`${running.document['url']}/readyz`))
      })
    }
  }
})

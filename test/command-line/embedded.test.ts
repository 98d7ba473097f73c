import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { processesIn } from '#platform/embedded-postgres/processes.ts'
import { tributaryProcess } from '../harness/command-line.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'

// One data folder through its life: created, shared, killed, recovered, stopped, and never lost.
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-life-')))
chmodSync(folder, 0o755)
const dataDir = join(folder, 'data')
const cluster = join(dataDir, 'postgres/data')
const env = { TRIBUTARY_DATA: dataDir, PORT: '0' }
const running: RunningProcess[] = []
after(async () => {
  for (const { child } of running) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  for (const pid of existsSync(cluster) ? await processesIn(cluster) : []) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

async function start(...args: string[]): Promise<RunningProcess> {
  const started = await startProcess(args, env)
  running.push(started)
  return started
}

const list = async () => {
  const { code, stdout, stderr } = await tributaryProcess(['app', 'list', '--json'], env)
  assert.equal(code, 0, stdout + stderr)
  return (JSON.parse(stdout) as { client_id: string }[]).map(({ client_id }) => client_id)
}

suite('a data folder', () => {
  let demoApp = ''

  test('R10 the first start creates it and prints everything needed to go on', async () => {
    const demo = await start('demo')
    const { url, client_id, client_secret, admin_token_file } = demo.document
    demoApp = client_id!
    assert.match(client_secret!, /^trs_/)
    const ready = await fetch(`${url}/readyz`)
    assert.equal(ready.status, 200)
    const token = readFileSync(admin_token_file!, 'utf8').trim()
    assert.equal((await fetch(`${url}/admin/apps`, { headers: { authorization: `Bearer ${token}` } })).status, 200)

    assert.deepEqual(await list(), [demoApp], 'a command works beside the server')
    assert.equal((await fetch(`${url}/readyz`)).status, 200, 'and leaves it running')

    assert.deepEqual(await demo.end('SIGINT'), { code: 0, signal: null })
    assert.deepEqual(await processesIn(cluster), [], 'the database stopped too')
    assert.doesNotMatch(demo.output().stderr, /"level":"(error|warn)"/)
  })

  test('a later start opens it with the same app, and it survives the death of its server', async () => {
    const demo = await start('demo')
    assert.equal(demo.document['client_id'], demoApp)
    await demo.end('SIGKILL')
    const serve = await start('serve')
    assert.equal((await fetch(`${serve.document['url']}/readyz`)).status, 200)
    assert.deepEqual(await list(), [demoApp])
    assert.deepEqual(await serve.end('SIGTERM'), { code: 0, signal: null })
    assert.deepEqual(await processesIn(cluster), [])
  })

  const key = join(dataDir, 'keyring.json')
  for (const [what, damage, reason] of [
    ['a folder without its key file', () => rmSync(key), 'key_file_lost'],
    ['a folder with a damaged key file', () => writeFileSync(key, '{"keys":['), 'key_file_damaged'],
  ] as const) {
    test(`${what} is refused with a remedy, and nothing is lost`, async () => {
      const good = readFileSync(key)
      try {
        damage()
        const { code, stdout } = await tributaryProcess(['serve', '--json'], env)
        assert.equal(code, 3)
        const output = JSON.parse(stdout) as { reason: string; help: string }
        assert.equal(output.reason, reason)
        assert.match(output.help, /cp .*keyring\.json/)
      } finally {
        writeFileSync(key, good, { mode: 0o600 })
      }
    })
  }

  test('it is intact after all of this', async () => {
    assert.deepEqual(await list(), [demoApp])
    assert.deepEqual(await processesIn(cluster), [], 'a command leaves no database behind')
  })
})

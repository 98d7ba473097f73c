import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { processesIn } from '#platform/embedded-postgres/processes.ts'
import { processTree } from '../chaos/process-tree.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-frozen-')))
chmodSync(folder, 0o755)
const dataDir = join(folder, 'data')
const cluster = join(dataDir, 'postgres/data')
const env = { TRIBUTARY_DATA: dataDir, PORT: '0' }
const freezing = { NODE_OPTIONS: `--import ${new URL('freeze-worker.ts', import.meta.url).href}` }
const pids = new Set<number>()
after(async () => {
  for (const pid of pids) if (stateOf(pid) !== 'ended') process.kill(pid, 'SIGKILL')
  for (const pid of existsSync(cluster) ? await processesIn(cluster) : []) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

async function serve(more: Record<string, string> = {}): Promise<RunningProcess> {
  const server = await startProcess(['serve'], { ...env, ...more })
  pids.add(server.child.pid!)
  return server
}

/** A server that is killed while its worker starts, and that worker, which stays frozen. */
async function killWithFrozenWorker(): Promise<number> {
  const { child } = await serve(freezing)
  const worker = await until('the worker freezes during its start', () =>
    processTree(child.pid!).find((pid) => stateOf(pid) === 'frozen'),
  )
  pids.add(worker)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  return worker
}

function stateOf(pid: number): 'runs' | 'frozen' | 'ended' {
  try {
    // The name of the program, in parentheses, may contain anything.
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)![0]!
    return state === 'T' ? 'frozen' : state === 'Z' || state === 'X' ? 'ended' : 'runs'
  } catch {
    // There is no such process.
    return 'ended'
  }
}

async function workerOf(server: RunningProcess): Promise<number> {
  const metrics = async () => (await fetch(`${server.document['url']}/metrics`)).text()
  await until('the worker runs', async () => (await metrics()).includes('tributary_worker_up{lane="sync"} 1'))
  return processTree(server.child.pid!)[1]!
}

const isLinux = { skip: process.platform === 'linux' ? false : 'reads /proc to see whether a process is frozen' }

test(
  'R14 a worker that is frozen during its start, and whose supervisor was killed, holds up nobody',
  isLinux,
  async (t) => {
    const frozen = await killWithFrozenWorker()

    await t.test('the next servers get ready and leave each other alone', async () => {
      const next = await serve()
      const worker = await workerOf(next)
      const beside = await serve()
      await workerOf(beside)
      assert.equal((await beside.end('SIGTERM')).code, 0)
      assert.equal(stateOf(worker), 'runs', 'the worker of another live server is left alone')
      assert.equal((await fetch(`${next.document['url']}/readyz`)).status, 200)
      assert.equal(
        readdirSync(join(dataDir, 'postgres/leases')).length,
        1,
        'only servers use the folder, not their workers',
      )
      assert.equal((await next.end('SIGTERM')).code, 0)
    })

    await t.test('the last one to leave stops the database', async () => {
      assert.equal(stateOf(frozen), 'frozen')
      assert.deepEqual(await processesIn(cluster), [])
    })

    await t.test('it ends when it continues, and neither starts nor uses the database', async () => {
      process.kill(frozen, 'SIGCONT')
      await until('it ended', async () => stateOf(frozen) === 'ended')
      assert.deepEqual(await processesIn(cluster), [])
      assert.deepEqual(readdirSync(join(dataDir, 'postgres/leases')), [])
    })
  },
)

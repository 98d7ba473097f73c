import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { processesIn, signal } from '#platform/embedded-postgres/processes.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 3)
const WRITERS = 8

test(`R01 the whole process tree is killed ${ROUNDS} times under a load of writes, and no acknowledged app is lost`, async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-kill-')))
  chmodSync(folder, 0o755)
  const dataDir = join(folder, 'data')
  const cluster = join(dataDir, 'postgres/data')
  let server: RunningProcess | undefined

  const killTree = async () => {
    const database = existsSync(cluster) ? await processesIn(cluster) : []
    const ended = server?.end('SIGKILL')
    for (const pid of database) signal(pid, 'SIGKILL')
    await ended
    return database.length
  }
  t.after(async () => {
    await killTree()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  const acknowledged = new Set<string>()
  const startsMs: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const beganAt = performance.now()
    server = await startProcess(['serve'], { TRIBUTARY_DATA: dataDir, PORT: '0' })
    startsMs.push(Math.round(performance.now() - beganAt))
    const { url, admin_token_file } = server.document
    const headers = {
      authorization: `Bearer ${readFileSync(admin_token_file!, 'utf8').trim()}`,
      'content-type': 'application/json',
    }
    const listed = new Set(
      ((await (await fetch(`${url}/admin/apps`, { headers })).json()) as { client_id: string }[]).map(
        ({ client_id }) => client_id,
      ),
    )
    const lost = [...acknowledged].filter((id) => !listed.has(id))
    assert.deepEqual(lost, [], `round ${round}: ${lost.length} of ${acknowledged.size} lost`)
    if (round === ROUNDS) break

    const before = acknowledged.size
    const load = Array.from({ length: WRITERS }, () => write(`${url}/admin/apps`, headers, acknowledged))
    // At a different moment each time, so that kills fall into every step of a write and of the database's maintenance.
    const killAfter = before + 1 + Math.floor(Math.random() * 200)
    await until('enough writes are acknowledged', () => acknowledged.size >= killAfter)
    assert.ok((await killTree()) > 0, 'the database was part of what was killed')
    await Promise.all(load)
  }
  t.diagnostic(`${acknowledged.size} acknowledged, 0 lost; starts in ms: ${startsMs.join(' ')}`)
})

/** Creates apps until the server stops responding; only a complete response counts as acknowledged. */
async function write(url: string, headers: Record<string, string>, acknowledged: Set<string>): Promise<void> {
  const body = JSON.stringify({ name: 'Load', redirect_uris: ['https://app.test/'] })
  try {
    for (;;) {
      const response = await fetch(url, { method: 'POST', headers, body })
      if (response.status === 201) acknowledged.add(((await response.json()) as { client_id: string }).client_id)
      else await response.body?.cancel()
    }
  } catch {
    // The server was killed, as planned.
  }
}

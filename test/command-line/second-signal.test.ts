import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { preparedDatabase, type TestDatabase } from '../harness/database/database.ts'
import { holdTable } from '../harness/database/hold-table.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'

const ADMIN_TOKEN = 'tra_test-admin-token-0123456789'

/** A service with one request in progress, blocked by a database lock until `release` is called. */
async function startBusy(database: TestDatabase, folder: string) {
  const running = await startProcess(['serve'], {
    DATABASE_URL: database.url,
    TRIBUTARY_DATA: folder,
    TRIBUTARY_ADMIN_TOKEN: ADMIN_TOKEN,
    PORT: '0',
    DRAIN_SECONDS: '60',
  })
  const { awaited, release } = await holdTable(database.url, 'app')
  const response = fetch(`${running.document['url']}/admin/apps`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  response.catch(() => {})
  await awaited()
  return { running, response, release }
}

/** The signal was handled when the service accepts no new connection. */
async function untilDraining(running: RunningProcess): Promise<void> {
  await until('it takes no new connection', () =>
    fetch(`${running.document['url']}/healthz`).then(
      () => false,
      () => true,
    ),
  )
}

suite('a second signal', () => {
  for (const [name, signals, drains] of [
    ['R02 two SIGTERM, as npm and a service manager send them, still drain', ['SIGTERM', 'SIGTERM'], true],
    ['R02 a second Ctrl-C ends at once', ['SIGINT', 'SIGINT'], false],
  ] as const) {
    test(name, async (t) => {
      const database = await preparedDatabase()
      const folder = mkdtempSync(join(tmpdir(), 'tributary-signal-'))
      const { running, response, release } = await startBusy(database, folder)
      const ended = new Promise<number | null>((resolve) => running.child.on('close', resolve))
      t.after(async () => {
        running.child.kill('SIGKILL')
        await ended
        await database.drop()
        rmSync(folder, { recursive: true })
      })
      running.child.kill(signals[0])
      await untilDraining(running)
      running.child.kill(signals[1])
      if (drains) {
        // No event reports that a signal was ignored. A wrong exit has this time to happen; a correct run does not
        // depend on it.
        await sleep(300)
        await release()
        assert.equal((await response).status, 200)
        assert.equal(await ended, 0)
      } else {
        assert.equal(await ended, 130)
        await assert.rejects(response)
        await release()
      }
    })
  }
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type CuttableLine, cuttableLine } from '../../harness/database/cuttable-line.ts'
import { onServer, preparedDatabase } from '../../harness/database/database.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'

interface Readiness {
  ready: boolean
  checks: Record<string, { ok: boolean; detail: string }>
}

let line: CuttableLine
let database: Awaited<ReturnType<typeof preparedDatabase>>
let tributary: Tributary
before(async () => {
  database = await preparedDatabase()
  line = await cuttableLine(database.url)
  tributary = await startTributary({ DATABASE_URL: line.url })
})
after(async () => {
  await tributary.stop()
  await line.close()
  await database.drop()
})

const readyz = async () => {
  const response = await fetch(`${tributary.url}/readyz`)
  return { status: response.status, body: (await response.json()) as Readiness }
}

const untilReady = () => until('it is ready again', readyz, ({ status }) => status === 200)

suite('R08 when the database is lost', () => {
  test('it reports so, refuses what needs the database, and recovers by itself', async () => {
    const before = await readyz()
    assert.deepEqual([before.status, before.body.ready], [200, true])
    assert.deepEqual(Object.keys(before.body.checks).sort(), ['database', 'key', 'migrations', 'queue', 'serving'])

    await line.cut()
    const during = await readyz()
    assert.deepEqual([during.status, during.body.ready], [503, false])
    assert.equal(during.body.checks['database']?.ok, false)
    assert.notEqual(during.body.checks['database']?.detail, '')
    const refused = await tributary.admin('GET', '/admin/apps')
    assert.deepEqual([refused.status, (refused.body as { reason: string }).reason], [503, 'database_unavailable'])
    assert.equal((await fetch(`${tributary.url}/healthz`)).status, 200)
    const metrics = await fetch(`${tributary.url}/metrics`)
    assert.equal(metrics.status, 200)
    assert.match(
      await metrics.text(),
      /^tributary_log_lines_total\{level="warn",message="a metric could not be read"\} [1-9]/m,
    )
    assert.equal((await fetch(`${tributary.url}/docs`)).status, 200)

    await line.mend()
    await untilReady()
    assert.equal((await tributary.admin('GET', '/admin/apps')).status, 200)
  })

  test('a refusal has Retry-After', async () => {
    await line.cut()
    const response = await fetch(`${tributary.url}/admin/apps`, {
      headers: { authorization: `Bearer ${tributary.adminToken}` },
    })
    await line.mend()
    assert.equal(response.status, 503)
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    await untilReady()
  })

  test('a load of writes gets success or 503, never anything else, and every acknowledged write is stored', async () => {
    const name = new URL(database.url).pathname.slice(1)
    const acknowledged: string[] = []
    const statuses = new Set<number>()
    const load = { over: false }
    const writers = Array.from({ length: 6 }, async () => {
      while (!load.over) {
        const { status, body } = await tributary.admin('POST', '/admin/apps', {
          name: 'n',
          redirect_uris: ['https://a.test/'],
        })
        statuses.add(status)
        if (status === 201) acknowledged.push((body as { client_id: string }).client_id)
      }
    })
    for (let i = 0; i < 8; i += 1) {
      const before = acknowledged.length
      await until('something is written', () => acknowledged.length > before + 5)
      if (i % 4 === 3) await line.cut().then(() => line.mend())
      else await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    }
    load.over = true
    await Promise.all(writers)
    await untilReady()
    assert.deepEqual(
      [...statuses].filter((status) => status !== 201 && status !== 503),
      [],
    )
    assert.ok(statuses.has(201))
    const listed = ((await tributary.admin('GET', '/admin/apps')).body as { client_id: string }[]).map(
      ({ client_id }) => client_id,
    )
    assert.deepEqual(
      acknowledged.filter((id) => !listed.includes(id)),
      [],
    )
  })

  test('no connection detail is revealed to callers', async () => {
    await line.cut()
    const text = JSON.stringify([await readyz(), await tributary.admin('GET', '/admin/apps')])
    await line.mend()
    const { password, pathname } = new URL(database.url)
    if (password !== '') assert.ok(!text.includes(password))
    assert.ok(!text.includes(pathname.slice(1)))
    await untilReady()
  })
})

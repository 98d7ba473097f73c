import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { migrate } from '#store/migrate.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { startTributary, type Tributary } from '../harness/start.ts'
import { until } from '../harness/until.ts'

/** What the next release may change while this one runs: add, never drop. */
const NEXT = `
  create table next_release (shard smallint not null, id text collate "C" not null, primary key (shard, id));
  alter table app add column next_note text;
  alter table item add column next_flag boolean;
  create index next_release_item on item (shard, profile_id, next_flag) where next_flag;`

suite('R03 a rolling upgrade', () => {
  let old: Tributary
  let folder: string
  /** The migration after those of this release. */
  const nextName = `${String(readMigrations().length + 1).padStart(4, '0')}-next.sql`
  before(async () => {
    old = await startTributary()
    folder = mkdtempSync(join(tmpdir(), 'tributary-next-'))
    cpSync(join(import.meta.dirname, '../../migrations'), folder, { recursive: true })
  })
  after(async () => {
    await old.stop()
    rmSync(folder, { recursive: true })
  })

  const next = (sql: string) => {
    writeFileSync(join(folder, nextName), sql)
    return readMigrations(folder)
  }

  test('R03 the next release migrates, fails half-way and resumes, while this one serves without an error', async () => {
    const load = { over: false }
    const responses = new Map<number, number>()
    const writers = Array.from({ length: 3 }, async () => {
      while (!load.over) {
        const made = await old.admin('POST', '/admin/apps', { name: 'n', redirect_uris: ['https://a.test/'] })
        const listed = await old.admin('GET', '/admin/apps')
        for (const { status } of [made, listed]) responses.set(status, (responses.get(status) ?? 0) + 1)
      }
    })
    const { database, clock } = old.store
    await assert.rejects(migrate(database, clock.now(), next(`${NEXT}\nselect nothing from nowhere;`)))
    assert.deepEqual(await migrate(database, clock.now(), next(NEXT)), [nextName])
    const afterwards = responses.get(201) ?? 0
    const hasFailed = () => [...responses.keys()].some((status) => status >= 500)
    await until('more is written', () => (responses.get(201) ?? 0) >= afterwards + 5 || hasFailed())
    load.over = true
    await Promise.all(writers)
    assert.deepEqual(new Set(responses.keys()), new Set([200, 201]))
  })

  test('R03 this release stays ready on the newer schema, so that it is not removed early', async () => {
    const response = await fetch(`${old.url}/readyz`)
    const { checks } = (await response.json()) as { checks: Record<string, { ok: boolean; detail: string }> }
    assert.deepEqual([response.status, checks['migrations']?.ok, checks['database']?.ok], [200, true, true])
    assert.match(checks['migrations']?.detail ?? '', /newer release/)
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { TASK_NAMES } from '#flows/operations/maintenance/task-names.ts'
import { statement } from '#platform/postgres/database.ts'
import { migrate } from '#store/migrate.ts'
import { TABLE_BOUNDS } from '../../../scripts/table-bounds.ts'
import { type Opened, openPrepared } from '../opened.ts'

const tables = statement(
  'bounds-tables',
  `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
)
/** Tasks that remove no row, or only what a crash left behind. */
const NO_TABLE = ['app_wakes', 'missing_cursors', 'person_terms', 'recount', 'unused_codes']

suite('bounds of tables', () => {
  let opened: Opened
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, 1)
  })
  after(() => opened?.close())

  test('every table has a bound, and nothing else', async () => {
    const found = await opened.database.rows<{ name: string }>(tables)
    assert.deepEqual(
      Object.keys(TABLE_BOUNDS).toSorted(),
      found.map(({ name }) => name),
    )
  })

  test('each names a task of maintenance that exists, and each task has a table', () => {
    const named = new Set(Object.values(TABLE_BOUNDS).flatMap(({ tasks = [] }) => tasks))
    assert.deepEqual([...named, ...NO_TABLE].toSorted(), TASK_NAMES.toSorted())
  })
})

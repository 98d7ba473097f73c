import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tablesWrittenBy } from './written-tables.ts'

test('the tables that a statement writes, also in its parts', () => {
  const text = `with gone as (delete from app_logo where id = $1), new as (insert into app_deletion (id) values ($1))
    update profile_sync set next_run_at = 0 from profile where id = $1`
  assert.deepEqual(tablesWrittenBy({ name: 'written-tables', text }), ['app_logo', 'app_deletion', 'profile_sync'])
  assert.deepEqual(tablesWrittenBy({ name: 'only-reads', text: 'select id from profile_sync' }), [])
})

test('composed statements, of which there may be any number, are not looked at', () => {
  for (const name of ['', 'auto-0123456789'])
    assert.deepEqual(tablesWrittenBy({ name, text: 'update profile_sync' }), [])
})

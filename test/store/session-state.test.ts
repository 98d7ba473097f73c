import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const sources = [...globSync('src/store/*.ts', { cwd: root }), ...globSync('migrations/*.sql', { cwd: root })]
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*|--).*$/gm, '') }))

// Behind a transaction pooler, session state is lost or seen by another client.
const FORBIDDEN: Record<string, RegExp> = {
  'listening to notifications': /\b(un)?listen\s+["a-z]|\bnotify\s+["a-z]|pg_notify/i,
  'locks that outlive a transaction': /pg_(try_)?advisory_(lock|unlock)/i,
  'settings of a session': /(['"`;]|^)\s*set\s+(session|time\s+zone|search_path|role|[a-z_]+\s*(=|to)\s)/im,
  'temporary tables': /create\s+(global\s+|local\s+)?temp/i,
  'cursors that outlive a transaction': /with\s+hold/i,
  'statements prepared in SQL': /(['"`;]|^)\s*(prepare|deallocate|discard)\s/im,
}

suite('no session state is used', () => {
  for (const [what, pattern] of Object.entries(FORBIDDEN)) {
    test(`no ${what}`, () => {
      assert.ok(sources.length > 5)
      assert.deepEqual(
        sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file),
        [],
      )
    })
  }

  test('each of them would be detected', () => {
    const samples: Record<string, string> = {
      'listening to notifications': "query('listen changes')",
      'locks that outlive a transaction': 'select pg_advisory_lock($1)',
      'settings of a session': "query('set search_path = x')",
      'temporary tables': 'create temp table x',
      'cursors that outlive a transaction': 'declare c cursor with hold for',
      'statements prepared in SQL': "query('prepare x as')",
    }
    for (const [what, pattern] of Object.entries(FORBIDDEN)) assert.match(samples[what]!, pattern)
    assert.doesNotMatch(
      'select pg_advisory_xact_lock($1); update app set name = $2',
      FORBIDDEN['locks that outlive a transaction']!,
    )
    assert.doesNotMatch("'update app set name = $2 where id = $1'", FORBIDDEN['settings of a session']!)
  })
})

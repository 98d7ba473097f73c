import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ALLOWED_SECONDS, aboveAllowed } from './allowance.ts'
import { differByTables, filesOfTier, repeatedIn } from './tiers.ts'

const root = join(import.meta.dirname, '../..')

test('each test file is in exactly one tier, in the checks, or tests software of others', () => {
  const every = globSync('{src,lab,test,web/src}/**/*.test.ts', { cwd: root }).filter(
    (file) => !file.includes('node_modules'),
  )
  const [quick, system] = [filesOfTier(root, 'test'), filesOfTier(root, 'system')]
  assert.deepEqual(
    quick.filter((file) => system.includes(file)),
    [],
  )
  const inNeither = every.filter((file) => !quick.includes(file) && !system.includes(file))
  for (const file of inNeither) assert.match(file, /^test\/(\w+(-\w+)?\.test\.ts|real\/self\/)/)
  assert.ok(quick.length > system.length)
  assert.ok(system.length > 40)
})

test('what makes its own tables runs once on each server', () => {
  const { again } = repeatedIn(root, 'system')
  const differing = differByTables(root, again)
  for (const name of ['statements', 'leases', 'keyring', 'plans/dashboard-plans', 'session-state'])
    assert.ok(differing.includes(`test/store/${name}.test.ts`), name)
  for (const name of ['migrations', 'copy', 'catalogue', 'cluster'])
    assert.ok(again.includes(`test/store/${name}.test.ts`) && !differing.includes(`test/store/${name}.test.ts`), name)
  // Elsewhere a fixture may start a service.
  const elsewhere = again.map(() => 'test/runner/tiers.test.ts')
  assert.deepEqual(differByTables(root, elsewhere), elsewhere)
})

test('a tier above what it is allowed is named, and a slow machine has more', () => {
  const most = { processes: ALLOWED_SECONDS.test - 1, databases: 1 }
  assert.equal(aboveAllowed('test', most, 1), undefined)
  assert.match(aboveAllowed('test', { ...most, databases: 2 }, 1)!, /above the/)
  assert.equal(aboveAllowed('test', { ...most, databases: 2 }, 1.1), undefined)
})

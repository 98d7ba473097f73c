import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { tributary } from '../harness/command-line.ts'
import { freshDatabase, type TestDatabase } from '../harness/database/database.ts'

suite('on a server that is not sharded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-cluster-'))
  let database: TestDatabase
  before(async () => {
    database = await freshDatabase()
  })
  after(async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const env = () => ({ TRIBUTARY_DATA: folder, DATABASE_URL: database.url, PORT: '0' })

  for (const name of ['plan', 'check'])
    test(`cluster ${name} is refused and prints no SQL`, async () => {
      const { code, stdout, stderr } = await tributary(['cluster', name], env())
      assert.deepEqual([code, stdout], [3, ''])
      assert.match(stderr, /not sharded/)
      assert.match(stderr, /Several database nodes/)
      const json = await tributary(['cluster', name, '--json'], env())
      assert.equal(json.code, 3)
      assert.equal((JSON.parse(json.stdout) as { reason: string }).reason, 'cluster_absent')
    })

  test('a wrong number of shards is a usage error', async () => {
    for (const count of ['0', 'x', '1025'])
      assert.equal((await tributary(['cluster', 'plan', '--shard-count', count], env())).code, 2)
  })

  test('doctor says nothing about nodes', async () => {
    const { stdout } = await tributary(['doctor', '--json'], env())
    const { findings } = JSON.parse(stdout) as { findings: { name: string }[] }
    assert.ok(findings.some(({ name }) => name === 'database'))
    assert.ok(!findings.some(({ name }) => name === 'cluster'))
  })
})

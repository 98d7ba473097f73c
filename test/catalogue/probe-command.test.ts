import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { LabEntry } from '../../lab/catalogue/entry.ts'
import { type CatalogueLab, startCatalogueLab } from '../../lab/catalogue/server.ts'
import { tributary as cli } from '../harness/command-line.ts'
import { LOOPBACK_TYPED } from '../harness/loopback.ts'
import { startTributary, type Tributary } from '../harness/start.ts'
import { ENTRIES } from './entries.ts'

const CONNECTORS = join(import.meta.dirname, 'probed-connectors')

suite('tributary catalogue probe', () => {
  let lab: CatalogueLab
  let service: Tributary
  let folder: string
  before(async () => {
    lab = await startCatalogueLab({ asana: ENTRIES.get('asana') } as unknown as Record<string, LabEntry>)
    process.env['TEST_PROBED_URL'] = lab.urlOf('asana')
    service = await startTributary({ ...LOOPBACK_TYPED, TRIBUTARY_CONNECTORS: CONNECTORS })
    folder = mkdtempSync(join(tmpdir(), 'tributary-probe-'))
  })
  after(async () => {
    delete process.env['TEST_PROBED_URL']
    await service.stop()
    await lab.close()
    rmSync(folder, { recursive: true })
  })

  const probe = (...args: string[]) =>
    cli(['catalogue', 'probe', ...args], {
      ...LOOPBACK_TYPED,
      TRIBUTARY_CONNECTORS: CONNECTORS,
      DATABASE_URL: service.databaseUrl,
      TRIBUTARY_DATA: service.dataDir,
    })

  test('asks the page of a service, says what it answered and writes it down', async () => {
    const into = join(folder, 'findings.json')
    const { code, stdout, stderr } = await probe('asana', '--into', into)
    assert.equal(code, 0, stderr)
    const address = `${lab.urlOf('asana')}/-/oauth_authorize`
    assert.match(stdout, new RegExp(`^asana +refused +400 .*${address}`, 'm'))
    const [finding] = JSON.parse(readFileSync(into, 'utf8')) as Record<string, unknown>[]
    assert.deepEqual([finding?.['service'], finding?.['result'], finding?.['address']], ['asana', 'refused', address])
    assert.doesNotMatch(stdout + readFileSync(into, 'utf8'), /client_id|state=/)
  })

  test('as JSON the same; a page that nobody answers any more is told as such', async () => {
    await lab.close()
    const { code, stdout, stderr } = await probe('asana', '--json')
    assert.equal(code, 0, stderr)
    const [finding] = JSON.parse(stdout) as Record<string, unknown>[]
    assert.deepEqual([finding?.['result'], finding?.['status']], ['unreachable', undefined])
  })

  test('refuses a service that nobody knows, and a number that is none, before it asks anybody', async () => {
    const unknown = await probe('asana,nothing-of-the-kind')
    assert.deepEqual([unknown.code, /There is no service nothing-of-the-kind/.test(unknown.stderr)], [2, true])
    for (const wrong of ['0', '33', 'many']) assert.equal((await probe('asana', '--parallel', wrong)).code, 2, wrong)
  })
})

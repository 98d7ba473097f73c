import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { tributary, tributaryProcess } from '../harness/command-line.ts'

const ACME = {
  title: 'Acme',
  docs: 'https://acme.example/docs',
  checked: '2026-11-19',
  certainty: 'declared',
  sources: ['https://acme.example/docs'],
  category: 'work',
  auth: { key: { place: { header: 'x-api-key' } } },
  api: { base: 'https://api.acme.example' },
  self: { from: 'key', proof: '/status' },
}

suite('services of an operator, as data', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tributary-entries-'))
    // Other files of the folder, such as the settings of an editor, are not entries.
    writeFileSync(join(folder, 'tsconfig.json'), '{}')
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  function write(file: unknown): string {
    const path = join(folder, 'mine.services.json')
    writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
    return path
  }

  test('are loaded from the folder of the operator, and pass the check', async () => {
    const path = write({ services: { acme: ACME, github: { ...ACME, title: 'Our GitHub' } } })
    const checked = await tributary(['connector', 'check', path, '--json'])
    assert.equal(checked.code, 0, checked.stderr)
    const { results } = JSON.parse(checked.stdout) as { results: { check: string }[] }
    assert.deepEqual(results.map(({ check }) => check).sort(), ['acme', 'github'])
    const listed = await tributaryProcess(['services', '--json'], { TRIBUTARY_CONNECTORS: folder })
    assert.equal(listed.code, 0, listed.stderr)
    const services = JSON.parse(listed.stdout) as { service: string; title: string }[]
    assert.ok(services.some(({ service }) => service === 'acme'))
    assert.equal(
      services.find(({ service }) => service === 'github')?.title,
      'Our GitHub',
      'an entry wins, as a file does',
    )
  })

  test('stop the start where one can never work, and are named with the path', async () => {
    const path = write({
      services: { acme: { ...ACME, api: { base: 'https://{ask.shop}.acme.example' } }, 'A b': ACME },
    })
    for (const run of [
      () => tributary(['connector', 'check', path]),
      () => tributaryProcess(['services'], { TRIBUTARY_CONNECTORS: folder }),
    ]) {
      const { code, stderr } = await run()
      assert.equal(code, 3, stderr)
      for (const part of [path, '`acme` at `api.base`', '{ask.shop}', 'A b']) assert.ok(stderr.includes(part), stderr)
    }
  })

  test('say where a file is not JSON', async () => {
    const { code, stderr } = await tributary(['connector', 'check', write('{"services": {,}}')])
    assert.equal(code, 3)
    assert.match(stderr, /it is not JSON: line 1, column \d+/)
  })
})

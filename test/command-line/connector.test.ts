import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { tributary, tributaryProcess } from '../harness/command-line.ts'

const root = join(import.meta.dirname, '../..')

suite('a connector outside the repository', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tributary-connectors-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const file = (name: string) => join(folder, name)
  /** Writes a variant of the new connector, with the same simulator. */
  function variant(name: string, change: (text: string) => string): string {
    const write = (suffix: string, text: string) => writeFileSync(file(`${name}${suffix}`), text)
    write('.ts', change(readFileSync(file('acme.ts'), 'utf8').replaceAll('acme', name)))
    write('.simulator.ts', readFileSync(file('acme.simulator.ts'), 'utf8'))
    return file(`${name}.ts`)
  }
  const remove = (name: string) => {
    for (const suffix of ['.ts', '.simulator.ts']) rmSync(file(`${name}${suffix}`))
  }

  test('is written with a simulator and a test, and passes its own check, test and compiler', async () => {
    const made = await tributary(['connector', 'new', 'acme', '--into', folder])
    assert.equal(made.code, 0, made.stderr)
    const checked = await tributaryProcess(['connector', 'check', file('acme.ts'), '--json'])
    assert.equal(checked.code, 0, checked.stdout + checked.stderr)
    const { results } = JSON.parse(checked.stdout) as { results: { check: string }[] }
    assert.deepEqual(
      results.map(({ check }) => check),
      ['definition', 'self', 'notes'],
    )
    const tested = spawnSync(process.execPath, ['--test', file('acme.test.ts')], { encoding: 'utf8', cwd: folder })
    assert.equal(tested.status, 0, tested.stdout)
    const compile = () => spawnSync(join(root, 'node_modules/.bin/tsc'), [], { encoding: 'utf8', cwd: folder })
    const compiled = compile()
    assert.equal(compiled.status, 0, compiled.stdout)
    // The types are real: a wrong field is an error.
    const wrong = variant('wrong', (text) => text.replace("class: 'personal'", "class: 'private'"))
    assert.match(compile().stdout, /wrong\.ts.*private/)
    const message = await tributaryProcess(['connector', 'check', wrong])
    assert.equal(message.code, 3)
    assert.ok(
      message.stderr.includes(`${wrong} cannot be used: \`endpoints.notes.class\` must be core, personal or social`),
    )
    remove('wrong')
  })

  test('is loaded from the folder of the operator', async () => {
    const listed = await tributaryProcess(['services', '--json'], { TRIBUTARY_CONNECTORS: folder })
    assert.equal(listed.code, 0, listed.stderr)
    assert.ok((JSON.parse(listed.stdout) as { service: string }[]).some(({ service }) => service === 'acme'))
  })

  test('is found without the link beside it', async () => {
    rmSync(file('node_modules'), { recursive: true })
    const checked = await tributaryProcess(['connector', 'check', file('acme.ts')])
    assert.equal(checked.code, 0, checked.stdout + checked.stderr)
  })

  test('is not overwritten, and needs a valid name', async () => {
    const again = await tributary(['connector', 'new', 'acme', '--into', folder])
    assert.equal(again.code, 2)
    assert.match(again.stderr, /exists already/)
    assert.equal((await tributary(['connector', 'new', '../acme', '--into', folder])).code, 2)
    assert.equal((await tributary(['connector', 'check', file('nothing.ts')])).code, 2)
  })

  test('every mistake is told with file, field and what was expected', async () => {
    const path = variant('bad', (text) =>
      text
        .replace("types: ['statuses']", "types: ['stati' as never]")
        .replace("path: '/notes'", "path: 'notes'")
        .replace("baseUrl: 'https://api.bad.example'", "baseUrl: 'api'"),
    )
    const start = await tributaryProcess(['services'], { TRIBUTARY_CONNECTORS: folder })
    assert.equal(start.code, 3)
    for (const part of [path, 'api.baseUrl', 'endpoints.notes.path', 'endpoints.notes.types'])
      assert.ok(start.stderr.includes(part), `${part} in ${start.stderr}`)
    remove('bad')
    const broken = variant('broken', (text) => text.replace("every: '1h'", "every: 'often'"))
    const thrown = await tributaryProcess(['connector', 'check', broken])
    assert.equal(thrown.code, 3)
    assert.match(thrown.stderr, /broken\.ts cannot be used: .*“often” is not a duration.*\(line \d+\)/)
    remove('broken')
  })

  test('what only a running service shows is found by the check', async () => {
    const endless = variant('endless', (text) => text.replace('=> next ?? undefined', "=> next ?? '0'"))
    const looped = await tributaryProcess(['connector', 'check', endless])
    assert.equal(looped.code, 4, looped.stderr)
    assert.match(looped.stdout, /FAIL +notes/)
    remove('endless')
    const seconds = variant('seconds', (text) =>
      text.replace('at: ({ created_at }) => timeOf(created_at)', 'at: () => 1_700_000_000'),
    )
    assert.match((await tributaryProcess(['connector', 'check', seconds])).stdout, /FAIL +notes/)
    remove('seconds')
    const numbered = variant('numbered', (text) => {
      assert.match(text, /map: \{/)
      return text.replace('map: {', 'map: { lang: () => 7 as never,')
    })
    const { stdout } = await tributaryProcess(['connector', 'check', numbered])
    assert.match(stdout, /FAIL +notes[^]*map\.lang: .*expected string.*its reader returned 7/)
    remove('numbered')
  })
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { suite, test } from 'node:test'
import { openCatalogue } from '#boot/catalogue.ts'
import { readEntryFile } from '#boot/read-entry-file.ts'
import { connectors } from '#connectors/index.ts'
import { needsKeys } from '#kit/auth/auth.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { ENTRIES, ENTRY_FILES } from './entries.ts'

suite('the entries of the catalogue', () => {
  for (const path of ENTRY_FILES)
    test(`${basename(path)} can be used`, () => assert.deepEqual(readEntryFile(readFileSync(path, 'utf8')).faults, []))

  test('are sorted, and each service is in one file', () => {
    const names = ENTRY_FILES.map((path) =>
      Object.keys((JSON.parse(readFileSync(path, 'utf8')) as { services: object }).services),
    )
    for (const each of names) assert.deepEqual(each, each.toSorted())
    assert.equal(new Set(names.flat()).size, names.flat().length)
  })

  test('have titles and names that no connector has', () => {
    const taken = new Set(connectors.flatMap(({ service, aliases, title }) => [service, title, ...aliases]))
    assert.deepEqual(
      [...ENTRIES].filter(([name, { title }]) => taken.has(name) || taken.has(title)),
      [],
    )
    const titles = [...ENTRIES.values()].map(({ title }) => title)
    assert.deepEqual(
      titles.filter((title, i) => titles.indexOf(title) !== i),
      [],
    )
  })

  test('that are agreed name two sources, or one that the vendor publishes', () => {
    const isVendors = (source: string) => source.endsWith(':vendor') || source.startsWith('https://')
    const alone = [...ENTRIES].filter(
      ([, { certainty, sources }]) =>
        certainty === 'agreed' && !sources.some(isVendors) && sources.filter((each) => each !== 'by-hand').length < 2,
    )
    assert.deepEqual(
      alone.map(([name]) => name),
      [],
    )
  })

  test('are in the index beside the connectors, as they are when they are expanded', () => {
    const registry = createRegistry(connectors, openCatalogue())
    const index = registry.index()
    assert.equal(index.length, connectors.length + ENTRIES.size)
    assert.equal(registry.index(), index)
    for (const { service, title, auth, needsKeys: needed, aliases, category, conditions, isSynced } of index) {
      const expanded = registry.find(service)
      assert.ok(expanded !== undefined && category !== undefined, service)
      const known = { title, aliases, category, conditions, needed, isSynced }
      assert.deepEqual(known, {
        title: expanded.title,
        aliases: expanded.aliases,
        category: expanded.category,
        conditions: expanded.conditions ?? [],
        needed: needsKeys(expanded.auth),
        isSynced: Object.keys(expanded.endpoints).length > 0,
      })
      // A key that names nobody is typed with a label.
      if (expanded.vouchedBy === undefined) assert.equal(auth, expanded.auth.kind, service)
    }
  })

  test('are found beside the connectors, which win, and are expanded once', () => {
    const registry = createRegistry(connectors, openCatalogue())
    const asana = registry.find('asana')
    assert.equal(asana?.title, 'Asana')
    assert.equal(registry.find('asana'), asana)
    assert.equal(registry.find('nothing-of-the-kind'), undefined)
    assert.ok(registry.list().every(({ service }) => !ENTRIES.has(service)))
  })
})

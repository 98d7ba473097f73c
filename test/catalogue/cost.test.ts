import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openCatalogue } from '#boot/catalogue.ts'
import { connectors } from '#connectors/index.ts'
import { createRegistry } from '#kit/connector/registry.ts'

test('the catalogue is read when it is first searched, or asked for a service without a connector', () => {
  // Reading it fails.
  const registry = createRegistry(connectors, openCatalogue(join(tmpdir(), 'no-such-catalogue')))
  assert.equal(registry.list().length, connectors.length)
  assert.equal(registry.find('github')?.service, 'github')
  assert.ok(registry.mark('github'))
  for (const read of [() => registry.index(), () => registry.find('asana')]) assert.throws(read, /ENOENT/)
})

test('a search expands no entry, and a service that is asked for only its own, once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-catalogue-'))
  try {
    const entries = join(folder, 'entries')
    mkdirSync(entries)
    const known = {
      title: 'X',
      docs: 'https://x.example',
      category: 'work',
      certainty: 'declared',
      checked: '2026-11-19',
    }
    const right = {
      ...known,
      auth: { key: { place: { header: 'x-key' } } },
      api: { base: 'https://x.example' },
      self: { from: 'key', proof: '/' },
    }
    // It cannot be expanded: it has no `api`.
    const wrong = { ...known, auth: { key: { place: { header: 'x-key' } } } }
    writeFileSync(join(entries, 'a.json'), JSON.stringify({ services: { right, wrong } }))
    const registry = createRegistry([], openCatalogue(entries))
    assert.equal(registry.index().length, 2)
    rmSync(join(entries, 'a.json'))
    const found = registry.find('right')
    assert.ok(found !== undefined)
    assert.equal(registry.find('right'), found)
    assert.equal(registry.index(), registry.index())
    assert.throws(() => registry.find('wrong'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

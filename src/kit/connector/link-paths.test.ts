import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compileLinkPaths, foldName, type LinkPlace, linkPathFault } from './link-paths.ts'

function placeAt(paths: string[], names: string[]): LinkPlace {
  return names.reduce((place, name) => place.names.get(foldName(name)) ?? place.other, compileLinkPaths(paths))
}

suite('paths of links', () => {
  test('are names, any name, or any number of names first', () => {
    for (const [path, ...names] of [
      ['next', 'next'],
      ['next', 'NEXT'],
      ['next.links', 'Next', 'lin\u212A\u017F'],
      ['paging.next', 'paging', 'next'],
      ['@odata.nextLink', '@odata.nextLink'],
      ['@odata.nextLink', '@odata', 'nextLink'],
      ['*.href', '7', 'href'],
      ['links.*', 'links', 'self'],
      ['**.next', 'next'],
      ['**.next', 'a', 'b', 'next'],
      ['**.a.next', 'a', 'a', 'next'],
      ['**.a.b.next', 'a', 'b', 'a', 'b', 'next'],
    ] as [string, ...string[]][])
      assert.equal(placeAt([path], names).isLink, true, `${path} at ${names.join()}`)
    for (const [path, ...names] of [
      ['next', 'a', 'next'],
      ['paging.next', 'paging'],
      ['*.href', 'href'],
      ['links.*', 'links'],
      ['**.a.next', 'a', 'b', 'next'],
    ] as [string, ...string[]][])
      assert.equal(placeAt([path], names).isLink, false, `${path} at ${names.join()}`)
  })

  test('end where nothing below can be a link', () => {
    assert.equal(placeAt(['a.next', 'b.*'], ['c']).isDead, true)
    assert.equal(placeAt(['a.next', 'b.*'], ['a']).isDead, false)
    assert.equal(placeAt(['**.next'], ['a', 'b', 'c']).isDead, false)
  })

  test('are refused when they are none', () => {
    for (const good of [['next'], ['**.a.b.c.d.e.f.g'], ['*.*.*.*.*.*.*.*'], ['@odata.nextLink', 'a-b.c d']])
      assert.equal(linkPathFault(good), undefined, String(good))
    for (const bad of [
      'next',
      [],
      [''],
      ['.next'],
      ['next.'],
      ['a..b'],
      ['**'],
      ['a.**.b'],
      ['**.**.b'],
      ['**.*.b'],
      ['a.b.c.d.e.f.g.h.i'],
      [7],
      Array.from({ length: 33 }, (_, i) => `a${i}`),
    ])
      assert.equal(typeof linkPathFault(bad), 'string', String(bad))
  })
})

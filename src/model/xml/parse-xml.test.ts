import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FormatError } from '../format-error.ts'
import { elementAt, elementsIn, textIn } from './element.ts'
import { parseXml } from './parse-xml.ts'

const reasonOf = (text: string): string => {
  try {
    parseXml(text)
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error))
    return error.reason
  }
  return 'none'
}

suite('XML of services', () => {
  test('a multi-status response, whatever its prefixes', () => {
    const bodies = [
      `<?xml version="1.0" encoding="utf-8"?>
       <d:multistatus xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">
         <d:response><d:href>/a%20b.vcf</d:href><d:propstat><d:prop><d:getetag>"1&amp;2"</d:getetag>
         <card:address-data><![CDATA[BEGIN:VCARD<x>]]></card:address-data></d:prop></d:propstat></d:response>
       </d:multistatus>`,
      `<multistatus xmlns="DAV:"><response><href>/a%20b.vcf</href><propstat><prop><getetag>&#34;1&#x26;2&quot;</getetag>
       <C:address-data xmlns:C="urn:ietf:params:xml:ns:carddav">BEGIN:VCARD&lt;x&gt;</C:address-data></prop></propstat></response></multistatus>`,
    ]
    for (const body of bodies) {
      const root = parseXml(body)
      assert.deepEqual([root.name, root.ns], ['multistatus', 'DAV:'])
      const [response] = elementsIn(root, 'response')
      assert.equal(textIn(response, 'href'), '/a%20b.vcf')
      assert.equal(textIn(response, 'propstat', 'prop', 'getetag'), '"1&2"')
      const data = elementAt(response, 'propstat', 'prop', 'address-data')
      assert.deepEqual([data?.ns, textIn(data)], ['urn:ietf:params:xml:ns:carddav', 'BEGIN:VCARD<x>'])
    }
  })

  test('attributes, empty elements and mixed content', () => {
    const root = parseXml(`<feed a='1 &lt; "2"'><link href="/x" /><!-- no --><p>one <b>two</b> three</p><e></e></feed>`)
    assert.deepEqual(root.attributes, { a: '1 < "2"' })
    assert.deepEqual(root.content, [
      { name: 'link', attributes: { href: '/x' } },
      { name: 'p', content: ['one ', { name: 'b', content: ['two'] }, ' three'] },
      { name: 'e' },
    ])
  })

  test('a document type is refused, so nothing is expanded or fetched', () => {
    const bomb = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>'
    assert.equal(reasonOf(bomb), 'xml_invalid')
    assert.equal(reasonOf('<!DOCTYPE l SYSTEM "file:///etc/passwd"><l/>'), 'xml_invalid')
    assert.equal(textIn(parseXml('<l>&b; &nbsp;</l>')), '&b; &nbsp;')
  })

  test('names of attributes are data', () => {
    const { attributes } = parseXml('<a __proto__="x"/>')
    assert.deepEqual(Object.keys(attributes ?? {}), ['__proto__'])
    assert.equal(Object.getPrototypeOf(attributes), Object.prototype)
  })

  test('broken texts', () => {
    for (const text of [
      '',
      'x',
      '<a>',
      '<a></b>',
      '<a/><b/>',
      '<a b></a>',
      '<a b=1/>',
      '<a b="1" b="2"/>',
      '<p:a/>',
      '<a',
      '<a><!--',
      '<a b="<"/>',
      '</a>',
      '{"a":1}',
    ])
      assert.equal(reasonOf(text), 'xml_invalid', text)
  })

  test('bounds', () => {
    assert.equal(reasonOf(`${'<a>'.repeat(64)}${'</a>'.repeat(64)}`), 'none')
    assert.equal(reasonOf(`${'<a>'.repeat(65)}${'</a>'.repeat(65)}`), 'xml_too_large')
    assert.equal(reasonOf(`<a>${'<b/>'.repeat(200_001)}</a>`), 'xml_too_large')
    assert.equal(reasonOf(`<a ${Array.from({ length: 101 }, (_, at) => `a${at}=""`).join(' ')}/>`), 'xml_too_large')
    assert.equal(reasonOf(`<a xmlns="${'n'.repeat(301)}"/>`), 'xml_too_large')
    assert.equal(reasonOf(`<${'n'.repeat(301)}/>`), 'xml_too_large')
    const prefixes = Array.from({ length: 51 }, (_, at) => `xmlns:p${at}="n"`)
    assert.equal(reasonOf(`<a ${prefixes.join(' ')}/>`), 'xml_too_large')
    assert.equal(reasonOf(`<a xmlns="${'n'.repeat(300)}">${'<b/>'.repeat(20_000)}</a>`), 'xml_too_large')
  })
})

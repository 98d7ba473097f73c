import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isZip, listZip, readZipEntry, ZipError, type ZipFault } from '#platform/formats/zip.ts'
import { makeZip } from '../harness/make-zip.ts'

const MAX = { maxEntries: 10 }
const contents = (zip: Buffer, maxBytes = 1000) =>
  listZip(zip, MAX).map((entry) => [entry.name, readZipEntry(zip, entry, maxBytes).toString()])
const refusedAs = (fault: ZipFault) => (error: unknown) => error instanceof ZipError && error.fault === fault

suite('S83 ZIP archives', () => {
  test('compressed and stored files, folders, a comment, names in UTF-8', () => {
    const zip = makeZip(
      [
        { name: 'a/', content: '', stored: true },
        { name: 'a/ü.ics', content: 'one' },
        { name: 'b.vcf', content: 'two', stored: true },
      ],
      { comment: 'PK\x05\x06 is not the end' },
    )
    assert.ok(isZip(zip))
    assert.deepEqual(contents(zip), [
      ['a/ü.ics', 'one'],
      ['b.vcf', 'two'],
    ])
    assert.deepEqual(contents(makeZip([])), [])
    assert.equal(isZip(Buffer.from('PK')), false)
  })

  test('what is before the archive is ignored only if the directory says so', () => {
    const zip = makeZip([{ name: 'a', content: 'x' }])
    assert.throws(() => contents(Buffer.concat([zip, Buffer.from('rest')])), refusedAs('damaged'))
  })

  const wrong: [what: string, fault: ZipFault, zip: Buffer][] = [
    ['an encrypted file', 'encrypted', makeZip([{ name: 'a', content: 'x', flags: 1 }])],
    ['an encrypted directory', 'encrypted', makeZip([{ name: 'a', content: 'x', flags: 0x2000 }])],
    ['another compression', 'unsupported', makeZip([{ name: 'a', content: 'x', method: 14 }])],
    ['a ZIP64 size', 'unsupported', makeZip([{ name: 'a', content: 'x', size: 0xffff_ffff }])],
    ['a ZIP64 offset', 'unsupported', makeZip([{ name: 'a', content: 'x', offset: 0xffff_ffff }])],
    ['a ZIP64 directory', 'unsupported', makeZip([{ name: 'a', content: 'x' }], { entries: 0xffff })],
    [
      'too many entries',
      'too_many_entries',
      makeZip(Array.from({ length: 11 }, (_, i) => ({ name: `${i}`, content: '' }))),
    ],
    ['more entries than there are', 'damaged', makeZip([{ name: 'a', content: 'x' }], { entries: 3 })],
    ['a size that is too small', 'damaged', makeZip([{ name: 'a', content: 'x'.repeat(500), size: 10 }])],
    ['a size that is too large', 'damaged', makeZip([{ name: 'a', content: 'x', size: 10 }])],
    ['a wrong checksum', 'damaged', makeZip([{ name: 'a', content: 'x', crc: 1 }])],
    ['an offset outside', 'damaged', makeZip([{ name: 'a', content: 'x', offset: 99_999 }])],
    ['a large file', 'too_large', makeZip([{ name: 'a', content: 'x'.repeat(1001) }])],
    ['no end', 'damaged', makeZip([{ name: 'a', content: 'x' }]).subarray(0, 40)],
    ['only its first bytes', 'damaged', Buffer.from('PK\x03\x04', 'latin1')],
  ]
  for (const [what, fault, zip] of wrong)
    test(`${what}: ${fault}`, () => assert.throws(() => contents(zip), refusedAs(fault)))

  test('any cut or changed byte is read or refused, and never anything else', () => {
    const zip = makeZip([
      { name: 'a.ics', content: 'BEGIN:VCALENDAR' },
      { name: 'b.ics', content: 'x'.repeat(100) },
    ])
    const attempt = (bytes: Buffer) => {
      try {
        contents(bytes)
      } catch (error) {
        assert.ok(error instanceof ZipError, String(error))
      }
    }
    for (let at = 0; at < zip.length; at += 1) {
      attempt(zip.subarray(0, at))
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(zip)
        changed[at] = value
        attempt(changed)
      }
    }
  })
})

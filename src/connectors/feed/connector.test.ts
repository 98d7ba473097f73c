import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { parseXml } from '#model/xml/parse-xml.ts'
import { feed } from './connector.ts'
import { timeIn } from './dates.ts'
import { feedLinkIn } from './discover.ts'
import type { FeedBody } from './shapes.ts'

const OWNER = 'https://blog.test/feed'
const { entries } = { entries: feed.endpoints['entries']! }
const recordsOf = (body: string) =>
  entries.items((body.startsWith('<') ? parseXml(body) : JSON.parse(body)) as FeedBody) ?? []
const read = (body: string) => recordsOf(body).map(itemReader(feed, 'entries', entries, OWNER))
const maps = (body: string) => recordsOf(body).map((one) => mapOf(entries, one, OWNER))

suite('dates of feeds', () => {
  for (const [text, iso] of [
    ['Fri, 01 May 2026 10:00:00 GMT', '2026-05-01T10:00:00Z'],
    ['Fri, 1 May 26 10:00 EST', '2026-05-01T15:00:00Z'],
    ['1 May 2026 10:00:00 +0200', '2026-05-01T08:00:00Z'],
    ['Friday, 01 September 2026 1:02:03 -07:30', '2026-09-01T08:32:03Z'],
    ['Tue, 1 Sept 2026', '2026-09-01T00:00:00Z'],
    ['01-May-99 10:00:00', '1999-05-01T10:00:00Z'],
    ['2026-05-01T10:00:00.5+02:00', '2026-05-01T08:00:00.5Z'],
    ['2026-05-01 10:00', '2026-05-01T10:00:00Z'],
    ['2026-05-01T10:00:00+0200', '2026-05-01T08:00:00Z'],
    ['2026-05-01', '2026-05-01T00:00:00Z'],
  ] as const)
    test(text, () => assert.equal(timeIn(text), Date.parse(iso)))
  test('other texts', () => {
    for (const text of ['', 'yesterday', '32', '99 Foo 2026', 'x'.repeat(200), undefined])
      assert.equal(timeIn(text), undefined)
  })
})

suite('formats', () => {
  test('RSS 2.0: HTML, authors, enclosures and places', () => {
    const body = `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#"
      xmlns:itunes="http://www.itunes.com/DTDs/Podcast-1.0.dtd"><channel><link>https://blog.test/</link><language>de</language><item><title>A &amp;amp; B</title>
      <link>/one</link><author>ada@blog.test (Ada)</author><pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate><description>Short</description>
      <content:encoded><![CDATA[<p>See <a href="https://a.test/?a=1&amp;b=2">this</a><script>x</script></p>]]></content:encoded>
      <enclosure url="https://cdn.test/1.mp3" length="12" type="audio/mpeg"/><itunes:duration>1:01:01</itunes:duration>
      <geo:lat>52.5</geo:lat><geo:long>13.4</geo:long></item></channel></rss>`
    const [item] = read(body)
    assert.deepEqual(
      [item?.nativeId, item?.types, item?.place],
      ['https://blog.test/one', ['news', 'tracks'], { lat: 52.5, lng: 13.4 }],
    )
    const [map] = maps(body)
    assert.deepEqual(
      [map?.['title'], map?.['text'], map?.['urls']],
      ['A & B', 'A & B\n\nSee this', ['https://a.test/?a=1&b=2']],
    )
    assert.deepEqual(
      [map?.['media'], map?.['seconds'], map?.['artist'], map?.['lang']],
      ['https://cdn.test/1.mp3', 3661, 'Ada', 'de'],
    )
  })

  test('RSS 1.0 has its items beside the channel; a public document type is skipped', () => {
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel><title>T</title><link>https://r.test/</link></channel><item><title>One</title><link>https://r.test/1</link><dc:date>2026-05-01</dc:date></item></rdf:RDF>`
    assert.deepEqual(
      read(rdf).map(({ nativeId, at }) => [nativeId, at]),
      [['https://r.test/1', Date.UTC(2026, 4, 1)]],
    )
    const old = `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
      <rss version="0.91"><channel><item><title>Caf&eacute;</title></item></channel></rss>`
    assert.deepEqual(
      maps(old).map((map) => map['title']),
      ['Café'],
    )
    assert.match(read(old)[0]?.nativeId ?? '', /^#/)
  })

  test('Atom: bases, content types, inherited author', () => {
    const body = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.test/blog/"><author><name>Ada</name></author>
      <entry xml:base="2026/"><id>urn:1</id><title type="html">A &lt;b&gt;b&lt;/b&gt;</title><link href="1.html"/><link rel="enclosure" type="image/png" href="p.png"/>
      <published>2026-05-01T10:00:00Z</published><updated>2026-05-02T10:00:00Z</updated>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Hi <a href="x">there</a></div></content></entry></feed>`
    const [map] = maps(body)
    assert.deepEqual(
      [map?.['url'], map?.['title'], map?.['text']],
      ['https://a.test/blog/2026/1.html', 'A b', 'A b\n\nHi there'],
    )
    assert.deepEqual(
      [map?.['urls'], map?.['image'], map?.['author']],
      [['https://a.test/blog/2026/x'], 'https://a.test/blog/2026/p.png', { name: 'Ada', id: null }],
    )
    assert.equal(read(body)[0]?.at, Date.UTC(2026, 4, 1, 10))
  })

  test('JSON Feed: a message without a title', () => {
    const item = {
      id: 7,
      content_text: 'Hi',
      date_published: '2026-05-01T10:00:00Z',
      attachments: [{ url: 'https://a.test/v', mime_type: 'video/mp4' }],
    }
    const body = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      authors: [{ name: 'Ada' }],
      items: [item],
    })
    assert.deepEqual(
      read(body).map(({ nativeId, types }) => [nativeId, types]),
      [['7', ['statuses', 'videos']]],
    )
    assert.deepEqual(maps(body)[0]?.['author'], { name: 'Ada', url: undefined, id: null })
  })

  test('long shared values are not repeated, long ids are hashed, odd values are no addresses', () => {
    const item = {
      id: 'x'.repeat(600),
      url: 'javascript:alert(1)',
      title: 3,
      authors: 'x',
      attachments: [null, { url: {} }],
    }
    const body = JSON.stringify({ authors: [{ name: 'n'.repeat(3000) }], items: [item] })
    const [record] = recordsOf(body) as { author?: string }[]
    assert.equal(record?.author, undefined)
    assert.deepEqual([read(body)[0]?.nativeId.length, maps(body)[0]?.['url']], [33, undefined])
  })
})

suite('discovery', () => {
  const page = (link: string) => feedLinkIn(`<!doctype html><head>${link}</head><body>`, 'https://a.test/x/')
  test('links in the head', () => {
    assert.equal(
      page('<link href="/f?a=1&amp;b=2" type=application/atom+xml rel="home alternate">'),
      'https://a.test/f?a=1&b=2',
    )
    assert.equal(
      page('<base href="https://b.test/y/"><LINK REL=\'Alternate\' TYPE="application/feed+json" HREF="j">'),
      'https://b.test/y/j',
    )
    assert.equal(page('<link rel="stylesheet" type="application/rss+xml" href="x">'), undefined)
    assert.equal(feedLinkIn('<body><link rel=alternate type=application/rss+xml href=x>', 'https://a.test/'), undefined)
  })
  test('hostile pages are read in linear time', () => {
    for (const piece of ['<link ', '<link a="', 'a=', '<link a ', '<'])
      assert.equal(feedLinkIn(piece.repeat(200_000), 'https://a.test/'), undefined)
  })
})

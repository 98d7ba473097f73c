import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import { bodyCursorPages } from '#kit/endpoints/body-cursor-pages.ts'
import { token } from '#kit/endpoints/checkpoint.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { fromCallback } from '#kit/read/facts.ts'
import { kind } from '#kit/read/kind.ts'
import { elementsIn, textIn, type XmlElement } from '#model/xml/element.ts'
import { type Fixture, type Note, note, notes, openFixture, someNotes } from './engine-fixture.ts'

const response = kind<XmlElement>({
  name: 'entry',
  id: (element) => textIn(element, 'href') ?? '',
  map: { text: (element) => textIn(element, 'propstat', 'prop', 'displayname') },
})

type Listing = { notes: Note[]; cursor: string; more: boolean }

suite('bodies, methods and formats of an endpoint', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('an XML body is sent, XML is read, and the watermark continues in the body', async () => {
    const connector = await fixture.use('dav', {
      list: endpoint<XmlElement, XmlElement>({
        method: 'REPORT',
        path: '/dav/{id}',
        headers: { depth: '1' },
        body: { type: 'application/xml', text: '<sync><token>{watermark}</token><who>{id}</who></sync>' },
        parse: 'xml',
        items: (root) => elementsIn(root, 'response'),
        kind: response,
        types: ['files'],
        checkpoint: token({ param: 'unused', from: (root: XmlElement) => textIn(root, 'sync-token') }),
        every: '1h',
        class: 'core',
      }),
    })
    const multistatus = `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>/a</d:href><d:propstat><d:prop>
      <d:displayname>A &amp; B</d:displayname></d:prop></d:propstat></d:response><d:sync-token>t&lt;1</d:sync-token></d:multistatus>`
    fixture.service.on('/dav/a%26b', () => ({
      status: 207,
      headers: { 'content-type': 'application/xml' },
      body: multistatus,
    }))
    const profile = await fixture.connect(connector, 'a&b')
    await fixture.sync(profile)
    assert.deepEqual([...(await fixture.stored(profile)).keys()], ['/a'])
    await fixture.sync(profile)
    const [first, second] = fixture.service.requestsTo('/dav/a%26b')
    assert.deepEqual(
      [first?.method, first?.headers['depth'], first?.headers['content-type']],
      ['REPORT', '1', 'application/xml'],
    )
    assert.match(first?.headers.accept ?? '', /^application\/xml/)
    assert.equal(first?.body, '<sync><token></token><who>a&amp;b</who></sync>')
    assert.equal(second?.body, '<sync><token>t&lt;1</token><who>a&amp;b</who></sync>')
  })

  test('XML that expands or never ends fails the endpoint, not the worker', async () => {
    const connector = await fixture.use('bomb', {
      list: endpoint<XmlElement, XmlElement>({
        path: '/bomb',
        parse: 'xml',
        items: (root) => elementsIn(root, 'response'),
        kind: response,
        types: [],
        every: '1h',
        class: 'core',
      }),
    })
    const profile = await fixture.connect(connector)
    for (const body of ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '<a>'.repeat(100_000), '{"a":1}', '<a x="']) {
      fixture.service.on('/bomb', () => ({ body }))
      await fixture.sync(profile)
      const { state, last_error: error } = await fixture.progress(profile, 'list')
      assert.deepEqual([state, error], ['failing', 'The response of the service is not valid XML.'], body.slice(0, 20))
    }
  })

  test('CSV has a record for each row', async () => {
    const connector = await fixture.use('sheet', {
      list: endpoint<Note[], Note>({
        path: '/sheet',
        parse: 'csv',
        items: (rows) => rows,
        kind: note,
        types: ['statuses'],
        every: '1h',
        class: 'core',
        deletes: 'all',
      }),
    })
    fixture.service.on('/sheet', () => ({
      body: 'id,text\r\n1,"one, two"\r\n2,three\r\n',
      headers: { 'content-type': 'text/csv' },
    }))
    const profile = await fixture.connect(connector)
    await fixture.sync(profile)
    const stored = await fixture.stored(profile)
    assert.deepEqual(JSON.parse(stored.get('1')!.data), { id: '1', text: 'one, two' })
    assert.equal(stored.size, 2)
  })

  test('a cursor in the body continues elsewhere, after an interruption and in the next run', async () => {
    const connector = await fixture.use('folder', {
      list: notes('/folder', {
        method: 'POST',
        body: { json: { path: '', owner: '{id}' } },
        pages: bodyCursorPages({
          param: 'cursor',
          from: (body: Listing) => (body.more ? body.cursor : undefined),
          continueAt: '/folder/continue',
        }),
        checkpoint: token({ param: 'cursor', from: (body: Listing) => body.cursor }),
      }),
    })
    const all = someNotes(30)
    const page = (at: number) => ({
      notes: all.slice(at, at + 10),
      cursor: `c${Math.min(at + 10, 30)}`,
      more: at + 10 < 30,
    })
    const stopped = new AbortController()
    fixture.service.on('/folder', () => ({ body: page(0) }))
    fixture.service.on('/folder/continue', ({ body }) => {
      const { cursor } = JSON.parse(body) as { cursor: string }
      if (cursor === 'c20' && !stopped.signal.aborted) stopped.abort()
      return { body: page(Number(cursor.slice(1))) }
    })
    const profile = await fixture.connect(connector, 'o"1')
    await fixture.run(profile, stopped.signal)
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 30)
    assert.deepEqual(JSON.parse(fixture.service.requestsTo('/folder')[0]!.body), { path: '', owner: 'o"1' })
    assert.equal(fixture.service.requestsTo('/folder').length, 1, 'the walk was not begun again')
    fixture.service.requests.length = 0
    await fixture.sync(profile)
    assert.deepEqual(
      fixture.service.requests.map(({ method, path, body }) => [method, path, body]),
      [['POST', '/folder/continue', '{"cursor":"c30"}']],
    )
  })

  test('facts are filled when the call is made, not when the walk begins', async () => {
    const connector = await fixture.use(
      'realm',
      { list: notes('/company/{fact.realm}/notes', { headers: { realm: '{fact.realm}' } }) },
      {
        auth: oauth2({
          authorizeUrl: 'https://a.test',
          tokenUrl: 'https://a.test',
          facts: { realm: fromCallback('realmId') },
        }),
      },
    )
    fixture.service.on('/company/9%2F1/notes', () => ({ body: { notes: someNotes(1) } }))
    const profile = await fixture.connect(connector, 'ada', { facts: { realm: '9/1' } })
    await fixture.sync(profile)
    assert.equal((await fixture.stored(profile)).size, 1)
    assert.equal(fixture.service.requestsTo('/company/9%2F1/notes')[0]?.headers['realm'], '9/1')
  })
})

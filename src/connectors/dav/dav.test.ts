import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseXml } from '#model/xml/parse-xml.ts'
import { memberPages, membersIn, prepareList, syncTokens } from './members.ts'
import { davAuth, davRecovery, davSelf } from './server.ts'

const multistatus = (content: string) =>
  parseXml(`<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav">${content}</d:multistatus>`)
const response = (href: string, props: string, status = '200 OK') =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 ${status}</d:status></d:propstat></d:response>`
const gone = (href: string, status = '404 Not Found') =>
  `<d:response><d:href>${href}</d:href><d:status>HTTP/1.1 ${status}</d:status></d:response>`

const OPTIONS = { report: 'card:addressbook-multiget', data: 'card:address-data', batch: 2 } as const
const REQUEST = { method: 'REPORT', path: '/team/', query: {} } as const
const read = (body: unknown) => membersIn(body, 'team', OPTIONS, (text) => ({ text }))

suite('the members of a collection', () => {
  const etag = '<d:getetag>"1"</d:getetag>'
  const list = (token = '<d:sync-token>t1</d:sync-token>') =>
    multistatus(['a', 'b%20c', 'd'].map((name) => response(`/h/team/${name}.vcf`, etag)).join('') + token)
  const page = (request: object, body: unknown) =>
    memberPages(OPTIONS).next({ request: request as typeof REQUEST, body, headers: {}, count: 0 })

  test('a list leads to the content, in batches', () => {
    assert.deepEqual(read(list()), [])
    const first = page(REQUEST, list())
    assert.match(first?.body ?? '', /<href>\/h\/team\/a\.vcf<\/href><href>\/h\/team\/b%20c\.vcf<\/href><\/card:/)
    const second = page(first!, multistatus(''))
    assert.match(second?.body ?? '', /<href>\/h\/team\/d\.vcf<\/href>/)
    assert.equal(page(second!, multistatus('')), undefined)
    assert.equal(syncTokens.advance({ items: [], body: list() }, 't0'), 't1')
    assert.equal(syncTokens.advance({ items: [], body: multistatus('') }, 't1'), 't1')
  })

  test('a list that was cut goes on after its content, with the token that it names', () => {
    const cut = multistatus(
      `${response('/h/team/a.vcf', etag)}${gone('/h/team/', '507 Insufficient Storage')}<d:sync-token>a&amp;b</d:sync-token>`,
    )
    const rest = page(page(REQUEST, cut)!, multistatus(''))
    assert.match(rest?.body ?? '', /<sync-token>a&amp;b<\/sync-token>/)
    assert.equal(rest?.carry, undefined)
  })

  test('members have the name of their collection; gone ones are reported, refused ones have no id', () => {
    const body = multistatus(
      [
        response('https://dav.test/h/team/b%20c.vcf', `${etag}<c:address-data>BEGIN</c:address-data>`),
        gone('/h/team/x.vcf'),
        gone('/h/team/y.vcf', '403 Forbidden'),
        response('/h/team/z.vcf', '<c:address-data/>', '404 Not Found'),
        response('/h/team/', etag),
      ].join(''),
    )
    const found = read(body) ?? []
    assert.deepEqual(
      found.map(({ id, gone: isGone, text }) => [id, isGone, text]),
      [
        ['team/b c.vcf', undefined, 'BEGIN'],
        ['team/x.vcf', true, undefined],
        [undefined, undefined, undefined],
        [undefined, undefined, undefined],
      ],
    )
    assert.equal(read(parseXml('<html/>')), undefined)
  })

  test('a server without sync tokens is asked for all names', () => {
    const parent = (syncs: boolean) => ({ id: 'team', record: { id: 'team', href: '/h/team/', syncs } })
    const prepare = (syncs: boolean, watermark?: string) =>
      prepareList(REQUEST, {
        nowMs: 0,
        watermark,
        granted: undefined,
        from: { parent: parent(syncs), parents: [parent(syncs)] },
      })
    assert.equal(prepare(false).method, 'PROPFIND')
    assert.match(prepare(true, '<t>').body ?? '', /<sync-token>&lt;t&gt;<\/sync-token>/)
  })
})

suite('the server', () => {
  const { discover } = davAuth({ wellKnown: 'carddav', homeSet: 'card:addressbook-home-set', hint: '' })
  const said = (props: string) => discover?.read(multistatus(response('/', props)))

  test('is looked for at the address, the well-known one and the root', () => {
    assert.deepEqual(discover?.start({ server: 'https://a.test/dav' }), [
      'https://a.test/dav/',
      'https://a.test/.well-known/carddav',
      'https://a.test/',
    ])
    assert.deepEqual(discover?.start({ server: 'https://a.test' }), [
      'https://a.test/.well-known/carddav',
      'https://a.test/',
    ])
  })

  test('names the principal, the principal names the home', () => {
    const principal = '<d:current-user-principal><d:href>/p/ada/</d:href></d:current-user-principal>'
    assert.deepEqual(said(principal), { next: '/p/ada/' })
    const home = '<c:addressbook-home-set><d:href>https://p7.test/ada/</d:href></c:addressbook-home-set>'
    assert.deepEqual(said(principal + home), { api: 'https://p7.test/ada/' })
    assert.equal(said('<d:current-user-principal><d:unauthenticated/></d:current-user-principal>'), 'refused')
    assert.equal(said(''), undefined)
  })

  test('the person is the principal', () => {
    const home = multistatus(
      response('/h/', '<d:current-user-principal><d:href>/p/ada%40x/</d:href></d:current-user-principal>'),
    )
    const principal = multistatus(
      response(
        '/p/',
        '<d:displayname>Ada</d:displayname><calendar-user-address-set><d:href>/p/</d:href><d:href>mailto:ada@x.test</d:href></calendar-user-address-set>',
      ),
    )
    assert.deepEqual(davSelf.read({ ...home, principal }), {
      id: 'p/ada%40x',
      name: 'Ada',
      handle: 'ada@x',
      email: 'ada@x.test',
    })
    assert.equal(davSelf.read(multistatus('')).id, '')
  })

  test('a forgotten token is recognized, other refusals are not', () => {
    const forgotten = parseXml('<d:error xmlns:d="DAV:"><d:valid-sync-token/></d:error>')
    assert.equal(davRecovery({ status: 403, body: forgotten }), 'restart')
    assert.equal(davRecovery({ status: 409, body: forgotten }), 'restart')
    assert.equal(davRecovery({ status: 403, body: null }), undefined)
    assert.equal(davRecovery({ status: 403, body: { error: 'no' } }), undefined)
    assert.equal(davRecovery({ status: 207, body: forgotten }), undefined)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mapOf } from '#kit/connector/item-map.ts'
import { itemReader } from '#kit/connector/read-item.ts'
import { wordpress } from './connector.ts'
import { authorizePage, recovery, totalPages } from './protocol.ts'

const OWNER = '1@blog.test/news'
const post = {
  id: 7,
  date_gmt: '2026-05-01T10:00:00',
  modified_gmt: '2026-05-02T10:00:00',
  status: 'publish',
  link: 'https://blog.test/news/hello/',
  author: 1,
  title: { rendered: 'Hello &amp; welcome' },
  content: { rendered: '<p>See <a href="https://a.test/?a=1&amp;b=2">this</a></p>' },
}
const read = (endpoint: string, raw: unknown) =>
  itemReader(wordpress, endpoint, wordpress.endpoints[endpoint]!, OWNER)(raw)

suite('records', () => {
  test('a post: its time, text and links; the author has the id of the profile', () => {
    const item = read('posts', post)
    assert.equal(item.at, Date.UTC(2026, 4, 1, 10))
    assert.deepEqual([item.types, item.participants, item.deleted], [['statuses'], [OWNER], false])
    const map = mapOf(wordpress.endpoints['posts']!, post, OWNER)
    assert.deepEqual([map['title'], map['urls']], ['Hello & welcome', ['https://a.test/?a=1&b=2']])
    assert.deepEqual(map['participants'], { [OWNER]: { author: true } })
  })

  test('a draft has the time of its last change; a trashed post is deleted; a hidden picture is none', () => {
    assert.equal(read('posts', { ...post, date_gmt: null }).at, Date.UTC(2026, 4, 2, 10))
    assert.equal(read('posts', { ...post, status: 'trash' }).deleted, true)
    const hidden = { ...post, _embedded: { 'wp:featuredmedia': [{ code: 'rest_forbidden' }] } }
    assert.deepEqual(read('posts', hidden).types, ['statuses'])
  })

  test('media by what they are', () => {
    const typesOf = (mime_type: string) => read('media', { id: 1, mime_type }).types
    assert.deepEqual(
      ['image/png', 'video/mp4', 'audio/mpeg', 'application/pdf'].map((mime) => typesOf(mime)),
      [['photos'], ['videos'], ['tracks'], ['files']],
    )
  })

  test('visitors are known by their name; what the person wrote is in no feed', () => {
    const comment = { id: 1, author: 0, content: { rendered: 'Hi' } }
    assert.deepEqual(read('replies', { ...comment, author_name: 'Eve' }).participants, ['guest Eve@blog.test/news'])
    assert.deepEqual(read('replies', { ...comment, author: 1 }).types, [])
    assert.deepEqual(read('replies', { ...comment, author: 2 }).participants, ['2@blog.test/news'])
  })
})

suite('protocol', () => {
  test('pages end at the number in the header', () => {
    const pages = totalPages()
    const first = pages.first({ method: 'GET', path: '/posts', query: {} })
    const page = (total: string) => ({ request: first, body: [], count: 0, headers: { 'x-wp-totalpages': total } })
    assert.equal(pages.next(page('2'))?.query['page'], '2')
    assert.equal(pages.next(page('1')), undefined)
    assert.equal(pages.next({ ...page('1'), headers: {} }), undefined)
  })

  test('a visitor is asked to sign in again; a role without rights is left alone', () => {
    const refusal = (status: number) => ({ data: { details: { status: { data: { status } } } } })
    assert.equal(recovery({ status: 400, body: refusal(401) }), 'reauthorize')
    assert.equal(recovery({ status: 400, body: refusal(403) }), 'skip')
    assert.equal(recovery({ status: 403, body: {} }), 'skip')
    assert.equal(recovery({ status: 400, body: undefined }), undefined)
    assert.equal(recovery({ status: 401, body: {} }), undefined)
  })

  test('the page is in the description of the API', () => {
    const endpoints = { authorization: 'https://blog.test/wp-admin/authorize-application.php' }
    assert.equal(authorizePage({ authentication: { 'application-passwords': { endpoints } } }), endpoints.authorization)
    assert.equal(authorizePage({ authentication: [] }), undefined)
    assert.equal(authorizePage({}), undefined)
  })
})

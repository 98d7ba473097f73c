import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { putItems } from '../../harness/own-items.ts'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

let harness: ReadingHarness
let reader: Reader
before(async () => {
  harness = await startReadingHarness()
  reader = await harness.newReader()
})
after(() => harness.stop())

const SIGNED = 'https://cdn.test/a%20b.jpg?sig=s%2Fx&access_token=of-the-service#part'

async function put(id: string, fields: Record<string, unknown>): Promise<Item> {
  await putItems(harness.tributary, reader, [{ id, type: 'photo', ...fields }], 'pictures')
  return (await harness.request(`/services/self/pictures/${id}`, reader)).body as Item
}
const redirect = async (path: string, method = 'GET') => {
  const { status, headers, text } = await harness.request(path, reader, { method })
  return { status, to: headers.get('location'), headers, text }
}

suite('media=true', () => {
  test('redirects to the file, else the image, else the photo', async () => {
    const [media, image, photo] = ['https://cdn.test/m.mp4', 'https://cdn.test/i.jpg', 'http://cdn.test/p.jpg']
    for (const [id, fields, to] of [
      ['all', { media, image, photo }, media],
      ['two', { image, photo }, image],
      ['one', { photo }, photo],
      ['unusable', { media: 'javascript:alert(1)', image: '', photo }, photo],
    ] as const) {
      const item = await put(id, fields)
      for (const path of [`/id/${item.id}`, `/id/${encodeURIComponent(item.idr)}`, `/services/self/pictures/${id}`]) {
        const found = await redirect(`${path}?media=true`)
        assert.deepEqual([found.status, found.to, found.text], [302, to, ''], path)
      }
    }
  })

  test('keeps the address as the service wrote it, adds nothing to it, and is neither stored nor told onwards', async () => {
    const { id } = await put('signed', { media: SIGNED })
    for (const method of ['GET', 'HEAD']) {
      const { status, to, headers } = await redirect(`/id/${id}?media=1&map=true&access_token=${reader.token}`, method)
      assert.deepEqual([status, to], [302, SIGNED])
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.ok(![...headers].join('\n').includes(reader.token))
    }
  })

  test('never leads to anything but a web address', async () => {
    for (const media of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'ftp://cdn.test/a',
      '//cdn.test/a.jpg',
      '/a.jpg',
      'https://name:password@cdn.test/a.jpg',
      'https://',
      `https://cdn.test/${'x'.repeat(9000)}`,
      5,
      { url: 'https://cdn.test' },
    ]) {
      const { id } = await put('bad', { media })
      const { status, body, headers } = await harness.request(`/id/${id}?media=true`, reader)
      assert.deepEqual([status, (body as { reason: string }).reason], [404, 'no_media'], JSON.stringify(media))
      assert.equal(headers.get('location'), null)
    }
    const { id } = await put('broken lines', { media: 'https://cdn.test/a\r\nset-cookie: a=b' })
    const { status, to, headers } = await redirect(`/id/${id}?media=true`)
    assert.deepEqual([status, to, headers.get('set-cookie')], [302, 'https://cdn.test/aset-cookie:%20a=b', null])
  })

  test('is for those who may read the item', async () => {
    const { id } = await put('private', { media: SIGNED })
    const other = await harness.newReader()
    assert.equal((await harness.request(`/id/${id}?media=true`, other)).status, 404)
    assert.equal((await harness.request(`/id/${id}?media=true`, { token: 'trt_wrong' })).status, 401)
  })

  test('follows a change of the item, and refuses other values', async () => {
    const { id } = await put('changing', { media: 'https://cdn.test/1' })
    assert.equal((await redirect(`/id/${id}?media=true`)).to, 'https://cdn.test/1')
    await put('changing', { media: 'https://cdn.test/2' })
    assert.equal((await redirect(`/id/${id}?media=true`)).to, 'https://cdn.test/2')
    assert.equal((await redirect(`/id/${id}?media=false`)).status, 200)
    assert.equal((await redirect(`/id/${id}?media=proxy`)).status, 400)
  })
})

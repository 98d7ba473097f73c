import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

const PATHS = ['/types', '/types/photos', '/services/library', '/services/library/things', '/id/none']

async function prepared(env: Record<string, string>): Promise<{ harness: ReadingHarness; reader: Reader }> {
  const harness = await startReadingHarness(env)
  const reader = await harness.newReader()
  const profile = await harness.newProfile(reader)
  await harness.put(profile, [
    { id: 'a', at: 1, types: ['photos'] },
    { id: 'b', at: 2, types: ['photos'] },
  ])
  return { harness, reader }
}

suite('a sunset date for reading items', () => {
  let harness: ReadingHarness
  let reader: Reader
  before(async () => {
    ;({ harness, reader } = await prepared({ TRIBUTARY_SUNSET: '2999-08-05' }))
  })
  after(() => harness.stop())

  for (const path of PATHS)
    test(`${path} announces it`, async () => {
      const { headers, status } = await harness.request(path, reader)
      assert.ok(status === 200 || path === '/id/none')
      // RFC 9745: a date of structured fields; RFC 8594: an HTTP date.
      assert.match(headers.get('deprecation')!, /^@\d{10}$/)
      assert.equal(headers.get('sunset'), 'Mon, 05 Aug 2999 00:00:00 GMT')
      assert.match(headers.get('link')!, /<[^>]+push>; rel="deprecation"/)
      assert.match(headers.get('link')!, /<[^>]+push>; rel="sunset"/)
    })

  test('the next page is still linked', async () => {
    const { headers } = await harness.request('/types/photos?limit=1', reader)
    assert.equal(headers.get('link')!.split(', <').length, 3)
    assert.match(headers.get('link')!, /rel="next"/)
  })

  test('other routes do not announce it', async () => {
    for (const path of ['/services', '/profiles', '/healthz'])
      assert.equal((await harness.request(path, reader)).headers.get('sunset'), null, path)
  })
})

suite('after the sunset date', () => {
  let harness: ReadingHarness
  let reader: Reader
  before(async () => {
    ;({ harness, reader } = await prepared({ TRIBUTARY_SUNSET: '2020-01-01T00:00:00Z' }))
  })
  after(() => harness.stop())

  for (const path of PATHS)
    test(`${path} returns 410 and points to push`, async () => {
      const { status, headers, body } = await harness.request(path, reader)
      const { reason, see } = body as { reason: string; see: string }
      assert.deepEqual([status, reason], [410, 'endpoint_retired'])
      assert.match(see, /push$/)
      const deprecated = Number(headers.get('deprecation')!.slice(1)) * 1000
      assert.ok(deprecated <= Date.parse(headers.get('sunset')!))
    })

  test('everything else works', async () => {
    for (const path of ['/services', '/profiles']) assert.equal((await harness.request(path, reader)).status, 200, path)
    assert.equal((await harness.request('/types', { token: 'x' })).status, 401)
  })
})

suite('without a sunset date', () => {
  test('nothing is announced', async () => {
    const { harness, reader } = await prepared({})
    for (const path of PATHS)
      for (const name of ['deprecation', 'sunset', 'link'])
        assert.equal((await harness.request(path, reader)).headers.get(name), null, path)
    await harness.stop()
  })
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { openCatalogue } from '#boot/catalogue.ts'
import { connectors } from '#connectors/index.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { send } from '../harness/send.ts'
import { startTributary, type Tributary } from '../harness/start.ts'

const MARKS = JSON.parse(readFileSync(new URL('../../src/catalogue/marks.json', import.meta.url), 'utf8')) as Record<
  string,
  [string, string]
>

suite('the marks of services', () => {
  let tributary: Tributary
  before(async () => {
    tributary = await startTributary()
  })
  after(() => tributary.stop())
  const picture = (name: string, headers: Record<string, string> = {}) =>
    send({ tributary }, 'GET', `/marks/${name}`, { headers })

  test('are colours and paths of services that there are, and small', () => {
    const known = new Set(
      createRegistry(connectors, openCatalogue())
        .index()
        .map(({ service }) => service),
    )
    for (const [service, [color, path]] of Object.entries(MARKS)) {
      assert.ok(known.has(service), service)
      assert.match(color, /^[0-9a-f]{6}$/, service)
      // It is written into a picture as it is.
      assert.match(path, /^[Mm][-MmZzLlHhVvCcSsQqTtAa\d., e]+$/, service)
      assert.ok(path.length <= 3000, service)
    }
    assert.ok(Object.keys(MARKS).length > 100)
  })

  test('are pictures that are kept for a day, and then asked for by their ETag', async () => {
    const { status, headers, text } = await picture('github.svg')
    assert.equal(status, 200)
    assert.deepEqual(
      [headers.get('content-type'), headers.get('cache-control')],
      ['image/svg+xml', 'public, max-age=86400'],
    )
    assert.ok(text.includes(`fill="#${MARKS['github']?.[0]}"`) && text.includes(MARKS['github']?.[1] ?? '?'))
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    const again = await picture('github.svg', { 'if-none-match': headers.get('etag') ?? '' })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  test('are black on a pale colour', async () => {
    const pale = Object.entries(MARKS).find(([, [color]]) => /^f[a-f]f/.test(color))
    assert.ok(pale !== undefined)
    assert.match((await picture(`${pale[0]}.svg`)).text, /<path [^>]*fill="#000"/)
  })

  test('are letters where there is none; nothing for another name', async () => {
    assert.match((await picture('demo-social.svg')).text, /<text [^>]*>&#83;<\/text>/)
    for (const name of ['nothing.svg', 'github', 'twitter.svg', 'github.png', '.svg', '..%2fgithub.svg'])
      assert.equal((await picture(name)).status, 404, name)
  })
})

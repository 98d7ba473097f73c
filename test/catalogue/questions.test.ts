import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Entry } from '#kit/entry/entry-schema.ts'
import { send } from '../harness/send.ts'
import { codeOf, newBrowser, redeemed, startUrl } from '../harness/sign-in.ts'
import { type EntryHarness, startEntryHarness } from './fixture.ts'
import { VARIANTS } from './variants.ts'

const SERVICE = 'variant-affixed'
const affixed = VARIANTS.get(SERVICE)!
const regional: Entry = {
  ...affixed,
  title: 'Regional',
  ask: { region: { title: 'Region', example: 'com', kind: 'choice', of: ['com', 'eu', 'com.au'], default: 'com' } },
  auth: {
    oauth2: {
      authorize: 'https://accounts.acme.{ask.region}/authorize',
      token: 'https://accounts.acme.{ask.region}/token',
    },
  },
  api: { base: 'https://api.acme.{ask.region}' },
}

suite('the questions of an entry, on the page', () => {
  let harness: EntryHarness
  before(async () => {
    harness = await startEntryHarness(
      new Map([
        [SERVICE, affixed],
        ['regional', regional],
      ]),
    )
  })
  after(() => harness.stop())

  const start = (service: string, query: Record<string, string> = {}) => startUrl(harness, service, query, harness.app)

  async function idsOf(service: string, back: string): Promise<unknown> {
    const { access_token: token } = await redeemed(harness, codeOf(new URL(back)))
    return (await send(harness, 'GET', '/profiles', { token })).body[service]
  }

  test('show what stands around an answer, and take an address that was pasted; an optional one may stay empty', async () => {
    const browser = newBrowser()
    const page = await browser.open(start(SERVICE))
    assert.match(
      page.body,
      /<span>shop-<\/span><input[^>]*name="field_shop"[^>]*required><span>\.acme\.example<\/span>/,
    )
    assert.doesNotMatch(/<input[^>]*name="field_team"[^>]*>/.exec(page.body)?.[0] ?? '', /required/)
    const wrong = await browser.submit(page, page.forms[0]!, { field_shop: 'x.evil.example', answer: 'yes' })
    assert.match(wrong.body, /aria-invalid="true"/)
    assert.match(wrong.body, /value="x\.evil\.example"/)
    const fields = { field_shop: 'https://shop-ACME.acme.example/orders', field_team: '', answer: 'yes' }
    const back = await browser.submit(wrong, wrong.forms[0]!, fields)
    assert.ok(back.stopped, `${back.url} ${back.body.slice(0, 300)}`)
    assert.deepEqual(await idsOf(SERVICE, back.url), [encodeURIComponent('person-1@acme')])
  })

  test('are a list where there are choices; what is left empty is the default, and another region is somebody else', async () => {
    const browser = newBrowser()
    const page = await browser.open(start('regional'))
    assert.match(page.body, /<option value="com" selected>com<\/option>\s*<option value="eu">/)
    const plain = await browser.submit(page, page.forms[0]!, { field_region: '', answer: 'yes' })
    assert.deepEqual(await idsOf('regional', plain.url), [encodeURIComponent('person-1@com')])
    const other = await browser.open(start('regional', { region: 'eu' }))
    assert.deepEqual(await idsOf('regional', other.url), [encodeURIComponent('person-1@eu')])
    const forged = await browser.open(start('regional', { region: 'evil.example' }))
    assert.match(forged.body, /role="alert"/, 'a region that there is not is asked again')
    assert.match(forged.body, /<option value=""><\/option>/)
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { App } from '../../harness/app.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { newBrowser, REDIRECT } from '../../harness/sign-in.ts'
import { until } from '../../harness/until.ts'
import { startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
let app: App
before(async () => {
  harness = await startQuietHarness()
  app = await harness.makeApp({ name: 'Branded', services: ['demo-social'] })
})
after(() => harness.stop())

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const header = (...bytes: number[]) => Buffer.from(bytes).toString('base64')
/** The beginning of a JPEG of 3 by 2 pixels, and of a WebP of 4 by 5. */
const JPEG = header(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0)
const WEBP = Buffer.concat([
  Buffer.from('RIFF....WEBPVP8X'),
  Buffer.from([10, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0]),
]).toString('base64')

interface Shown {
  color?: string
  color_shown?: { light: string; dark: string }
  privacy_url?: string
  logo?: string
}

const change = async (branding: object): Promise<Response> =>
  fetch(`${harness.tributary.url}/admin/apps/${app.clientId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${harness.tributary.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ branding }),
  })
const shown = async (branding: object): Promise<Shown> => {
  const response = await change(branding)
  const body = (await response.json()) as { branding: Shown }
  assert.equal(response.status, 200, JSON.stringify(body))
  return body.branding
}
const connectPage = () =>
  newBrowser().open(
    `${harness.tributary.url}/connect?${new URLSearchParams({ client_id: app.clientId, redirect_uri: REDIRECT }).toString()}`,
  )

suite('branding of an app', () => {
  test('a colour is shown so that text in it is readable, also to the developer who sets it', async () => {
    const { color, color_shown: colors } = await shown({ color: '#FFEE00' })
    assert.equal(color, '#ffee00')
    assert.notEqual(colors?.light, '#ffee00', 'yellow on white cannot be read')
    assert.equal(colors?.dark, '#ffee00')
    const page = await connectPage()
    assert.ok(page.body.includes(`:root{--brand:${colors?.light}}`))
    const style = /<style>([\s\S]*?)<\/style>/.exec(page.body)![1]!
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64')
    assert.ok(page.headers.get('content-security-policy')?.includes(`'sha256-${hash}'`))
  })

  test('a logo is served by us, for long, under an address that changes with it', async () => {
    const first = (await shown({ logo: PNG })).logo!
    const response = await fetch(`${harness.tributary.url}${first}`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'image/png')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.match(response.headers.get('cache-control') ?? '', /public, max-age=31536000, immutable/)
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'; sandbox/)
    assert.equal(Buffer.from(await response.arrayBuffer()).toString('base64'), PNG)
    assert.ok((await connectPage()).body.includes(`<img src="${first}"`))
    const second = (await shown({ logo: JPEG })).logo!
    assert.notEqual(second, first)
    assert.equal((await fetch(`${harness.tributary.url}${first}`)).status, 404)
    assert.equal((await fetch(`${harness.tributary.url}${(await shown({ logo: WEBP })).logo}`)).status, 200)
    const other = await harness.makeApp({ services: [] })
    const hash = second.split('/').at(-1)
    assert.equal((await fetch(`${harness.tributary.url}/apps/${other.clientId}/logo/${hash}`)).status, 404)
  })

  test('what is given changes, `null` removes, the rest stays', async () => {
    await shown({ color: '#0b66c3', logo: PNG, privacy_url: 'https://app.test/privacy' })
    const left = await shown({ logo: null })
    assert.deepEqual([left.color, left.privacy_url, left.logo], ['#0b66c3', 'https://app.test/privacy', undefined])
    assert.deepEqual(await harness.sql('select 1 from app_logo where app_id = $1', [app.clientId]), [])
    assert.ok((await connectPage()).body.includes('href="https://app.test/privacy"'))
    assert.deepEqual(await shown({ color: null, privacy_url: null }), {})
  })

  test('anything else is refused', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')
    const wide = Buffer.from(PNG, 'base64')
    wide.writeUInt32BE(100_000, 16)
    const refused: object[] = [
      { color: 'red' },
      { color: '#fff;}body{display:none' },
      { privacy_url: 'http://app.test/privacy' },
      { privacy_url: 'javascript:alert(1)' },
      { logo: svg },
      { logo: 'https://app.test/logo.png' },
      { logo: Buffer.from('GIF89a').toString('base64') },
      { logo: wide.toString('base64') },
      { logo: Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(110_000)]).toString('base64') },
      { logo: 'not base64!' },
      { logo: PNG.slice(0, 20) },
    ]
    for (const branding of refused) {
      const response = await change(branding)
      assert.equal(response.status, 400, JSON.stringify(branding).slice(0, 100))
      await response.body?.cancel()
    }
  })

  test('an app is created with it, and its logo goes with the app', async () => {
    const made = await harness.tributary.admin('POST', '/admin/apps', {
      name: 'New',
      redirect_uris: [REDIRECT],
      branding: { color: '#123456', logo: PNG },
    })
    const { client_id: id, branding } = made.body as { client_id: string; branding: Shown }
    assert.equal(branding.color, '#123456')
    await harness.tributary.admin('DELETE', `/admin/apps/${id}`)
    const logos = () => harness.sql('select 1 from app_logo where app_id = $1', [id])
    await until('the deletion has come to the logo', logos, (rows) => rows.length === 0)
  })
})

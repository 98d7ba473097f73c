import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Offer } from '#identity/offers.ts'
import { choicesPage } from './connect.ts'
import { html } from './html.ts'
import { LANGUAGES } from './languages/languages.ts'
import { renderPersonPage } from './person-page.ts'

const app = {
  id: 'app_1',
  name: 'An app with a rather long name',
  redirectUris: [],
  tokenFlow: true,
  isPublic: false,
  apply: 'proven' as const,
  createdAt: 0,
  branding: {
    color: '#ff0000',
    privacyUrl: 'https://app.test/privacy',
    logo: { hash: 'a'.repeat(64), type: 'image/png' },
  },
}
const shares = ['profile', 'photos', 'videos', 'statuses', 'news', 'checkins', 'contacts', 'feed'] as const
const offers: Offer[] = Array.from({ length: 100 }, (_, i) => ({
  service: `service-${i}`,
  title: `Service number ${i}`,
  shares: [...shares],
}))

const render = (query: string, page: number, language: (typeof LANGUAGES)[number] = 'en', connected: string[] = []) =>
  renderPersonPage(
    choicesPage({
      app,
      language,
      offers,
      connected: new Set(connected),
      query,
      page,
      pageSize: 25,
      title: 'Title',
      hosts: ['tributary.test'],
      choose: ({ title }, id) =>
        html`<a href="/oauth/authenticate?${'x'.repeat(200)}" aria-describedby="${id}">${title}</a>`,
      searchForm: (fields) => html`<form>${fields}</form>`,
      pageLink: (number) => `/connect?page=${number}`,
      allLink: '/connect',
      cancelLink: 'https://app.test/',
    }),
  ).text

suite('the page of services', () => {
  test('has less than 30 KB in every language, with 100 services', () => {
    for (const language of LANGUAGES) {
      const bytes = Buffer.byteLength(render('', 1, language))
      assert.ok(bytes < 30_000, `${language}: ${bytes}`)
    }
  })

  test('reaches every service, by pages and by searching', () => {
    const all = [1, 2, 3, 4].flatMap((page) => render('', page).match(/Service number \d+/g) ?? [])
    assert.equal(new Set(all).size, 100)
    assert.match(render('', 4), /Page 4 of 4/)
    assert.doesNotMatch(render('', 4), /Next page/)
    assert.match(render('', 999), /Page 4 of 4/, 'a page beyond the last is the last')
    assert.deepEqual(render('NUMBER 77 ', 1).match(/Service number \d+/g), ['Service number 77'])
    assert.match(render('<nothing>', 1), /No service matches “&lt;nothing&gt;”/)
  })

  test('shows what is connected after the rest, with a mark', () => {
    const last = render('', 4, 'en', ['service-0'])
    assert.match(last, /Service number 0<\/a> <span class="done">Connected/)
  })
})

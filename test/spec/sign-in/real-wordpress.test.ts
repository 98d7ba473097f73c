import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from '../../../lab/browser.ts'
import { furnish } from '../../connectors/wordpress-fixture.ts'
import { type App, makeApp } from '../../harness/app.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import type { Item } from '../../harness/read.ts'
import { get, send } from '../../harness/send.ts'
import { codeOf, type Granted, newBrowser, REDIRECT, redeemed, startUrl } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { synced } from '../../harness/sync.ts'
import { until } from '../../harness/until.ts'
import { type RunningWordpress, startWordpress, wordpressMissing } from '../../real/wordpress.ts'
import { entryOf, expireAfter } from './fixture.ts'

const skip = wordpressMissing()

suite('WordPress', { skip }, () => {
  let tributary: Tributary
  let site: RunningWordpress
  /** Without keys for any service. */
  let app: App
  before(async () => {
    site = await startWordpress()
    furnish(site)
    tributary = await startTributary({ ...LOOPBACK_TYPED })
    app = await makeApp(tributary, { name: 'Blog Reader', redirectUris: [REDIRECT] })
  })
  after(async () => {
    await tributary?.stop()
    await site?.close()
  })

  const ADA = { name: 'ada', password: 'ada-password' }
  const at = () => ({ tributary, app })

  /** Names the site on our page, and decides on the site's page; returns the page that the browser ends at. */
  async function walk(person: { name: string; password: string; deny?: boolean } = ADA, address = site.url) {
    const browser = newBrowser()
    return { browser, page: await decide(browser, startUrl(at(), 'wordpress', { state: 's' }, app), person, address) }
  }

  async function decide(browser: Browser, start: string, person: typeof ADA & { deny?: boolean }, address: string) {
    const page = await browser.open(start)
    assert.match(page.body, /Address of your site/)
    const { headers } = await submit(browser, page.url, address)
    const sent = headers.get('location') ?? ''
    assert.ok(sent.startsWith(`${site.url}/wp-admin/authorize-application.php?app_name=Blog`), sent)
    const back = await site.authorize(sent, person, `${tributary.url}/auth/`)
    return browser.open(back)
  }

  /** Submits our page without following the redirect. */
  async function submit(browser: Browser, url: string, address: string): Promise<Response> {
    const cookie = Object.entries(browser.cookies(url))
      .map((pair) => pair.join('='))
      .join('; ')
    const state = new URL(url).searchParams.get('state') ?? ''
    const body = new URLSearchParams({ state, field_site: address, answer: 'yes' })
    return fetch(`${tributary.url}/oauth/typed`, { method: 'POST', body, headers: { cookie }, redirect: 'manual' })
  }

  async function signIn(): Promise<Granted> {
    const { page } = await walk()
    assert.ok(page.stopped, page.body)
    return redeemed(at(), codeOf(new URL(page.url)))
  }

  const passwords = () =>
    site.run<{ name: string }[]>('return WP_Application_Passwords::get_user_application_passwords(1);')
  const stateOf = async (token: string) =>
    entryOf((await get(at(), '/profiles?full=true', token)).body, 'wordpress')['state']
  const titles = async (token: string, endpoint: string) => {
    const { text } = await get(at(), `/services/wordpress/${endpoint}?limit=1000&map=true&until=4102444800000`, token)
    return (JSON.parse(text) as (Item & { map: { title?: string; text?: string } })[]).map(
      ({ map }) => map.title ?? map.text,
    )
  }
  const nextRun = async (token: string) => {
    const before = await synced(at(), token, 'wordpress')
    const afterMs = Math.max(...Object.values(before).map(({ last_run: last = 0 }) => last))
    await send(at(), 'POST', '/profiles/wordpress/sync', { token })
    return synced(at(), token, 'wordpress', { afterMs })
  }

  test('a person signs in at a site of any address; everything is read, in pages, and only what changed again', async () => {
    const granted = await signIn()
    const token = granted.access_token
    const entry = entryOf((await get(at(), '/profiles?full=true', token)).body, 'wordpress')
    assert.deepEqual(
      [entry['id'], entry['handle'], entry['email']],
      [encodeURIComponent(`1@${new URL(site.url).host}`), 'ada', 'ada@people.example'],
    )
    const progress = await synced(at(), token, 'wordpress')
    for (const [name, { last_error: error }] of Object.entries(progress)) assert.equal(error, undefined, name)
    const posts = await titles(token, 'posts')
    // One comes with WordPress.
    assert.equal(posts.length, 132)
    assert.ok((await titles(token, 'pages')).includes('Another page'))
    assert.deepEqual(await titles(token, 'media'), ['A door'])
    assert.deepEqual(await titles(token, 'comments'), ['My own'])
    assert.equal((await titles(token, 'replies')).length, 1)
    const { text } = await get(at(), '/types/photos?map=true', token)
    assert.equal((JSON.parse(text) as unknown[]).length, 2, 'the picture, and the post with it')

    site.run(`
      $posts = get_posts(['numberposts' => -1, 'post_status' => 'publish', 'title' => 'Post 0']);
      wp_update_post(['ID' => $posts[0]->ID, 'post_title' => 'Post 0, changed']);
      wp_trash_post(get_posts(['title' => 'Post 4'])[0]->ID);
      wp_delete_attachment(get_posts(['post_type' => 'attachment', 'post_status' => 'inherit'])[0]->ID, true);
      return true;`)
    await nextRun(token)
    const changed = await titles(token, 'posts')
    assert.ok(changed.includes('Post 0, changed'))
    assert.ok(!changed.includes('Post 0') && !changed.includes('Post 4'))
    assert.equal(changed.length, 131)
    assert.deepEqual(await titles(token, 'media'), [])
  })

  test('the person declines there: the app is told', async () => {
    const { page } = await walk({ ...ADA, deny: true })
    const { error, state } = Object.fromEntries(new URL(page.url).searchParams)
    assert.deepEqual([error, state], ['access_denied', 's'])
  })

  test('the password that the callback brings is in no log line', async () => {
    const before = passwords().length
    await signIn()
    assert.equal(passwords().length, before + 1, 'a further one, because the first is still in use')
    for (const line of tributary.logged) assert.doesNotMatch(line, /password=(?!\[)/)
  })

  test('a password that was revoked there ends in needs_auth, although the site goes on to respond; then reconnect', async () => {
    const granted = await signIn()
    const token = granted.access_token
    await synced(at(), token, 'wordpress')
    site.run('WP_Application_Passwords::delete_all_application_passwords(1); return true;')
    await send(at(), 'POST', '/profiles/wordpress/sync', { token })
    await until('the profile needs a new sign-in', async () => (await stateOf(token)) === 'needs_auth')
    const link = await send(at(), 'POST', '/profiles/wordpress/reconnect', { token, json: {} })
    assert.equal(link.status, 201, link.text)
    const browser = newBrowser()
    let page = await decide(browser, String(link.body['url']), ADA, site.url)
    const confirm = page.forms.find(({ action }) => action === '/oauth/confirm')
    if (confirm !== undefined) page = await browser.submit(page, confirm, { answer: 'yes' })
    assert.ok(new URL(page.url).searchParams.has('reconnected'), page.url)
    assert.notEqual(await stateOf(token), 'needs_auth')
  })

  test('disconnecting, and a sign-in that nobody finishes, delete the password at the site', async () => {
    const granted = await signIn()
    const ended = await send(at(), 'DELETE', '/profiles/wordpress', { token: granted.access_token })
    assert.equal(ended.status, 200, ended.text)
    await until('no password is left', () => passwords().length === 0)
    await walk()
    assert.equal(passwords().length, 1)
    await expireAfter(at(), 11 * 60_000)
    assert.equal(passwords().length, 0)
  })

  test('an address without WordPress, and one in a private network, are told on the page', async () => {
    const browser = newBrowser()
    const page = await browser.open(startUrl(at(), 'wordpress', {}, app))
    const told = async (address: string) => {
      assert.equal((await submit(browser, page.url, address)).status, 303)
      return (await browser.open(page.url)).body
    }
    assert.match(await told(tributary.url), /There is no WordPress at this address/)
    assert.match(await told('http://10.0.0.1'), /does not respond/)
    assert.ok(
      (await submit(browser, page.url, `${site.url}/`)).headers.get('location')?.startsWith(site.url),
      'with a slash',
    )
  })
})

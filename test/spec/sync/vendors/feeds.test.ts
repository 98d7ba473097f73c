import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { atom, atomEntry, type FeedSite, rss, rssItem, startFeedSite } from '../../../connectors/feed-site.ts'
import { type App, basic, makeApp } from '../../../harness/app.ts'
import { LOOPBACK_TYPED } from '../../../harness/loopback.ts'
import { get, send } from '../../../harness/send.ts'
import { REDIRECT } from '../../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../../harness/start.ts'
import { syncProgress } from '../../../harness/sync.ts'

suite('feeds', () => {
  let tributary: Tributary
  let site: FeedSite
  let app: App
  before(async () => {
    site = await startFeedSite()
    tributary = await startTributary({ ...LOOPBACK_TYPED })
    app = await makeApp(tributary, { redirectUris: [REDIRECT] })
  })
  after(async () => {
    await tributary?.stop()
    await site?.close()
  })

  const apply = (feed: string, account?: string) =>
    send({ tributary }, 'POST', '/auth/feed/apply', {
      headers: basic(app),
      json: { fields: { feed }, ...(account === undefined ? {} : { account }) },
    })
  const follow = async (path: string, account?: string) => {
    const { status, body, text } = await apply(site.url + path, account)
    assert.equal(status, 200, text)
    await tributary.idle('syncs')
    return body as { access_token: string; account: string }
  }
  const titles = async (token: string) => {
    const { body } = await get({ tributary }, '/services/feed/entries?map=true', token)
    return (body as unknown as { map: { title: string } }[]).map(({ map }) => map.title).sort()
  }
  const again = async (token: string) => {
    const { status, text } = await send({ tributary }, 'POST', '/profiles/feed/sync', { token })
    assert.ok(status < 300, text)
    await tributary.idle('syncs')
  }
  const entries = async (token: string) => (await syncProgress({ tributary }, token, 'feed'))['entries']

  test('a page leads to its feed; changes are stored, what leaves the window stays, unchanged feeds are not read', async () => {
    site.serve('/blog/', { type: 'text/html', body: '<link rel=alternate type="application/rss+xml" href="feed?x=1">' })
    site.serve('/blog/feed?x=1', { body: rss(rssItem('a') + rssItem('b')), headers: { etag: '"1"' } })
    const { access_token: token } = await follow('/blog/')
    assert.deepEqual(await titles(token), ['Title of a', 'Title of b'])
    await again(token)
    assert.deepEqual(site.requestsTo('/blog/feed?x=1').at(-1), { status: 304, ifNoneMatch: '"1"' })
    site.serve('/blog/feed?x=1', {
      body: rss(rssItem('b').replace('Title of b', 'Better') + rssItem('c')),
      headers: { etag: '"2"' },
    })
    await again(token)
    assert.deepEqual(await titles(token), ['Better', 'Title of a', 'Title of c'])
  })

  test('Atom over pages, JSON Feed, and an old encoding, as profiles of one account', async () => {
    site.serve('/atom', { body: atom(atomEntry('1'), `<link rel="next" href="${site.url}/atom?2"/>`) })
    site.serve('/atom?2', { body: atom(atomEntry('2'), `<link rel="next" href="${site.url}/atom?2"/>`) })
    const { access_token: token, account } = await follow('/atom')
    assert.deepEqual(await titles(token), ['Entry 1', 'Entry 2'])
    const latin =
      '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><title>T</title><item><title>Caf\u00e9</title></item></channel></rss>'
    site.serve('/latin', { body: Buffer.from(latin, 'latin1') })
    site.serve('/json', {
      type: 'application/feed+json',
      body: JSON.stringify({ title: 'J', items: [{ id: '1', title: 'Json' }] }),
    })
    assert.equal((await follow('/latin', account)).account, account)
    const third = await follow('/json', account)
    assert.deepEqual(await titles(third.access_token), ['Café', 'Entry 1', 'Entry 2', 'Json'])
  })

  test('a feed that moves is followed, also to another host; one that is gone is not called again', async () => {
    site.serve('/moving', { body: rss(rssItem('m')) })
    const { access_token: token } = await follow('/moving')
    const elsewhere = site.url.replace('127.0.0.1', 'localhost')
    site.serve('/moving', { body: '', status: 301, headers: { location: `${elsewhere}/moved` } })
    site.serve('/moved', { body: rss(rssItem('n')) })
    await again(token)
    assert.deepEqual(await titles(token), ['Title of m', 'Title of n'])
    site.serve('/moving', { body: 'Gone', status: 410 })
    await again(token)
    const calls = site.requestsTo('/moving').length
    const { body } = await get({ tributary }, '/profiles?full=true', token)
    assert.match(JSON.stringify(body), /needs_auth/)
    await send({ tributary }, 'POST', '/profiles/feed/sync', { token })
    await tributary.idle('syncs')
    assert.equal(site.requestsTo('/moving').length, calls)
  })

  test('what is not a feed is refused', async () => {
    site.serve('/page', { type: 'text/html', body: '<html><title>No feed</title></html>' })
    site.serve('/bomb', { body: '<!DOCTYPE rss [<!ENTITY a "aaaa">]><rss><channel><title>&a;</title></channel></rss>' })
    site.serve('/deep', { body: `<rss><channel>${'<a>'.repeat(5000)}` })
    site.serve('/huge', { body: Buffer.alloc(6 * 1024 * 1024, 'x') })
    site.serve('/loop', { body: '', status: 302, headers: { location: '/loop' } })
    site.serve('/inside', { body: '', status: 302, headers: { location: 'http://10.0.0.1/feed' } })
    site.serve('/leads-inside', {
      type: 'text/html',
      body: '<link rel=alternate type=application/rss+xml href="http://10.0.0.1/">',
    })
    for (const path of ['/page', '/bomb', '/deep', '/huge', '/loop', '/inside', '/leads-inside', '/none'])
      assert.ok((await apply(site.url + path)).status >= 400, path)
  })

  test('pages that lead in circles fail, and what was read stays', async () => {
    const link = (to: string) => `<link rel="next" href="${site.url}${to}"/>`
    site.serve('/circle', { body: atom(atomEntry('1'), link('/circle?2')) })
    site.serve('/circle?2', { body: atom(atomEntry('2'), link('/circle?3')) })
    site.serve('/circle?3', { body: atom(atomEntry('3'), link('/circle?2')) })
    const { access_token: token } = await follow('/circle')
    assert.equal((await entries(token))?.state, 'failing')
    assert.deepEqual(await titles(token), ['Entry 1', 'Entry 2', 'Entry 3'])
  })
})

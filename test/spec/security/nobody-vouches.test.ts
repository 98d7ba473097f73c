import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { loadRegistry } from '#boot/registry.ts'
import type { Config } from '#config/config.ts'
import { whoVouches } from '#kit/connector/who-vouches.ts'
import { pointServiceUser } from '#store/identity/service-users.ts'
import { migrate } from '#store/migrate.ts'
import { type Browser, createBrowser, type Page } from '../../../lab/browser.ts'
import { type FeedSite, rss, rssItem, startFeedSite } from '../../connectors/feed-site.ts'
import { type App, basic, makeApp } from '../../harness/app.ts'
import { items } from '../../harness/read.ts'
import { get, send } from '../../harness/send.ts'
import { codeOf, continued, type Granted, newBrowser, REDIRECT, redeemed, startUrl } from '../../harness/sign-in.ts'
import { pkce } from '../sign-in/fixture.ts'
import { startTypedHarness, type TypedHarness, typeIn } from '../sign-in/typed-fixture.ts'
import { calendar, uploadOn } from '../uploads/file-fixture.ts'

let harness: TypedHarness
let site: FeedSite
let feed: string
before(async () => {
  site = await startFeedSite()
  feed = `${site.url}/blog.xml`
  site.serve('/blog.xml', { body: rss(rssItem('a') + rssItem('b')) })
  harness = await startTypedHarness()
})
after(async () => {
  await harness.stop()
  await site.close()
})

const KEY = { token: 'sk_ada_0123456789' }
const FILE = calendar({ uid: '1', title: 'One' })

/** Gives the values on the page that the browser is at, up to the return to the app. */
async function give(browser: Browser, page: Page, values: Record<string, string>): Promise<URL> {
  const isFile = page.forms.some(({ action }) => action.startsWith('/oauth/file'))
  const next = isFile ? await uploadOn(browser, page, FILE) : await typeIn(browser, page, values)
  const back = await continued(browser, next)
  assert.ok(back.stopped, back.body)
  return new URL(back.url)
}

async function signIn(
  service: string,
  values: Record<string, string>,
  { browser = newBrowser(), query = {}, app = harness.app }: { browser?: Browser; query?: object; app?: App } = {},
): Promise<Granted> {
  const page = await browser.open(startUrl(harness, service, { ...query }, app))
  assert.equal(page.status, 200, page.body)
  return redeemed({ ...harness, app }, codeOf(await give(browser, page, values)))
}

async function bySession(service: string, values: Record<string, string>, account?: string): Promise<Granted> {
  const json = { redirect_uri: REDIRECT, services: [service], ...(account === undefined ? {} : { account }) }
  const { status, body, text } = await send(harness, 'POST', '/connect/sessions', { headers: basic(harness.app), json })
  assert.equal(status, 201, text)
  const browser = newBrowser()
  const link = await browser.open(String(body['url']))
  const form = link.forms.find(({ action }) => action === '/connect/link')
  const page = form === undefined ? link : await browser.submit(link, form, { service })
  return redeemed(harness, codeOf(await give(browser, page, values)))
}

const apply = (service: string, fields: Record<string, string>, account?: string, app = harness.app) =>
  send(harness, 'POST', `/auth/${service}/apply`, {
    headers: basic(app),
    json: { fields, ...(account === undefined ? {} : { account }) },
  })
const applied = async (...given: Parameters<typeof apply>): Promise<Granted> => {
  const { status, body, text } = await apply(...given)
  assert.equal(status, 200, text)
  return body as Granted
}
const store = async (token: string, json: object[]) =>
  assert.equal((await send(harness, 'POST', '/services/self/notes', { token, json })).status, 200)
const notes = async (token: string) => (await get(harness, '/services/self/notes', token)).status
const profiles = async (token: string, service: string): Promise<string[]> =>
  ((await get(harness, '/profiles', token)).body[service] as string[] | undefined) ?? []
const pointers = () =>
  harness.tributary.sql('select app_id, service, native_id, account_ids from service_user order by 1, 2, 3')
const reconnectLink = async (token: string, service: string): Promise<string> => {
  const { status, body, text } = await send(harness, 'POST', `/profiles/${service}/reconnect`, { token, json: {} })
  assert.equal(status, 201, text)
  return String(body['url'])
}

/** What two strangers can give alike. */
const valuesOf = (): Record<string, Record<string, string>> => ({
  feed: { feed },
  'feed-service': { feed: `${harness.service.url}/feeds/news` },
  'nobody-service': KEY,
  files: {},
})

suite('S66 what nobody vouches for finds no account', () => {
  test('a stranger who names the feed of another person gets an account of their own', async () => {
    const victim = await signIn('feed', { feed })
    await store(victim.access_token, [{ id: 'secret' }])
    const spellings = [feed, `${feed}#top`, feed.replace('http://', 'HTTP://'), ` ${feed} `]
    for (const spelled of spellings)
      assert.notEqual((await signIn('feed', { feed: spelled })).account, victim.account, spelled)
    const owner = await signIn('key-service', KEY)
    const joined = await signIn('feed', { feed }, { query: { access_token: owner.access_token } })
    assert.equal(joined.account, owner.account)
    const stranger = await signIn('feed', { feed })
    assert.ok(![victim.account, owner.account].includes(stranger.account))
    assert.deepEqual(await profiles(stranger.access_token, 'key-service'), [])
    assert.deepEqual([await notes(stranger.access_token), await notes(victim.access_token)], [404, 200])
    assert.equal((await get(harness, '/profiles', victim.access_token)).body['id'], victim.account)
    assert.equal((await signIn('key-service', KEY)).account, owner.account, 'whom a service vouches for is found')
  })

  test('two browsers that give the same public values never share an account, at any connector', async () => {
    const folder = join(import.meta.dirname, '../sign-in/typed-connectors')
    const registry = await loadRegistry({ connectorsDir: folder } as Config)
    const names = registry
      .list()
      .flatMap((connector) => (whoVouches(connector) === 'nobody' ? [connector.service] : []))
    assert.deepEqual(names, Object.keys(valuesOf()).sort(), 'a new connector of this kind needs values here')
    const seen = new Map<string, string>()
    const isNew = ({ account }: Granted, way: string) => {
      assert.equal(seen.get(account), undefined, `${way} leads to the account of ${seen.get(account)}`)
      seen.set(account, way)
    }
    for (const [service, values] of Object.entries(valuesOf())) {
      const owner = await signIn('key-service', { token: 'sk_bob_0123456789' })
      const joined = await bySession(service, values, owner.account)
      assert.equal(joined.account, owner.account)
      seen.set(owner.account, `${service} of a person with a key`)
      for (const turn of ['first', 'second']) {
        const alone = await signIn(service, values)
        isNew(alone, `${turn} sign-in at ${service}`)
        isNew(await bySession(service, values), `${turn} session at ${service}`)
        if (service !== 'files') isNew(await applied(service, values), `${turn} apply at ${service}`)
        const [id] = await profiles(alone.access_token, service)
        const browser = newBrowser()
        const page = await browser.open(await reconnectLink(alone.access_token, service))
        const back = await give(browser, page, values)
        assert.equal(back.searchParams.get('account'), alone.account, back.href)
        assert.equal(back.searchParams.get('code'), null, 'a link to reconnect gives nobody a token')
        assert.deepEqual(await profiles(alone.access_token, service), [id])
      }
    }
    const found = (await pointers()).filter(({ service }) => names.includes(String(service)))
    assert.deepEqual(found, [], 'nothing points at an account')
    const unused = await harness.tributary.sql<{ service: string; native_id: string }>(
      'select service, native_id from consent',
    )
    for (const consent of unused) if (names.includes(consent.service)) assert.equal(consent.native_id, '')
  })

  test('an agent does not get the account either', async () => {
    const { tributary, app } = harness
    const victim = await signIn('feed', { feed })
    const redirect = 'http://127.0.0.1:4998/agent'
    const agents = { redirect_uris: [redirect], write_services: [] }
    assert.equal((await tributary.admin('PATCH', `/admin/apps/${app.clientId}`, { agents })).status, 200)
    const asked = { client_id: app.clientId, redirect_uri: redirect, response_type: 'code', service: 'feed' }
    const query = new URLSearchParams({ ...asked, resource: `${tributary.url}/mcp`, state: 's', ...pkce().query })
    const browser = createBrowser({ stopAt: (url) => url.startsWith(redirect) })
    const page = await browser.open(`${tributary.url}/oauth/agents/authorize?${query.toString()}`)
    const back = await typeIn(browser, page, { feed })
    assert.match(back.url, /error=access_denied/, back.body)
    assert.equal((await get(harness, '/profiles', victim.access_token)).status, 200)
  })

  test('pointers of an older release are not followed', async () => {
    const victim = await signIn('feed', { feed })
    const [app] = await harness.tributary.sql<{ app_id: string }>('select app_id from account where id = $1', [
      victim.account,
    ])
    const user = { appId: app!.app_id, service: 'feed', nativeId: feed }
    await pointServiceUser(harness.tributary.store.database, user, victim.account, 1)
    assert.notEqual((await signIn('feed', { feed })).account, victim.account)
    assert.equal((await pointers()).filter(({ service }) => service === 'feed').length, 1)
  })
})

suite('what nobody vouches for, a second time', () => {
  const again = async (token: string) => {
    await send(harness, 'POST', '/profiles/feed/sync', { token })
    await harness.tributary.idle('syncs')
  }
  const entries = async (token: string) =>
    (await items(harness, '/services/feed/entries', token)).map(({ id }) => id).sort()
  const stateOf = async (token: string) => {
    const { body } = await get(harness, '/profiles?full=true', token)
    return (body['feed'] as { state: string }[]).map(({ state }) => state)
  }

  test('the same person without a token has two accounts, and in two apps one in each', async () => {
    const browser = newBrowser()
    const other = await makeApp(harness.tributary, { redirectUris: [REDIRECT] })
    const [first, second] = [await signIn('feed', { feed }, { browser }), await signIn('feed', { feed }, { browser })]
    const elsewhere = await signIn('feed', { feed }, { browser, app: other })
    assert.equal(new Set([first.account, second.account, elsewhere.account]).size, 3)
    const ids = await Promise.all([first, second].map(({ access_token: token }) => profiles(token, 'feed')))
    assert.notDeepEqual(ids[0], ids[1], 'the id is of the account')
    assert.ok(!JSON.stringify(ids).includes('blog'))
  })

  test('with the token it is the same profile with the same items, also after it was disconnected', async () => {
    const first = await signIn('feed', { feed })
    const token = first.access_token
    await harness.tributary.idle('syncs')
    const [id, before] = [await profiles(token, 'feed'), await entries(token)]
    assert.equal(before.length, 2)
    for (const connect of [
      () => signIn('feed', { feed: `${feed}#x` }, { query: { access_token: token } }),
      () => applied('feed', { feed }, first.account),
      () => bySession('feed', { feed }, first.account),
    ]) {
      assert.equal((await connect()).account, first.account)
      assert.deepEqual(await profiles(token, 'feed'), id)
    }
    await harness.tributary.idle('syncs')
    assert.deepEqual(await entries(token), before)
    const { status } = await send(harness, 'DELETE', '/profiles/feed', { token })
    assert.equal(status, 200)
    assert.deepEqual(await profiles(token, 'feed'), [])
    await applied('feed', { feed }, first.account)
    await harness.tributary.idle('syncs')
    assert.deepEqual([await profiles(token, 'feed'), await entries(token)], [id, before])
  })

  test('two submits at once with the same token make one profile', async () => {
    const { account, access_token: token } = await signIn('feed-service', valuesOf()['feed-service']!)
    await Promise.all([1, 2, 3].map(() => applied('feed', { feed }, account)))
    assert.equal((await profiles(token, 'feed')).length, 1)
  })

  test('after a merge both profiles stay, and the feed is connected again to one of them', async () => {
    const [one, two] = [await signIn('feed', { feed }), await signIn('feed', { feed })]
    await harness.tributary.idle('syncs')
    const before = [...(await entries(one.access_token)), ...(await entries(two.access_token))].sort()
    assert.equal(new Set(before).size, 4, 'each has items of its own')
    const form = { source: one.access_token, dest: two.access_token }
    assert.equal((await send(harness, 'POST', '/auth/merge', { form })).status, 200)
    assert.equal((await profiles(two.access_token, 'feed')).length, 2)
    assert.deepEqual(await entries(two.access_token), before)
    const ids = await profiles(two.access_token, 'feed')
    await applied('feed', { feed }, two.account)
    assert.deepEqual((await profiles(two.access_token, 'feed')).sort(), ids.sort())
    const alone = await signIn('feed-service', valuesOf()['feed-service']!)
    const third = await signIn('feed', { feed })
    const joining = { source: third.access_token, dest: alone.access_token }
    assert.equal((await send(harness, 'POST', '/auth/merge', { form: joining })).status, 200)
    const moved = await profiles(alone.access_token, 'feed')
    await applied('feed', { feed }, alone.account)
    assert.deepEqual(await profiles(alone.access_token, 'feed'), moved, 'found by what it reads')
    assert.equal(moved.length, 1)
  })

  test('a feed that was gone is connected again by its link', async () => {
    site.serve('/gone.xml', { body: rss(rssItem('g')) })
    const { access_token: token, account } = await signIn('feed', { feed: `${site.url}/gone.xml` })
    await harness.tributary.idle('syncs')
    const [id, before] = [await profiles(token, 'feed'), await entries(token)]
    site.serve('/gone.xml', { body: 'Gone', status: 410 })
    await again(token)
    assert.deepEqual(await stateOf(token), ['needs_auth'])
    site.serve('/gone.xml', { body: rss(rssItem('g') + rssItem('h')) })
    const browser = newBrowser()
    const other = await browser.open(await reconnectLink(token, 'feed'))
    assert.match((await typeIn(browser, other, { feed })).body, /another/, 'another feed is not the same')
    const page = await browser.open(await reconnectLink(token, 'feed'))
    assert.equal((await give(browser, page, { feed: `${site.url}/gone.xml` })).searchParams.get('account'), account)
    await harness.tributary.idle('syncs')
    assert.deepEqual([await profiles(token, 'feed'), await stateOf(token)], [id, ['active']])
    const now = await entries(token)
    assert.ok(now.length === 2 && before.every((each) => now.includes(each)))
  })

  test('the daily look at who it is accepts it', async () => {
    const { access_token: token } = await signIn('feed', { feed })
    await harness.tributary.idle('syncs')
    const asked = site.requestsTo('/blog.xml').length
    await harness.tributary.sql('update profile_sync set self_read_at = 1')
    await again(token)
    assert.ok(site.requestsTo('/blog.xml').length >= asked + 2, 'the record and the entries')
    assert.deepEqual(await stateOf(token), ['active'])
  })

  test('apps find it by its address', async () => {
    const { account } = await signIn('feed', { feed: `${site.url}/blog.xml` })
    const { body } = await send(harness, 'GET', '/accounts', { headers: basic(harness.app), query: { q: 'blog' } })
    assert.ok(JSON.stringify(body).includes(account))
  })
})

suite('feeds that an older release connected', () => {
  /** As it stored them: the address is the native id, and leads to the account. */
  async function connectAsBefore(path: string): Promise<Granted> {
    site.serve(path, { body: rss('') })
    const granted = await applied('feed', { feed: site.url + path })
    await harness.tributary.idle('syncs')
    const [profile] = await harness.tributary.sql<{ app_id: string }>(
      `update profile set native_id = $2, self = (self::jsonb - 'source')::json where account_id = $1 returning app_id`,
      [granted.account, site.url + path],
    )
    const user = { appId: profile!.app_id, service: 'feed', nativeId: site.url + path }
    await pointServiceUser(harness.tributary.store.database, user, granted.account, 1)
    site.serve(path, { body: rss(rssItem('a') + rssItem('b')) })
    await send(harness, 'POST', '/profiles/feed/sync', { token: granted.access_token })
    await harness.tributary.idle('syncs')
    return granted
  }
  const stored = async () => {
    const tables = ['account', 'access_token', 'profile', 'credential', 'item', 'consent', 'profile_sync']
    const rows: [string, object[]][] = []
    for (const table of tables)
      rows.push([table, await harness.tributary.sql(`select * from ${table} order by 1, 2, 3`)])
    return Object.fromEntries(rows)
  }
  const idsOf = async (token: string) =>
    (await items(harness, '/services/feed/entries', token)).map(({ id, idr }) => `${id} ${idr}`).sort()

  test('S66 the migration ends what leads to their accounts, and changes nothing else', async () => {
    const people = [
      await connectAsBefore('/old.xml'),
      await connectAsBefore('/old.xml'),
      await connectAsBefore('/b.xml'),
    ]
    await signIn('key-service', KEY)
    const file = await signIn('files', {})
    const user = { appId: String((await pointers())[0]!['app_id']), service: 'files', nativeId: 'random' }
    await pointServiceUser(harness.tributary.store.database, user, file.account, 1)
    await harness.tributary.idle('syncs')
    const ids = await Promise.all(people.map(({ access_token: token }) => idsOf(token)))
    assert.match(JSON.stringify(ids), /old\.xml/, 'the ids of items have the address in them')
    const [before, pointed] = [await stored(), await pointers()]
    const kept = pointed.filter(({ service }) => service !== 'feed' && service !== 'files')
    assert.ok(kept.length > 0 && kept.length < pointed.length)
    await harness.tributary.sql(`delete from migration where name = '0030-nobody-vouches.sql'`)
    assert.deepEqual(await migrate(harness.tributary.store.database, 1), ['0030-nobody-vouches.sql'])
    assert.deepEqual(await pointers(), kept)
    assert.deepEqual(await stored(), before)

    const [first] = people
    const token = first!.access_token
    const known = await profiles(token, 'feed')
    const stranger = await signIn('feed', { feed: `${site.url}/old.xml` })
    assert.ok(!people.some(({ account }) => account === stranger.account), 'a stranger gets another account')
    for (const connect of [
      () => signIn('feed', { feed: `${site.url}/old.xml` }, { query: { access_token: token } }),
      () => applied('feed', { feed: `${site.url}/old.xml` }, first!.account),
    ]) {
      assert.equal((await connect()).account, first!.account)
      assert.deepEqual(await profiles(token, 'feed'), known)
    }
    const browser = newBrowser()
    await give(browser, await browser.open(await reconnectLink(token, 'feed')), { feed: `${site.url}/old.xml` })
    await harness.tributary.sql('update profile_sync set self_read_at = 1')
    for (const { access_token: each } of people) await send(harness, 'POST', '/profiles/feed/sync', { token: each })
    await harness.tributary.idle('syncs')
    assert.deepEqual(await Promise.all(people.map((each) => idsOf(each.access_token))), ids)
    const form = { source: people[1]!.access_token, dest: token }
    assert.equal((await send(harness, 'POST', '/auth/merge', { form })).status, 200)
    assert.deepEqual([await profiles(token, 'feed'), await idsOf(token)], [known, ids[0]], 'the same id is one profile')
  })
})

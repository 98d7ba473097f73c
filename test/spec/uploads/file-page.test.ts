import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { purgeUploads } from '#store/sync/uploads.ts'
import { items } from '../../harness/read.ts'
import { get, send } from '../../harness/send.ts'
import { codeOf, continued, newBrowser, redeem, redeemed } from '../../harness/sign-in.ts'
import { entryOf, expireAfter, openFlows, pkce } from '../sign-in/fixture.ts'
import {
  assertNothingStored,
  calendar,
  cards,
  connectFile,
  type FileHarness,
  filesRead,
  openFilePage,
  startFileHarness,
  storedUploads,
  uploadIds,
  uploadOn,
} from './file-fixture.ts'

let harness: FileHarness
before(async () => {
  harness = await startFileHarness()
})
after(() => harness.tributary.stop())

const MEETING = calendar({ uid: 'a@test', title: 'Meeting' })
const titles = async (token: string) =>
  (await items<{ map: { title: string } }>(harness, '/types/events?map=true', token))
    .map(({ map }) => map.title)
    .toSorted()

suite('a person uploads a file on our page', () => {
  test('from the page to a code, a profile, items, search and changes', async () => {
    const { access_token: token } = await connectFile(harness, MEETING, { name: 'C:\\My \u202ecalendar.ics' })
    await filesRead(harness, token)
    assert.deepEqual(await titles(token), ['Meeting'])
    assert.equal((await items(harness, '/types/events?q=meeting', token)).length, 1)
    const changes = (await get(harness, '/changes', token)).body['changes'] as { item: { idr: string } }[]
    assert.match(changes[0]!.item.idr, /^event:\w+@files\/events#a%40test$/)
    const profile = entryOf((await get(harness, '/profiles?full=true', token)).body, 'files')
    assert.deepEqual([profile['state'], profile['name']], ['active', 'My calendar.ics'])
    const { state, endpoints } = (await get(harness, '/sync', token)).body as { state: string; endpoints: object }
    assert.deepEqual([state, endpoints], ['complete', { done: 3, of: 3 }])
    const progress = (await get(harness, '/profiles/files/sync', token)).body as Record<
      string,
      { state: string; items: number; next_run: number }
    >
    assert.deepEqual([progress['events']!.state, progress['events']!.items], ['done', 1])
    assert.ok(progress['events']!.next_run >= 8e15, 'nothing is scheduled')
  })

  test('contacts, with the fields of every contact', async () => {
    const file = cards({ name: 'Ada Lovelace', email: 'Ada@x.test', lines: ['TEL:+1 2'] }, { name: 'Bob' })
    const { access_token: token } = await connectFile(harness, file, { name: 'x.vcf' })
    await filesRead(harness, token)
    const found = await items<{ map: Record<string, unknown> }>(harness, '/types/contacts?map=true', token)
    assert.deepEqual(found.map(({ map }) => String(map['name'])).toSorted(), ['Ada Lovelace', 'Bob'])
    const people = (await get(harness, '/people', token)).body as unknown as unknown[]
    assert.equal(people.length, 2)
  })

  test('the page names formats and what is shared, runs no script, and is small', async () => {
    const { page } = await openFilePage(harness)
    assert.match(page.body, /<label for="file">Choose a file, or drop it here<\/label>/)
    assert.match(page.body, /Calendars \(\.ics\), contacts \(\.vcf\), or a ZIP archive/)
    assert.match(page.body, /your calendar[\s\S]*your contacts/)
    assert.doesNotMatch(page.body, /your name and profile|<script/)
    assert.ok(page.body.length < 30_000)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const { page: arabic } = await openFilePage(harness, { locale: 'ar' })
    assert.match(arabic.body, /dir="rtl"[\s\S]*ملفات التقويم/)
  })

  test('state and PKCE of the app are as in every sign-in', async () => {
    const { verifier, query } = pkce()
    const { browser, page } = await openFilePage(harness, { ...query, state: 'mine' })
    const back = new URL((await uploadOn(browser, page, MEETING)).url)
    assert.equal(back.searchParams.get('state'), 'mine')
    assert.equal((await redeem(harness, codeOf(back), { code_verifier: verifier })).status, 200)
  })

  test('cancel: the app is told, and the page ends', async () => {
    const { browser, page } = await openFilePage(harness)
    const stored = await uploadIds(harness)
    const back = await browser.submit(page, 'cancel')
    assert.equal(new URL(back.url).searchParams.get('error'), 'access_denied')
    assert.equal((await uploadOn(browser, page, MEETING)).status, 400)
    await assertNothingStored(harness, stored)
  })

  test('another browser, an unknown or expired state: nothing is read and nothing is stored', async () => {
    const { browser, page } = await openFilePage(harness)
    const stored = await uploadIds(harness)
    assert.equal((await uploadOn(newBrowser(), page, MEETING)).status, 400)
    const form = new FormData()
    form.append('file', new Blob([MEETING]), 'a.ics')
    assert.equal((await send(harness, 'POST', '/oauth/file?state=x', { body: form })).status, 400)
    await expireAfter(harness, 11 * 60_000)
    assert.equal((await uploadOn(browser, page, MEETING)).status, 400)
    await assertNothingStored(harness, stored)
  })

  test('a repeated upload gets the same code; a second exchange of it is refused', async () => {
    const { browser, page } = await openFilePage(harness)
    const [one, other] = await Promise.all([uploadOn(browser, page, MEETING), uploadOn(browser, page, MEETING)])
    assert.equal(codeOf(new URL(one.url)), codeOf(new URL(other.url)))
    assert.equal(codeOf(new URL((await uploadOn(browser, page, MEETING)).url)), codeOf(new URL(one.url)))
    const { access_token: token } = await redeemed(harness, codeOf(new URL(one.url)))
    await filesRead(harness, token)
    assert.deepEqual(await titles(token), ['Meeting'])
    assert.match((await uploadOn(browser, page, MEETING)).body, /This is done/)
    assert.equal((await redeem(harness, codeOf(new URL(one.url)))).status, 400)
  })
})

suite('S84 a file proves nothing about its owner', () => {
  test('two persons with the same file get different profiles and accounts', async () => {
    const [one, other] = [await connectFile(harness, MEETING), await connectFile(harness, MEETING)]
    assert.notEqual(one.account, other.account)
    const ids = await Promise.all(
      [one, other].map(async ({ access_token: token }) =>
        String(entryOf((await get(harness, '/profiles?full=true', token)).body, 'files')['id']),
      ),
    )
    assert.notEqual(ids[0], ids[1])
    await filesRead(harness, one.access_token)
    await connectFile(harness, calendar({ uid: 'a@test', title: 'Not mine' }))
    await filesRead(harness, other.access_token)
    assert.deepEqual(await titles(one.access_token), ['Meeting'])
  })

  test('in the same account the profile is the same: items are added and changed, never removed', async () => {
    const browser = newBrowser()
    const first = await connectFile(harness, calendar({ uid: '1', title: 'One' }, { uid: '2', title: 'Two' }), {
      browser,
    })
    await filesRead(harness, first.access_token)
    const query = { access_token: first.access_token }
    const again = await connectFile(harness, calendar({ uid: '2', title: 'Changed' }, { uid: '3', title: 'New' }), {
      browser,
      query,
      name: 'second.ics',
    })
    assert.equal(again.account, first.account)
    await filesRead(harness, again.access_token)
    assert.deepEqual(await titles(again.access_token), ['Changed', 'New', 'One'])
    const { body } = await get(harness, '/profiles?full=true', again.access_token)
    assert.equal(entryOf(body, 'files')['name'], 'second.ics')
    assert.equal(JSON.stringify(body).match(/@files/g)?.length ?? 1, 1)
    const elsewhere = await connectFile(harness, MEETING, { query, browser: newBrowser() })
    assert.equal(elsewhere.account, first.account, 'after the person confirmed')
  })

  test('two uploads at once to an account without files agree on one profile', async () => {
    const { access_token: token } = await connectFile(harness, MEETING)
    await send(harness, 'DELETE', '/profiles/files', { token })
    const pages = await Promise.all(
      ['1', '2'].map(async (uid) => {
        const { browser, page } = await openFilePage(harness, { access_token: token })
        return continued(browser, await uploadOn(browser, page, calendar({ uid, title: uid })))
      }),
    )
    const granted = await Promise.all(pages.map(({ url }) => redeemed(harness, codeOf(new URL(url)))))
    assert.equal(granted[0]!.account, granted[1]!.account)
    await filesRead(harness, granted[0]!.access_token)
    assert.deepEqual(await titles(granted[0]!.access_token), ['1', '2'])
    const profiles = await harness.tributary.sql("select 1 from profile where account_id = $1 and service = 'files'", [
      granted[0]!.account,
    ])
    assert.equal(profiles.length, 1)
  })

  test('a link to connect the profile again updates it', async () => {
    const browser = newBrowser()
    const { access_token: token } = await connectFile(harness, MEETING, { browser })
    await filesRead(harness, token)
    const { body } = await send(harness, 'POST', '/profiles/files/reconnect', {
      token,
      json: { redirect_uri: 'http://localhost:4999/back' },
    })
    const page = await browser.open(String(body['url']))
    const back = await continued(browser, await uploadOn(browser, page, calendar({ uid: 'b', title: 'Later' })))
    assert.ok(back.stopped, back.body)
    await filesRead(harness, token)
    assert.deepEqual(await titles(token), ['Later', 'Meeting'])
  })
})

suite('after the upload', () => {
  test('nothing is shown before the code is exchanged, and a code that nobody uses leaves nothing', async () => {
    const { browser, page } = await openFilePage(harness)
    const before = await storedUploads(harness)
    assert.ok((await uploadOn(browser, page, MEETING)).stopped)
    assert.equal((await storedUploads(harness)).uploads, before.uploads + 1)
    await harness.tributary.idle('syncs')
    assert.equal((await storedUploads(harness)).uploads, before.uploads + 1)
    await harness.tributary.sql('update upload set expires_at = 1 where expires_at is not null')
    await purgeNow()
    assert.deepEqual(await storedUploads(harness), { uploads: 0, parts: 0 })
  })

  test('the service is not called, not even by the proxy, and cannot be applied', async () => {
    const { access_token: token } = await connectFile(harness, MEETING)
    await filesRead(harness, token)
    assert.equal((await get(harness, '/proxy/files/x', token)).status, 400)
    assert.equal((await send(harness, 'POST', '/profiles/files/sync', { token })).status < 300, true)
    await harness.tributary.idle('syncs')
    const tokens = { client_id: harness.app.clientId, client_secret: harness.app.secret, token: 'x' }
    assert.equal((await send(harness, 'POST', '/auth/files/apply', { form: tokens })).status, 400)
    assert.equal(entryOf((await get(harness, '/profiles?full=true', token)).body, 'files')['state'], 'active')
    assert.deepEqual(await titles(token), ['Meeting'])
  })

  test('disconnecting erases what was not read yet', async () => {
    const { access_token: token } = await connectFile(harness, MEETING)
    await send(harness, 'DELETE', '/profiles/files', { token })
    assert.deepEqual(await storedUploads(harness), { uploads: 0, parts: 0 })
  })
})

async function purgeNow(): Promise<void> {
  const { deps, close } = await openFlows(harness, 0)
  try {
    assert.ok((await purgeUploads(deps.database, deps.clock.now())).done > 0)
  } finally {
    await close()
  }
}

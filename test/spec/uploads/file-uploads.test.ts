import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { makeZip, type ZipFile } from '../../harness/make-zip.ts'
import { items } from '../../harness/read.ts'
import { get, type Reply, send } from '../../harness/send.ts'
import { until } from '../../harness/until.ts'
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

const EVENT = calendar({ uid: '1', title: 'One' })
const upload = (token: string, body: string | Buffer, type = 'application/octet-stream'): Promise<Reply> =>
  send(harness, 'POST', '/uploads/files', { token, body: body as never, headers: { 'content-type': type } })
const token = async () => (await connectFile(harness, calendar({ uid: '0', title: 'First' }))).access_token
const counts = async (of: string) => [
  (await items(harness, '/types/events', of)).length,
  (await items(harness, '/types/contacts', of)).length,
]

suite('archives', () => {
  test('a ZIP archive as Google makes it: calendars, contacts in folders, other files, an archive inside', async () => {
    const zip = makeZip([
      { name: 'Takeout/archive_browser.html', content: '<html>' },
      { name: 'Takeout/Calendar/me@x.test.ics', content: calendar({ uid: '1', title: 'A' }, { uid: '2', title: 'B' }) },
      {
        name: 'Takeout/Calendar/Other.ics',
        content: calendar({ uid: '2', title: 'B' }, { uid: '3', title: 'C' }),
        stored: true,
      },
      { name: 'Takeout/Contacts/All Contacts/All Contacts.vcf', content: cards({ name: 'Ada' }, { name: 'Bob' }) },
      { name: 'Takeout/Contacts/My Contacts/My Contacts.vcf', content: cards({ name: 'Ada' }) },
      { name: 'inner.zip', content: makeZip([{ name: 'x.ics', content: calendar({ uid: 'no', title: 'no' }) }]) },
      { name: 'not-a-calendar.ics', content: makeZip([]) },
    ])
    const { access_token: of } = await connectFile(harness, zip, { name: 'takeout.zip' })
    await filesRead(harness, of)
    assert.deepEqual(await counts(of), [3, 2])
  })

  test('S83 names with .. and absolute paths are only names', async () => {
    const zip = makeZip([
      { name: '../../../../tmp/tributary-escape.ics', content: EVENT },
      { name: '/etc/x.vcf', content: cards({ name: 'Ada' }) },
      { name: '..\\..\\x.ics\0', content: 'x' },
    ])
    const of = await token()
    const { status, body } = await upload(of, zip)
    assert.equal(status, 202)
    assert.deepEqual(body['records'], { events: 1, contacts: 1 })
    await filesRead(harness, of)
    assert.deepEqual(await counts(of), [2, 1])
  })

  test('content decides, not the name or the type', async () => {
    const of = await token()
    assert.deepEqual((await upload(of, cards({ name: 'Ada' }), 'text/calendar')).body['records'], { contacts: 1 })
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(EVENT, 'utf16le')])
    assert.deepEqual((await upload(of, utf16)).body['records'], { events: 1 })
    assert.deepEqual((await upload(of, `\ufeff${EVENT}${cards({ name: 'Bob' })}`)).body['records'], {
      events: 1,
      contacts: 1,
    })
  })
})

suite('S83 files that are refused leave nothing', () => {
  const bomb = (files: number): ZipFile[] =>
    Array.from({ length: files }, (_, i) => ({
      name: `${i}.ics`,
      content: `BEGIN:VCALENDAR\r\n${'A'.repeat(8_000_000)}`,
    }))
  const noise = (bytes: number) => {
    // Compresses about as well as text.
    const pieces: string[] = []
    for (let i = 0, size = 0; size < bytes; i += 1) {
      const piece = `X-${(i * 2_654_435_761) % 4_294_967_296}:${i}\r\n`
      pieces.push(piece)
      size += piece.length
    }
    return pieces.join('')
  }
  const cases: [what: string, file: () => string | Buffer, status: number, sentence: RegExp][] = [
    ['another format', () => '%PDF-1.7', 400, /neither iCalendar/],
    ['a web page with a calendar in it', () => `<html>${EVENT}`, 400, /neither iCalendar/],
    ['an empty calendar', () => calendar(), 400, /no events and no contacts/],
    ['an archive without such files', () => makeZip([{ name: 'a.txt', content: EVENT }]), 400, /neither iCalendar/],
    ['an encrypted archive', () => makeZip([{ name: 'a.ics', content: EVENT, flags: 1 }]), 400, /encrypted/],
    ['ZIP64', () => makeZip([{ name: 'a.ics', content: EVENT, size: 0xffff_ffff }]), 400, /ZIP64/],
    ['a damaged archive', () => makeZip([{ name: 'a.ics', content: EVENT }]).subarray(0, 60), 400, /damaged/],
    [
      'a size that is not true',
      () => makeZip([{ name: 'a.ics', content: 'A'.repeat(500_000), size: 10 }]),
      400,
      /damaged/,
    ],
    ['a file that compresses too well', () => makeZip(bomb(1)), 413, /too large/],
    [
      'files that overlap',
      () =>
        // The directory names one file again and again.
        makeZip([{ name: 'a.ics', content: noise(900_000) }], { repeat: 40 }),
      413,
      /too large/,
    ],
    [
      'too many entries',
      () => makeZip(Array.from({ length: 10_001 }, (_, i) => ({ name: `${i}`, content: '', stored: true }))),
      400,
      /too many files/,
    ],
    [
      'too many events',
      () => calendar(...Array.from({ length: 50_001 }, (_, i) => ({ uid: String(i), title: 'x' }))),
      400,
      /too many events/,
    ],
    ['nothing', () => '', 400, /no file/],
  ]
  for (const [what, file, status, sentence] of cases)
    test(what, async () => {
      const of = await token()
      await filesRead(harness, of)
      const stored = await uploadIds(harness)
      const refused = await upload(of, file())
      assert.equal(refused.status, status, refused.text)
      assert.match(refused.text, sentence)
      await assertNothingStored(harness, stored)
      assert.deepEqual(await counts(of), [1, 0])
    })

  test('on the page: a sentence, and the same page takes another file', async () => {
    const { browser, page } = await openFilePage(harness)
    const again = await uploadOn(browser, page, '%PDF-1.7')
    assert.equal(again.url, page.url)
    assert.match(again.body, /<title>Error: /)
    assert.match(again.body, /role="alert"[^>]*>This file is neither a calendar/)
    assert.match((await uploadOn(browser, again, '')).body, /Choose a file first/)
    assert.match(
      (await uploadOn(browser, again, makeZip([{ name: 'a.ics', content: EVENT, flags: 1 }]))).body,
      /has a password/,
    )
    assert.match((await uploadOn(browser, again, Buffer.alloc(33 * 1024 * 1024))).body, /too large/)
    assert.ok((await uploadOn(browser, again, EVENT)).stopped)
  })
})

suite('S83 bodies', () => {
  test('a form, with fields beside the file', async () => {
    const of = await token()
    const form = new FormData()
    form.append('note', 'x')
    form.append('file', new Blob([EVENT]), 'a.ics')
    const { status, body } = await send(harness, 'POST', '/uploads/files', { token: of, body: form })
    assert.deepEqual([status, body['records']], [202, { events: 1 }])
  })

  const broken: [what: string, type: string, body: string][] = [
    ['no boundary', 'multipart/form-data', EVENT],
    ['no part', 'multipart/form-data; boundary=x', '--x--\r\n'],
    [
      'another boundary',
      'multipart/form-data; boundary=x',
      '--y\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\nx\r\n--y--\r\n',
    ],
    [
      'a field only',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="f"\r\n\r\nx\r\n--x--\r\n',
    ],
    [
      'a file without its end',
      'multipart/form-data; boundary=x',
      `--x\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n${EVENT}`,
    ],
  ]
  for (const [what, type, body] of broken)
    test(`a form with ${what} is refused`, async () => {
      const of = await token()
      await filesRead(harness, of)
      const stored = await uploadIds(harness)
      const refused = await upload(of, body, type)
      assert.equal(refused.status, 400, refused.text)
      await assertNothingStored(harness, stored)
    })

  test('a body that says or is more than the limit', async () => {
    const of = await token()
    await filesRead(harness, of)
    const stored = await uploadIds(harness)
    const refused = await upload(of, Buffer.alloc(32 * 1024 * 1024 + 1))
    assert.equal(refused.status, 413, refused.text)
    await assertNothingStored(harness, stored)
  })

  test('a connection that breaks off in the middle leaves nothing', async () => {
    const of = await token()
    await filesRead(harness, of)
    const stored = await storedUploads(harness)
    const { port, hostname } = new URL(harness.tributary.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /uploads/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${of}\r\ncontent-length: 5000000\r\n\r\nBEGIN:VCALENDAR\r\n${'x'.repeat(1_000_000)}`,
    )
    await until('a part is stored', async () => (await storedUploads(harness)).parts > stored.parts)
    socket.destroy()
    await until('it is deleted', async () => (await storedUploads(harness)).uploads === stored.uploads)
    assert.deepEqual(await storedUploads(harness), stored)
  })

  test('only with the token of an account, and only for a service that takes files', async () => {
    assert.equal((await upload('tra_x', EVENT)).status, 401)
    const of = await token()
    const other = await send(harness, 'POST', '/uploads/caldav', { token: of, body: EVENT })
    assert.equal(other.status, 404)
  })
})

suite('uploads of an app', () => {
  test('create a profile in an account, or change the one that it has; a repeated upload changes nothing', async () => {
    const of = await token()
    await filesRead(harness, of)
    const { body } = await upload(of, calendar({ uid: '0', title: 'Changed' }, { uid: '1', title: 'New' }))
    await filesRead(harness, of)
    const profiles = (await get(harness, '/profiles', of)).text
    assert.ok(profiles.includes(String(body['profile']).replace('@files', '')), profiles)
    const before = await items(harness, '/types/events', of)
    assert.equal(before.length, 2)
    await upload(of, calendar({ uid: '0', title: 'Changed' }, { uid: '1', title: 'New' }))
    await filesRead(harness, of)
    assert.deepEqual(await items(harness, '/types/events', of), before)
  })

  test('a large file is stored page by page', async () => {
    const of = await token()
    await upload(of, calendar(...Array.from({ length: 1234 }, (_, i) => ({ uid: `n${i}`, title: `Event ${i}` }))))
    await filesRead(harness, of)
    const { body } = await get(harness, '/types', of)
    assert.match(JSON.stringify(body), /1235/)
  })
})

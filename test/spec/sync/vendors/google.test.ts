import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { until } from '../../../harness/until.ts'
import { startVendorHarness, type VendorHarness } from './vendors-fixture.ts'

const PERSON = 'dmitri'
const PRIMARY = `${PERSON}@gmail.test`
const FAMILY = `c_family${PERSON}@group.calendar.google.com`
const ENDPOINTS = ['contacts', 'calendars', 'events', 'files', 'mail_ids', 'mail']

suite('Google: positions that end, and what was deleted meanwhile', () => {
  let harness: VendorHarness
  let token: string
  before(async () => {
    harness = await startVendorHarness()
    token = await harness.signIn('google', PERSON)
    await harness.synced('google', ENDPOINTS, token)
  })
  after(() => harness?.stop())

  const records = async (endpoint: string) => (await harness.items('google', endpoint, token)).map(({ data }) => data)
  const ids = async (endpoint: string) => (await records(endpoint)).map((record) => record['id'])
  /** Syncs once more and returns the requests for these paths. */
  async function syncAgain(path: RegExp, names = ENDPOINTS): Promise<string[]> {
    const { requests } = harness.lab.services.google
    requests.clear()
    const progress = await harness.progress('google', token)
    const latestMs = Math.max(...names.map((name) => progress[name]?.last_run ?? 0))
    await harness.ask('POST', '/profiles/google/sync', token)
    await harness.synced('google', names, token, latestMs)
    return requests.all.map(({ target }) => decodeURIComponent(target)).filter((target) => path.test(target))
  }

  test('later runs read only what changed, and changes and deletions arrive', async () => {
    const { data } = harness.lab.services.google
    const [event] = (await records('events')).filter(({ calendar }) => (calendar as { id: string }).id === FAMILY)
    const [contact] = await records('contacts')
    const [file, otherFile] = await ids('files')
    const [mail, otherMail] = await ids('mail')
    data.remove(PERSON, `events ${FAMILY}`, String(event!['id']))
    data.remove(PERSON, 'contacts', String(contact!['resourceName']))
    data.remove(PERSON, 'files', String(file))
    data.edit(PERSON, 'files', String(otherFile), { trashed: true })
    data.remove(PERSON, 'mail', String(mail))
    data.edit(PERSON, 'mail', String(otherMail), { labelIds: ['INBOX', 'STARRED'] })
    const added = data.add(PERSON, 'mail', {})['id']
    const counts = { events: (await ids('events')).length, contacts: (await records('contacts')).length }
    const asked = await syncAgain(/calendars\/|connections|\/files|\/messages/)
    assert.ok(
      asked
        .filter((target) => target.includes('/events') || target.includes('connections'))
        .every((target) => target.includes('syncToken=')),
      asked.join('\n'),
    )
    assert.ok(!asked.some((target) => target.startsWith('/drive/v3/files')), 'no list of files')
    assert.equal((await ids('events')).length, counts.events - 1)
    assert.equal((await records('contacts')).length, counts.contacts - 1)
    const files = await ids('files')
    assert.ok(!files.includes(file) && !files.includes(otherFile))
    const mails = await records('mail')
    assert.ok(!mails.some(({ id }) => id === mail) && mails.some(({ id }) => id === added))
    assert.deepEqual(mails.find(({ id }) => id === otherMail)?.['labelIds'], ['INBOX', 'STARRED'])
  })

  test('of mail only headers are stored', async () => {
    const text = JSON.stringify(await records('mail'))
    assert.ok(text.includes('Subject') && !text.includes('snippet') && !text.includes('Received'))
  })

  test('the token of one calendar ends: only that calendar is read again, and its deletions are found', async () => {
    const { data, configure } = harness.lab.services.google
    const before = await records('events')
    const [gone] = before.filter(
      ({ calendar, recurrence }) => (calendar as { id: string }).id === FAMILY && !recurrence,
    )
    data.remove(PERSON, `events ${FAMILY}`, String(gone!['id']))
    configure({ forget: `events ${FAMILY}` })
    const asked = await syncAgain(/\/events\?/)
    const whole = asked.filter((target) => !target.includes('syncToken='))
    assert.ok(whole.length > 0 && whole.every((target) => target.includes(FAMILY)), asked.join('\n'))
    assert.ok(asked.some((target) => target.includes(PRIMARY) && target.includes('syncToken=')))
    assert.equal((await records('events')).length, before.length - 1)
    const { faults } = (await harness.progress('google', token))['events'] ?? {}
    assert.equal(faults, undefined)
  })

  test('an expired token of contacts, a forgotten history and lost changes of files: everything is read again', async () => {
    const { data, configure } = harness.lab.services.google
    const [contact] = await records('contacts')
    const before = { contacts: (await records('contacts')).length, mail: await ids('mail'), files: await ids('files') }
    data.remove(PERSON, 'contacts', String(contact!['resourceName']))
    data.remove(PERSON, 'mail', String(before.mail[0]))
    data.remove(PERSON, 'files', String(before.files[0]))
    for (const forget of ['contacts', 'mail', 'files']) configure({ forget })
    await syncAgain(/./)
    // The run that learns of it ends; the next one begins at once and reads everything.
    const expected = [before.contacts - 1, before.files.length - 1, before.mail.length - 1]
    await until(
      'everything is read again',
      async () => [(await records('contacts')).length, (await ids('files')).length, (await ids('mail')).length],
      (counts) => counts.join() === expected.join(),
    )
    const { requests } = harness.lab.services.google
    assert.ok(requests.all.some(({ target }) => target.includes('connections') && !target.includes('syncToken')))
    await harness.tributary.idle('syncs')
    const progress = await harness.progress('google', token)
    for (const name of ENDPOINTS) assert.equal(progress[name]?.last_error, undefined, name)
  })

  test('without units of YouTube only its endpoints wait, until midnight in California', async () => {
    harness.lab.services.google.configure({ youtubeUnits: 0 })
    await harness.ask('POST', '/profiles/google/sync', token)
    // Of the endpoints of YouTube the first that runs is refused; the others then make no call.
    await until('YouTube has refused a call', async () => {
      const youtube = Object.entries(await harness.progress('google', token)).filter(([name]) =>
        name.startsWith('youtube'),
      )
      return youtube.some(([, one]) => one.last_reason === 'rate_limited_here')
    })
    const latestMs = Math.max(...Object.values(await harness.progress('google', token)).map((one) => one.last_run ?? 0))
    await harness.ask('POST', '/profiles/google/sync', token)
    await harness.synced('google', ENDPOINTS, token, latestMs)
    const rows = await harness.tributary.sql<{ bucket: string }>(
      'select bucket from rate_limit where blocked_until > $1',
      [Date.now()],
    )
    assert.deepEqual(
      rows.map(({ bucket }) => bucket),
      [`${harness.app.clientId} google #youtube`],
    )
  })
})

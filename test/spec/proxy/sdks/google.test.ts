import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { packagesMissing } from '../../../real/packages.ts'
import { loadSdk } from '../../../real/sdks/load.ts'
import { type SdkHarness, startSdkHarness } from './fixture.ts'

interface Reply<Data> {
  status: number
  headers: Headers
  data: Data
}
type Method<Data> = (parameters: object, options?: object) => Promise<Reply<Data>>
interface Listed {
  nextPageToken?: string
}
interface Event {
  id: string
  etag: string
  summary: string
}
interface File {
  id: string
  name: string
  size: string
}
interface Contact {
  resourceName: string
  names: { displayName: string }[]
}

/** The parts of the vendor's clients that the test uses. */
interface Auth {
  setCredentials(given: { access_token: string }): void
  request<Data>(call: object): Promise<Reply<Data>>
}
interface Calendar {
  events: {
    list: Method<Listed & { items: Event[] }>
    get: Method<Event>
    insert: Method<Event>
    patch: Method<Event>
    delete: Method<unknown>
  }
}
interface Drive {
  files: { list: Method<Listed & { files: File[] }>; get: Method<File & string>; create: Method<File> }
}
interface People {
  people: {
    connections: { list: Method<Listed & { connections: Contact[] }> }
    get: Method<Contact>
    createContact: Method<Contact>
  }
}
interface Packages {
  calendar: (options: object) => Calendar
  drive: (options: object) => Drive
  people: (options: object) => People
  auth: { OAuth2: new () => Auth }
}

const SCOPE = [
  'openid email profile',
  ...[
    'contacts.readonly',
    'calendar.readonly',
    'drive.metadata.readonly',
    'contacts',
    'calendar.events',
    'drive.file',
  ].map((name) => `https://www.googleapis.com/auth/${name}`),
].join(' ')
const TIMES = { start: { dateTime: '2026-06-01T10:00:00Z' }, end: { dateTime: '2026-06-01T11:00:00Z' } }
const CONTENT = 'one two three four '.repeat(1000)

const failure = (status: number, message?: string) => (error: Error & { status?: number }) => {
  const expected = ['GaxiosError', status, message ?? error.message]
  assert.deepEqual([error.constructor.name, error.status, error.message], expected)
  return true
}

suite('@googleapis/calendar, drive and people', { skip: await packagesMissing('sdks') }, () => {
  let harness: SdkHarness<'google'>
  let vendors: Packages
  let token: string
  let own: string
  before(async () => {
    harness = await startSdkHarness(['google'])
    const names = ['calendar', 'drive', 'people']
    vendors = Object.assign({}, ...(await Promise.all(names.map((name) => loadSdk(`@googleapis/${name}`)))))
    ;({ token, own } = await harness.signIn('google', { scope: SCOPE }))
  })
  after(() => harness.stop())

  const authWith = (accessToken: string): Auth => {
    const auth = new vendors.auth.OAuth2()
    auth.setCredentials({ access_token: accessToken })
    return auth
  }
  /**
   * `perCall` are the options of a method. Uploads know no other base address: without it they go to Google itself, with the token.
   * One with a path must be there alone.
   */
  const clientsAt = (base: string, accessToken = token) => {
    const auth = authWith(accessToken)
    const isOrigin = new URL(base).pathname === '/'
    const options = { auth, retry: false, ...(isOrigin ? { rootUrl: base } : {}) }
    return {
      auth,
      perCall: { rootUrl: `${base.replace(/\/$/, '')}/` },
      calendar: vendors.calendar({ version: 'v3', ...options }),
      drive: vendors.drive({ version: 'v3', ...options }),
      people: vendors.people({ version: 'v1', ...options }),
    }
  }
  type Clients = ReturnType<typeof clientsAt>
  const direct = () => clientsAt(harness.lab.services.google.url, harness.credentialAt('google'))

  /** As the documentation pages: until there is no token of a next page. */
  async function every<Data extends Listed, One>(
    listing: { list: Method<Data> },
    { perCall }: Clients,
    parameters: object,
    read: (data: Data) => One[] | undefined,
  ): Promise<{ found: One[]; pages: number }> {
    const found: One[] = []
    let pageToken: string | undefined
    let pages = 0
    do {
      const { data } = await listing.list({ ...parameters, pageToken }, perCall)
      found.push(...(read(data) ?? []))
      pageToken = data.nextPageToken
      pages += 1
    } while (pageToken !== undefined)
    return { found, pages }
  }
  const readAll = async (clients: Clients) => {
    const { calendar, drive, people } = clients
    const mine = { resourceName: 'people/me', personFields: 'names', pageSize: 2 }
    return {
      events: await every(calendar.events, clients, { calendarId: 'primary', maxResults: 4 }, (data) => data.items),
      files: await every(drive.files, clients, { pageSize: 4 }, (data) => data.files),
      contacts: await every(people.people.connections, clients, mine, (data) => data.connections),
    }
  }

  const bases = {
    'the origin of the service': () => harness.originOf('google'),
    '/proxy': () => harness.addressOf('google'),
  }
  for (const [where, base] of Object.entries(bases))
    suite(`at ${where}`, () => {
      test('read every page, as the service has them', async () => {
        const found = await readAll(clientsAt(base()))
        for (const { pages } of Object.values(found)) assert.ok(pages > 1)
        assert.deepEqual(found, await readAll(direct()))
        harness.assertNothingLeft()
      })

      test('make, read under an etag, change and delete an event, and the next sync has it', async () => {
        const { calendar, perCall } = clientsAt(base())
        const calendarId = 'primary'
        const requestBody = { summary: `Made at ${where}`, ...TIMES }
        const { data: made } = await calendar.events.insert({ calendarId, requestBody }, perCall)
        const at = { calendarId, eventId: made.id }
        assert.deepEqual((await calendar.events.get(at, perCall)).data, made)
        const same = { ...perCall, headers: { 'If-None-Match': made.etag } }
        assert.equal((await calendar.events.get(at, same)).status, 304)
        const change = { ...at, requestBody: { summary: 'Later' } }
        const changed = await calendar.events.patch(change, { ...perCall, headers: { 'If-Match': made.etag } })
        assert.equal(changed.data.summary, 'Later')
        await assert.rejects(
          calendar.events.patch(change, { ...perCall, headers: { 'If-Match': made.etag } }),
          failure(412),
        )
        // A sync may also have read it before the change.
        const isChanged = (data: Record<string, unknown>) => data['id'] === made.id && data['summary'] === 'Later'
        await harness.readBack('google', 'events', own, isChanged)
        assert.equal((await calendar.events.delete(at, perCall)).status, 204)
        harness.assertNothingLeft()
      })

      test('upload a file with its metadata, download it, and the next sync has it', async () => {
        const { drive, perCall } = clientsAt(base())
        const media = { mimeType: 'text/plain', body: Readable.from([CONTENT]) }
        const given = { requestBody: { name: `At ${where}.txt` }, media, fields: 'id,name,size' }
        const { data } = await drive.files.create(given, perCall)
        assert.deepEqual([data.name, data.size], [`At ${where}.txt`, String(CONTENT.length)])
        const read = await drive.files.get({ fileId: data.id, alt: 'media' }, { ...perCall, responseType: 'text' })
        assert.equal(read.data, CONTENT)
        const stored = await harness.readBack('google', 'files', own, (one) => one['id'] === data.id)
        assert.equal(stored?.data['name'], data.name)
        harness.assertNothingLeft()
      })

      test('upload a file in parts, to the address that the first call returns', async () => {
        const { auth, perCall } = clientsAt(base())
        const started = await auth.request({
          method: 'POST',
          url: `${perCall.rootUrl}upload/drive/v3/files`,
          params: { uploadType: 'resumable', fields: 'name,size' },
          headers: { 'X-Upload-Content-Type': 'text/plain' },
          data: { name: `Parts at ${where}` },
        })
        const url = started.headers.get('location') ?? ''
        assert.ok(url.startsWith(perCall.rootUrl), url)
        const put = (range: string, data: string) =>
          auth.request<File>({
            method: 'PUT',
            url,
            headers: { 'Content-Range': `bytes ${range}/8`, 'Content-Type': 'text/plain' },
            data,
            validateStatus: (status: number) => status === 308 || (status >= 200 && status < 300),
          })
        const first = await put('0-3', 'one ')
        assert.deepEqual([first.status, first.headers.get('range')], [308, 'bytes=0-3'])
        // To the service the address alone is enough; here it opens nothing.
        assert.equal((await fetch(url, { method: 'PUT', body: 'four' })).status, 401)
        assert.deepEqual((await put('4-7', 'four')).data, { name: `Parts at ${where}`, size: '8' })
        harness.assertNothingLeft()
      })

      test('make a contact, read it, and the next sync has it', async () => {
        const { people, perCall } = clientsAt(base())
        const given = { requestBody: { names: [{ givenName: 'Rui', familyName: where }] }, personFields: 'names' }
        const { data } = await people.people.createContact(given, perCall)
        assert.equal(data.names[0]?.displayName, `Rui ${where}`)
        const { resourceName } = data
        assert.deepEqual((await people.people.get({ resourceName, personFields: 'names' }, perCall)).data, data)
        await harness.readBack('google', 'contacts', own, (one) => one['resourceName'] === resourceName)
        harness.assertNothingLeft()
      })

      test('show their own errors of a record that is not there, of a limit and of a token that ended', async () => {
        const { calendar, drive, perCall } = clientsAt(base())
        const missing = drive.files.get({ fileId: 'nothing' }, perCall)
        await assert.rejects(missing, failure(404, 'File not found: nothing.'))
        const { faults } = harness.lab.services.google
        const body = JSON.stringify({ error: { code: 429, message: 'Rate Limit Exceeded', errors: [] } })
        // Of a path that syncs do not call.
        faults.add({ path: /\/events\/limited$/, kind: 'status', status: 429, retryAfterSeconds: 0, body })
        const limited = calendar.events.get({ calendarId: 'primary', eventId: 'limited' }, perCall)
        await assert.rejects(limited, failure(429, 'Rate Limit Exceeded'))
        const stranger = clientsAt(base(), 'trt_unknown')
        await assert.rejects(stranger.drive.files.list({}, perCall), failure(401))
        harness.assertNothingLeft()
      })
    })

  // Once only: what a service refuses again within half a minute is not refreshed again.
  test('go on when the credential has ended at the service, also in the middle of an upload in parts', async () => {
    const { auth, drive, perCall } = clientsAt(harness.originOf('google'))
    const started = await auth.request({
      method: 'POST',
      url: `${perCall.rootUrl}upload/drive/v3/files`,
      params: { uploadType: 'resumable' },
      data: { name: 'Interrupted' },
    })
    const { tokens } = harness.lab.services.google
    assert.ok(tokens.expire('ada') > 0)
    const url = started.headers.get('location') ?? ''
    const { data } = await auth.request<File>({ method: 'PUT', url, data: 'all of it' })
    assert.equal(data.name, 'Interrupted')
    // The address of an upload needs no credential; this call does.
    const media = { mimeType: 'text/plain', body: Readable.from([CONTENT]) }
    const uploaded = await drive.files.create({ requestBody: { name: 'Refreshed' }, media }, perCall)
    assert.equal(uploaded.data.name, 'Refreshed')
    harness.assertNothingLeft()
  })
})

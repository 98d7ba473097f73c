import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Lab, startLab } from '../../lab.ts'
import { callback, tokensFor } from '../../testing/oauth2-client.ts'
import { typeErrors, typesMissing } from '../../testing/typed-values.ts'
import { SCOPES } from './login.ts'

interface Answer {
  status: number
  headers: Headers
  text: string
  body: Record<string, unknown>
}
interface Failure {
  code: number
  message: string
  errors: { reason: string }[]
}

const EVENTS = '/calendar/v3/calendars/primary/events'
const times = { start: { dateTime: '2026-06-01T10:00:00Z' }, end: { dateTime: '2026-06-01T11:00:00Z' } }

suite('writes of google', () => {
  let lab: Lab<'google'>
  let token: string
  let readingToken: string
  before(async () => {
    lab = await startLab({ services: ['google'], maxActivity: 20 })
    const { google } = lab.services
    const flow = { service: google, ...google.register({ redirectUris: [callback] }) }
    const readable = [SCOPES.calendar, SCOPES.drive, SCOPES.contacts]
    const writable = [SCOPES.writeEvents, SCOPES.writeFiles, SCOPES.writeContacts]
    token = (await tokensFor(flow, { scope: [...readable, ...writable].join(' ') })).access_token
    readingToken = (await tokensFor(flow, { scope: readable.join(' ') })).access_token
  })
  after(() => lab.close())

  async function call(
    method: string,
    path: string,
    body?: object | string | Buffer<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const response = await fetch(new URL(path, lab.services.google.url), {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const parsed = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { status: response.status, headers: response.headers, text, body: parsed }
  }
  const failed = ({ status, body }: Answer) => {
    const { code, message, errors } = body['error'] as Failure
    return [status, code, errors[0]?.reason, message]
  }

  test('an event is made, changed under its etag, and deleted; a sync token tells each of it', async () => {
    const { nextSyncToken } = (await call('GET', EVENTS)).body
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO', 'EXDATE;TZID=Europe/Lisbon:20260608T110000']
    const { status, body: made } = await call('POST', EVENTS, {
      summary: 'New',
      ...times,
      recurrence,
      created: '1999',
    })
    assert.equal(status, 200)
    assert.deepEqual([made['sequence'], made['status'], made['recurrence']], [0, 'confirmed', recurrence])
    assert.equal(made['created'], made['updated'])
    const path = `${EVENTS}/${String(made['id'])}`
    const read = await call('GET', path)
    assert.deepEqual([read.body, read.headers.get('etag')], [made, made['etag']])
    assert.equal((await call('GET', path, undefined, { 'if-none-match': String(made['etag']) })).status, 304)
    const patch = (fields: object, etag: unknown) => call('PATCH', path, fields, { 'if-match': String(etag) })
    const { body: named } = await patch({ summary: 'Newer', description: 'x' }, made['etag'])
    assert.deepEqual([named['summary'], named['sequence'], named['recurrence']], ['Newer', 0, recurrence])
    assert.deepEqual(failed(await patch({ summary: 'Lost' }, made['etag'])), [
      412,
      412,
      'conditionNotMet',
      'Precondition Failed',
    ])
    const { body: moved } = await patch({ end: { dateTime: '2026-06-01T12:00:00Z' }, description: null }, named['etag'])
    assert.deepEqual([moved['sequence'], moved['description'], moved['summary']], [1, undefined, 'Newer'])
    const { body: put } = await call('PUT', path, { ...times, summary: 'Put' })
    assert.deepEqual([put['recurrence'], put['creator'], put['sequence']], [undefined, made['creator'], 2])
    assert.equal((await call('DELETE', path)).status, 204)
    assert.deepEqual(failed(await call('DELETE', path)), [410, 410, 'deleted', 'Resource has been deleted'])
    const { items } = (await call('GET', `${EVENTS}?syncToken=${String(nextSyncToken)}`)).body
    assert.deepEqual(items, [(await call('GET', path)).body])
    assert.equal((items as { status: string }[])[0]?.status, 'cancelled')
  })

  test('what an event lacks, where it may not be, and what is not there', async () => {
    assert.deepEqual(failed(await call('POST', EVENTS, { start: times.start })).slice(0, 4), [
      400,
      400,
      'required',
      'Missing end time.',
    ])
    assert.equal((await call('POST', EVENTS, { ...times, id: 'chosen1' })).body['id'], 'chosen1')
    assert.equal(failed(await call('POST', EVENTS, { ...times, id: 'chosen1' }))[2], 'duplicate')
    assert.equal(failed(await call('POST', EVENTS, { ...times, id: 'NO' }))[2], 'invalid')
    assert.equal(failed(await call('PATCH', `${EVENTS}/nothing`, {}))[2], 'notFound')
    const holidays = '/calendar/v3/calendars/en.portuguese%23holiday@group.v.calendar.google.com/events'
    const [{ id }] = (await call('GET', holidays)).body['items'] as [{ id: string }]
    assert.equal(failed(await call('PATCH', `${holidays}/${id}`, {}))[2], 'requiredAccessLevel')
    const unscoped = await call('POST', EVENTS, times, { authorization: `Bearer ${readingToken}` })
    assert.equal(failed(unscoped)[2], 'insufficientPermissions')
  })

  test('a file is made from metadata, from content and from both, and is in the changes', async () => {
    const { startPageToken } = (await call('GET', '/drive/v3/changes/startPageToken')).body
    const folder = await call('POST', '/drive/v3/files', { name: 'F', mimeType: 'application/vnd.google-apps.folder' })
    assert.deepEqual(Object.keys(folder.body), ['kind', 'id', 'name', 'mimeType'])
    const plain = await call('POST', '/upload/drive/v3/files?uploadType=media&fields=*', 'hello', {
      'content-type': 'text/plain',
    })
    assert.deepEqual([plain.body['name'], plain.body['mimeType'], plain.body['size']], ['Untitled', 'text/plain', '5'])
    const bytes = Buffer.from([0, 255, 13, 10, 13, 10, 200, 13, 10])
    const both = Buffer.concat([
      Buffer.from('--b-1\r\ncontent-type: application/json\r\n\r\n{"name":"Both"}\r\n'),
      Buffer.from('--b-1\r\ncontent-type: image/png\r\n\r\n'),
      bytes,
      Buffer.from('\r\n--b-1--'),
    ])
    const made = await call('POST', '/upload/drive/v3/files?uploadType=multipart&fields=id,size,name', both, {
      'content-type': 'multipart/related; boundary=b-1',
    })
    assert.deepEqual(made.body, { id: made.body['id'], name: 'Both', size: '9' })
    const read = await fetch(`${lab.services.google.url}/drive/v3/files/${String(made.body['id'])}?alt=media`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.deepEqual([read.headers.get('content-type'), Buffer.from(await read.arrayBuffer())], ['image/png', bytes])
    const { changes } = (await call('GET', `/drive/v3/changes?pageToken=${String(startPageToken)}`)).body
    const ids = (changes as { fileId: string }[]).map(({ fileId }) => fileId)
    assert.deepEqual(ids, [folder.body['id'], plain.body['id'], made.body['id']])
    assert.deepEqual(failed(await call('GET', '/drive/v3/files/no')).slice(2), ['notFound', 'File not found: no.'])
  })

  test('a resumable upload takes its parts in turn, says how much is there, and ends once', async () => {
    const start = await call(
      'POST',
      '/upload/drive/v3/files?uploadType=resumable&fields=name,size',
      { name: 'Parts' },
      {
        'x-upload-content-type': 'text/plain',
      },
    )
    const location = start.headers.get('location') ?? ''
    assert.match(location, /\/upload\/drive\/v3\/files\?uploadType=resumable&upload_id=/)
    // The address is the secret: it needs no token.
    const put = (range: string, body = '') => call('PUT', location, body, { 'content-range': range, authorization: '' })
    const told = ({ status, headers }: Answer) => [status, headers.get('range')]
    assert.deepEqual(told(await put('bytes */8')), [308, null])
    assert.deepEqual(told(await put('bytes 0-3/8', 'one ')), [308, 'bytes=0-3'])
    assert.deepEqual(told(await put('bytes 0-3/8', 'one ')), [308, 'bytes=0-3'], 'what was received counts once')
    assert.deepEqual(told(await put('bytes */8')), [308, 'bytes=0-3'])
    const { status, body } = await put('bytes 4-7/8', 'four')
    assert.deepEqual([status, body], [200, { name: 'Parts', size: '8' }])
    assert.equal((await put('bytes */8')).status, 404)
  })

  test('a contact is made and read', async () => {
    const made = await call('POST', '/v1/people:createContact', { names: [{ givenName: 'Rui', familyName: 'Sá' }] })
    assert.equal((made.body['names'] as { displayName: string }[])[0]?.displayName, 'Rui Sá')
    const path = `/v1/${String(made.body['resourceName'])}?personFields=names,metadata`
    assert.deepEqual((await call('GET', path)).body, made.body)
    assert.equal((await call('GET', '/v1/people/c1?personFields=names')).status, 404)
  })

  test('replies have the types of the vendor’s clients', { skip: typesMissing() }, async () => {
    const imports = `import type { calendar_v3 } from '@googleapis/calendar'
      import type { drive_v3 } from '@googleapis/drive'
      import type { people_v1 } from '@googleapis/people'`
    const make = async (type: string, path: string, body: object) => ({
      type,
      value: (await call('POST', path, body)).body,
    })
    const values = [
      await make('calendar_v3.Schema$Event', EVENTS, { summary: 'T', ...times }),
      await make('drive_v3.Schema$File', '/drive/v3/files?fields=*', { name: 'T' }),
      await make('people_v1.Schema$Person', '/v1/people:createContact', { names: [{ givenName: 'T' }] }),
    ]
    assert.equal(typeErrors(imports, values), '')
    assert.match(typeErrors(imports, [{ type: 'drive_v3.Schema$File', value: { invented: 1 } }]), /error TS/)
  })
})

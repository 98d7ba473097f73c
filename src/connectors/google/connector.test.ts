import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mailboxesIn, webAddress } from './addresses.ts'
import { google } from './connector.ts'
import { nextPacificMidnight } from './failures.ts'
import { secondsOf } from './youtube-kinds.ts'

const failed = (status: number, error: object) => google.api.recovery?.({ status, headers: {}, body: { error } })
const because = (status: number, reason: string, more: object = {}) => failed(status, { errors: [{ reason, ...more }] })

suite('google', () => {
  test('refusals are read by their reason', () => {
    assert.equal(failed(400, { details: [{ reason: 'EXPIRED_SYNC_TOKEN' }] }), 'restart')
    assert.equal(because(410, 'fullSyncRequired'), 'restart')
    assert.equal(because(400, 'invalid', { location: 'pageToken' }), 'restart')
    assert.equal(because(400, 'invalid', { location: 'fields' }), undefined)
    assert.equal(failed(404, { message: 'Requested entity was not found.' }), 'restart')
    assert.equal(because(403, 'userRateLimitExceeded'), 'pause_person')
    assert.equal(because(403, 'insufficientPermissions'), 'not_granted')
    assert.equal(because(403, 'accessNotConfigured'), 'stop')
    assert.equal(because(401, 'authError'), undefined)
    assert.equal(google.api.recovery?.({ status: 502, headers: {}, body: undefined }), undefined)
  })

  test('the units of YouTube end for the app, until midnight in California', () => {
    const body = { error: { errors: [{ domain: 'youtube.quota', reason: 'quotaExceeded' }] } }
    const nowMs = Date.UTC(2026, 10, 17, 3, 0, 5)
    const info = google.api.rate?.({}, nowMs, body)
    assert.deepEqual(info, { remaining: 0, resetAtMs: Date.UTC(2026, 10, 17, 8), of: 'app_group' })
    assert.equal(nextPacificMidnight(Date.UTC(2026, 6, 1, 7)), Date.UTC(2026, 6, 2, 7))
    assert.equal(google.api.rate?.({}, nowMs, undefined), undefined)
  })

  test('files: the position first, then the list; later only changes', () => {
    const { pages, items, kind, path } = google.endpoints['files']!
    const first = pages.first({ method: 'GET', path, query: {} })
    assert.equal(first.path, '/drive/v3/changes/startPageToken')
    const list = pages.next({ request: first, body: { startPageToken: '7' }, headers: {}, count: 0 })
    assert.equal(list?.path, '/drive/v3/files')
    const changes = pages.first({ method: 'GET', path, query: { pageToken: '7' } })
    assert.deepEqual([changes.path, changes.query['pageToken']], ['/drive/v3/changes', '7'])
    const removed = items({ changes: [{ changeType: 'file', removed: true, fileId: 'f' }, { changeType: 'drive' }] })
    assert.deepEqual(removed, [{ id: 'f', removed: true }])
    assert.equal(kind.deleted?.(removed?.[0]), true)
  })

  test('mail: the history says what is new, gone or in the trash, and only headers are kept', () => {
    const { mail_ids: list, mail } = google.endpoints
    const found = list!.items({
      historyId: '9',
      history: [
        { id: '8', messagesAdded: [{ message: { id: 'a', threadId: 't' } }] },
        { id: '9', labelsAdded: [{ message: { id: 'b', labelIds: ['TRASH'] } }] },
        { id: '9', labelsRemoved: [{ message: { id: 'c', labelIds: [] } }] },
      ],
    })
    assert.deepEqual(found, [
      { id: 'a', threadId: 't' },
      { id: 'b', deleted: true },
      { id: 'c', changed: '9' },
    ])
    const headers = [
      { name: 'FROM', value: '"Doe, Jane" <Jane@A.test>' },
      { name: 'X-Secret', value: 'x' },
    ]
    const [kept] = mail!.items({ id: 'a', snippet: 'Hello', payload: { headers, body: { data: 'x' } } }) ?? []
    assert.deepEqual(kept, { id: 'a', payload: { headers: headers.slice(0, 1) } })
    assert.equal(mail!.kind.map.from?.(kept), 'jane@a.test')
  })

  test('mailboxes, addresses and durations', () => {
    assert.deepEqual(mailboxesIn('"Doe, Jane" <j@a.test>, b@b.test, nobody'), [
      { name: 'Doe, Jane', address: 'j@a.test' },
      { address: 'b@b.test' },
    ])
    assert.deepEqual([webAddress('a.test'), webAddress('javascript:1')], [undefined, undefined])
    assert.deepEqual([secondsOf('PT1H2M3S'), secondsOf('P1DT1S'), secondsOf('P0D')], [3723, 86_401, undefined])
  })
})

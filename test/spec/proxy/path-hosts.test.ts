import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { dropbox } from '#connectors/dropbox/connector.ts'
import { google } from '#connectors/google/connector.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { hostOfPath } from '#kit/connector/service-hosts.ts'
import { exchange } from '../operating/raw-http.ts'
import { plain } from './connectors.ts'
import { type ProxyHarness, startProxyHarness, TOKEN } from './fixture.ts'
import { OK, type RawUpstream, startRawUpstream } from './raw-upstream.ts'

// An SDK with one base address calls several hosts of its service.

let api: RawUpstream
let content: RawUpstream
let instance: RawUpstream
let harness: ProxyHarness
let token: string
before(async () => {
  api = await startRawUpstream()
  content = await startRawUpstream()
  instance = await startRawUpstream()
  const store = defineConnector({
    ...plain,
    service: 'store',
    aliases: [],
    api: {
      ...plain.api,
      baseUrl: `${api.url}/2`,
      hosts: [content.url],
      pathHosts: { '/2/files/upload': content.url, '/files': content.url, '/2/files/upload/not': api.url },
    },
  })
  harness = await startProxyHarness({ connectors: [store], proxyOrigin: 'https://{service}.proxy.test' })
  token = (await harness.connect({ service: 'store', apiUrl: `${api.url}/2` })).token
})
after(async () => {
  await harness.stop()
  for (const each of [api, content, instance]) await each.close()
})
beforeEach(() => {
  for (const each of [api, content, instance]) {
    each.requests.length = 0
    each.response = OK
  }
})

const send = (target: string, host = 'x') =>
  exchange(
    harness.url,
    `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`,
  )
const atOrigin = (target: string) => send(target, 'store.proxy.test')
const received = ({ requests }: RawUpstream) => requests.map((request) => request.split(' ', 2)[1])

suite('paths of another host', () => {
  test('are called there, at the origin and below /proxy, with the credential', async () => {
    for (const path of ['/2/files/upload', '/2/files/upload/x?a=%2F', '/2/files/upload:more', '/2/files/%75pload'])
      assert.equal((await atOrigin(path)).status, 200, path)
    assert.equal((await send('/proxy/store/files/upload/y')).status, 200)
    assert.deepEqual(received(content), [
      '/2/files/upload',
      '/2/files/upload/x?a=%2F',
      '/2/files/upload:more',
      '/2/files/upload/y',
    ])
    assert.deepEqual(received(api), ['/2/files/%75pload'])
    for (const request of content.requests) {
      assert.match(request, new RegExp(`^authorization: Bearer ${TOKEN}\r$`, 'im'))
      assert.match(request, new RegExp(`^host: ${content.host}\r$`, 'im'))
    }
  })

  test('may be beside the address of the API', async () => {
    assert.equal((await atOrigin('/files/7')).status, 200)
    assert.deepEqual(received(content), ['/files/7'])
    assert.equal((await atOrigin('/filesystem')).status, 400)
  })

  test('are those of the longest prefix, and end at a part of the path', async () => {
    for (const path of ['/2/files/upload/not', '/2/files/upload_session', '/2/files', '/2/x/2/files/upload'])
      assert.equal((await atOrigin(path)).status, 200, path)
    assert.deepEqual(received(api), [
      '/2/files/upload/not',
      '/2/files/upload_session',
      '/2/files',
      '/2/x/2/files/upload',
    ])
    assert.deepEqual(received(content), [])
  })

  test('never lead outside the API by dot segments', async () => {
    for (const path of [
      '/2/files/upload/../../../x',
      '/2/files/upload/%2e%2e/%2e%2e/%2e%2e/x',
      '/2/files/upload/..%2f..',
    ])
      assert.equal((await atOrigin(path)).status, 400, path)
    assert.deepEqual([received(api), received(content)], [[], []])
    assert.equal((await atOrigin('/2/files/upload/../x')).status, 200)
    assert.deepEqual(received(content), ['/2/files/x'])
  })

  test('of an instance are at the instance', async () => {
    token = (await harness.connect({ service: 'store', apiUrl: `${instance.url}/2`, nativeId: '43' })).token
    assert.equal((await atOrigin('/2/files/upload')).status, 200)
    assert.equal((await atOrigin('/files/7')).status, 200)
    assert.deepEqual(received(instance), ['/2/files/upload', '/files/7'])
    assert.deepEqual([received(api), received(content)], [[], []])
  })
})

/** What the vendors' SDKs write, and the host at which the service has it. */
const PATHS: [Connector, path: string, host: string | undefined][] = [
  [google, '/v1/people/me/connections', 'https://people.googleapis.com'],
  [google, '/v1/people:batchGet', 'https://people.googleapis.com'],
  [google, '/v1/people:createContact', 'https://people.googleapis.com'],
  [google, '/v1/contactGroups', 'https://people.googleapis.com'],
  [google, '/v1/otherContacts:search', 'https://people.googleapis.com'],
  [google, '/gmail/v1/users/me/messages', 'https://gmail.googleapis.com'],
  [google, '/upload/gmail/v1/users/me/messages/send', 'https://gmail.googleapis.com'],
  [google, '/v1/documents/1:batchUpdate', 'https://docs.googleapis.com'],
  [google, '/v4/spreadsheets/1/values/A1', 'https://sheets.googleapis.com'],
  [google, '/tasks/v1/users/@me/lists', 'https://tasks.googleapis.com'],
  [google, '/calendar/v3/calendars/primary/events', undefined],
  [google, '/drive/v3/files', undefined],
  [google, '/upload/drive/v3/files', undefined],
  [google, '/youtube/v3/channels', undefined],
  [google, '/upload/youtube/v3/videos', undefined],
  [google, '/oauth2/v3/userinfo', undefined],
  [dropbox, '/2/files/upload', 'https://content.dropboxapi.com'],
  [dropbox, '/2/files/download', 'https://content.dropboxapi.com'],
  [dropbox, '/2/files/upload_session/append_v2', 'https://content.dropboxapi.com'],
  [dropbox, '/2/files/upload_session/finish', 'https://content.dropboxapi.com'],
  [dropbox, '/2/files/upload_session/finish_batch', undefined],
  [dropbox, '/2/files/list_folder/longpoll', 'https://notify.dropboxapi.com'],
  [dropbox, '/2/files/list_folder', undefined],
  [dropbox, '/2/files/get_metadata', undefined],
]

suite('paths of vendors', () => {
  for (const [connector, path, host] of PATHS)
    test(`${connector.service} ${path}`, () => assert.equal(hostOfPath(connector.api, path), host))

  test('that are synced at a further host are called there by the proxy too', () => {
    for (const { api: declared, endpoints } of [google, dropbox])
      for (const { path, host } of Object.values(endpoints))
        if (host !== undefined) assert.equal(hostOfPath(declared, path), host)
  })
})

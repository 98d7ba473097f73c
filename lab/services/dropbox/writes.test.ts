import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { type Lab, startLab } from '../../lab.ts'
import { callback, tokensFor } from '../../testing/oauth2-client.ts'
import { typeErrors, typesMissing } from '../../testing/typed-values.ts'

interface Answer {
  status: number
  text: string
  body: Record<string, unknown>
}

suite('writes of dropbox', () => {
  let lab: Lab<'dropbox'>
  let token: string
  before(async () => {
    lab = await startLab({ services: ['dropbox'], maxActivity: 20 })
    const { dropbox } = lab.services
    const key = dropbox.register({ redirectUris: [callback] })
    const scope = 'account_info.read files.metadata.read files.content.read files.content.write'
    token = (await tokensFor({ service: dropbox, ...key }, { scope })).access_token
  })
  after(() => lab.close())

  async function send(path: string, headers: Record<string, string>, body: string | Buffer<ArrayBuffer>) {
    const response = await fetch(`${lab.services.dropbox.url}/2/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
      body,
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    const answer: Answer = {
      status: response.status,
      text,
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    }
    return answer
  }
  const rpc = (path: string, argument: object) =>
    send(path, { 'content-type': 'application/json' }, JSON.stringify(argument))
  const ascii = (argument: object) =>
    JSON.stringify(argument).replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const upload = (path: string, argument: object, content: string) =>
    send(path, { 'content-type': 'application/octet-stream', 'dropbox-api-arg': ascii(argument) }, Buffer.from(content))
  const listed = async (cursor?: unknown): Promise<Answer> =>
    cursor === undefined
      ? rpc('files/list_folder', { path: '', recursive: true, limit: 2000 })
      : rpc('files/list_folder/continue', { cursor })

  test('an uploaded file is listed with the folders that were made for it, and its deletion is told', async () => {
    const { body: before } = await listed()
    const { status, body: made } = await upload('files/upload', { path: '/New/Notes.txt' }, 'hello')
    assert.deepEqual([status, made['name'], made['path_lower'], made['size']], [200, 'Notes.txt', '/new/notes.txt', 5])
    const block = createHash('sha256').update('hello').digest()
    assert.equal(made['content_hash'], createHash('sha256').update(block).digest('hex'))
    const { body: changed } = await listed(before['cursor'])
    const entries = changed['entries'] as { '.tag': string; path_display: string }[]
    assert.deepEqual(
      entries.map((entry) => [entry['.tag'], entry.path_display]),
      [
        ['folder', '/New'],
        ['file', '/New/Notes.txt'],
      ],
    )
    const { body: found } = await rpc('files/get_metadata', { path: '/NEW/notes.TXT' })
    assert.deepEqual(found, { '.tag': 'file', ...made })
    assert.deepEqual((await rpc('files/delete_v2', { path: '/New/Notes.txt' })).body, { metadata: found })
    const { body: later } = await listed(changed['cursor'])
    assert.deepEqual(
      (later['entries'] as { '.tag': string }[]).map((entry) => entry['.tag']),
      ['deleted'],
    )
    assert.equal((await upload('files/upload', { path: '/New/Notes.txt' }, 'again')).status, 200)
    const { body: again } = await listed(later['cursor'])
    assert.deepEqual(
      (again['entries'] as { '.tag': string }[]).map((entry) => entry['.tag']),
      ['file'],
      'where a file is again, its deletion is not told',
    )
  })

  test('what is in the way is told, renamed, overwritten or updated, as the mode says', async () => {
    const path = '/Report.md'
    const { body: first } = await upload('files/upload', { path }, 'one')
    const conflict = await upload('files/upload', { path }, 'two')
    assert.deepEqual([conflict.status, conflict.body['error_summary']], [409, 'path/conflict/file/...'])
    assert.equal((await upload('files/upload', { path }, 'one')).body['id'], first['id'], 'the same content')
    const renamed = await upload('files/upload', { path, autorename: true }, 'two')
    assert.equal(renamed.body['name'], 'Report (1).md')
    const { body: over } = await upload('files/upload', { path, mode: 'overwrite' }, 'three')
    assert.deepEqual([over['id'], over['size']], [first['id'], 5])
    assert.notEqual(over['rev'], first['rev'])
    const update = (rev: unknown) =>
      upload('files/upload', { path, mode: { '.tag': 'update', update: rev } }, 'four and')
    assert.equal((await update(first['rev'])).status, 409)
    assert.equal((await update(over['rev'])).body['size'], 8)
    const below = await upload('files/upload', { path: `${path}/x` }, '')
    assert.equal(below.body['error_summary'], 'path/conflict/file_ancestor/...')
    const hash = await upload('files/upload', { path: '/Hash', content_hash: '0'.repeat(64) }, 'x')
    assert.equal(hash.body['error_summary'], 'content_hash_mismatch/...')
  })

  test('an uploaded file is downloaded, and only once if it has not changed', async () => {
    const { body: made } = await upload('files/upload', { path: '/Été/日.txt' }, 'content')
    const download = (path: string, headers = {}) =>
      fetch(`${lab.services.dropbox.url}/2/files/download`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'dropbox-api-arg': ascii({ path }),
          ...headers,
        },
      })
    const read = await download(String(made['id']))
    assert.equal(await read.text(), 'content')
    const result = read.headers.get('dropbox-api-result') ?? ''
    assert.match(result, /^[ -~]+$/)
    assert.deepEqual(JSON.parse(result), made)
    const again = await download(String(made['id']), { 'if-none-match': read.headers.get('etag') })
    assert.deepEqual([again.status, await again.text()], [304, ''])
    const summary = async (path: string) =>
      ((await (await download(path)).json()) as { error_summary: string }).error_summary
    assert.equal(await summary('/nothing'), 'path/not_found/...')
    assert.equal(await summary(String(made['path_lower']).replace(/\/[^/]+$/, '')), 'path/not_file/...')
  })

  test('folders, and what is not there', async () => {
    const { body: made } = await rpc('files/create_folder_v2', { path: '/Deep/Folder' })
    assert.equal((made['metadata'] as { name: string }).name, 'Folder')
    const again = await rpc('files/create_folder_v2', { path: '/deep/folder' })
    assert.equal(again.body['error_summary'], 'path/conflict/folder/...')
    assert.equal((await rpc('files/delete_v2', { path: '/no' })).body['error_summary'], 'path_lookup/not_found/...')
    assert.equal((await rpc('files/get_metadata', { path: '/no' })).body['error_summary'], 'path/not_found/...')
    const unknown = await rpc('files/nothing', {})
    assert.deepEqual(
      [unknown.status, unknown.text.trim()],
      [400, 'Error in call to API function "files/nothing": Unknown API function: /2/files/nothing'],
    )
    const untyped = await send('files/upload', { 'dropbox-api-arg': '{"path":"/x"}' }, 'x')
    assert.match(untyped.text, /Bad HTTP "Content-Type" header/)
  })

  test('a session takes a file in parts, each at its offset', async () => {
    const { body } = await upload('files/upload_session/start', {}, 'one ')
    const at = (offset: number) => ({ session_id: body['session_id'], offset })
    assert.equal((await upload('files/upload_session/append_v2', { cursor: at(4) }, 'two ')).text, 'null')
    const wrong = await upload('files/upload_session/append_v2', { cursor: at(4) }, 'two ')
    assert.deepEqual([wrong.status, wrong.body['error']], [409, { '.tag': 'incorrect_offset', correct_offset: 8 }])
    const finish = (offset: number) =>
      upload('files/upload_session/finish', { cursor: at(offset), commit: { path: '/Parts' } }, 'three')
    assert.equal((await finish(9)).body['error_summary'], 'lookup_failed/incorrect_offset/...')
    assert.equal((await finish(8)).body['size'], 13)
    assert.equal((await finish(8)).body['error_summary'], 'lookup_failed/not_found/...')
  })

  test('replies and errors have the types of the vendor’s client', { skip: typesMissing() }, async () => {
    const value = async (type: string, answer: Promise<Answer>, of = 'result') => {
      const { body } = await answer
      return { type, value: of === 'error' ? body['error'] : body }
    }
    const values = [
      await value('files.FileMetadata', upload('files/upload', { path: '/T/t' }, 't')),
      await value('files.UploadError', upload('files/upload', { path: '/T/t' }, 'u'), 'error'),
      await value('files.CreateFolderResult', rpc('files/create_folder_v2', { path: '/T/f' })),
      await value('files.CreateFolderError', rpc('files/create_folder_v2', { path: '/T/f' }), 'error'),
      await value('files.FileMetadataReference', rpc('files/get_metadata', { path: '/T/t' })),
      await value('files.GetMetadataError', rpc('files/get_metadata', { path: '/T/no' }), 'error'),
      await value('files.DeleteResult', rpc('files/delete_v2', { path: '/T/f' })),
      await value('files.DeleteError', rpc('files/delete_v2', { path: '/T/f' }), 'error'),
      await value('files.UploadSessionStartResult', upload('files/upload_session/start', {}, 't')),
      await value('files.ListFolderResult', listed()),
    ]
    assert.equal(typeErrors("import type { files } from 'dropbox'", values), '')
    const wrong = [{ type: 'files.FolderMetadata', value: { ...(values[2]?.value as object), more: 1 } }]
    assert.match(typeErrors("import type { files } from 'dropbox'", wrong), /error TS/)
  })
})

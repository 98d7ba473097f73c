import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { itemReader } from '#kit/connector/read-item.ts'
import { dropbox } from './connector.ts'

const { files } = dropbox.endpoints
const read = itemReader(dropbox, 'files', files!, 'dbid:1')
const path = { name: 'Été.JPG', path_lower: '/photos/été.jpg', path_display: '/Photos/Été.JPG' }

suite('dropbox', () => {
  test('a file, and its deletion, which has no id', () => {
    const item = read({ '.tag': 'file', ...path, id: 'id:1', client_modified: '2026-01-02T03:04:05Z', size: 9 })
    assert.deepEqual([item.nativeId, item.at, item.types], [path.path_lower, Date.UTC(2026, 0, 2, 3, 4, 5), ['files']])
    const gone = read({ '.tag': 'deleted', ...path })
    assert.deepEqual([gone.id, gone.deleted], [item.id, true])
    assert.equal(files!.kind.map.url?.(path), 'https://www.dropbox.com/home/Photos/%C3%89t%C3%A9.JPG')
    assert.equal(files!.kind.map.mime?.(path), 'image/jpeg')
  })

  test('folders are stored without a type', () => {
    assert.deepEqual(read({ '.tag': 'folder', ...path, id: 'id:2' }).types, [])
  })

  test('a missing scope is not a dead token', () => {
    const recover = (status: number, tag: string) =>
      dropbox.api.recovery?.({ status, headers: {}, body: { error_summary: `${tag}/..`, error: { '.tag': tag } } })
    assert.equal(recover(401, 'missing_scope'), 'not_granted')
    assert.equal(recover(401, 'expired_access_token'), undefined)
    assert.equal(dropbox.api.recovery?.({ status: 400, headers: {}, body: undefined }), undefined)
  })

  test('a run with a cursor continues with nothing but the cursor', () => {
    const request = { method: 'POST' as const, path: '/files/list_folder', query: {}, body: '{"path":"","cursor":"c"}' }
    assert.deepEqual(files!.pages.first(request), {
      ...request,
      path: '/files/list_folder/continue',
      body: '{"cursor":"c"}',
    })
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { until } from '../../../harness/until.ts'
import { startVendorHarness, type VendorHarness } from './vendors-fixture.ts'

const PERSON = 'dmitri'

suite('files of Dropbox', () => {
  let harness: VendorHarness
  let token: string
  before(async () => {
    harness = await startVendorHarness()
    token = await harness.signIn('dropbox', PERSON)
    await harness.synced('dropbox', ['files'], token)
  })
  after(() => harness?.stop())

  const files = async () =>
    (await harness.items('dropbox', 'files', token)).map(({ data }) => ({
      id: data['id'] as string,
      path: data['path_lower'] as string,
    }))
  const paths = async () => (await files()).map(({ path }) => path)
  const asked = () =>
    harness.lab.services.dropbox.requests.all.map(({ path }) => path).filter((path) => path.includes('list_folder'))
  async function syncAgain(): Promise<void> {
    const { files: before } = await harness.progress('dropbox', token)
    await harness.ask('POST', '/profiles/dropbox/sync', token)
    await harness.synced('dropbox', ['files'], token, before?.last_run)
  }

  test('a deleted folder takes its files along with the next whole listing', async () => {
    const all = await files()
    const folder = all.find(({ path }) => path === '/rechnungen')!
    const inside = all.filter(({ path }) => path.startsWith('/rechnungen/'))
    assert.ok(inside.length > 0)
    const { data, requests } = harness.lab.services.dropbox
    data.remove(PERSON, 'files', folder.id)
    requests.clear()
    await syncAgain()
    assert.deepEqual([...new Set(asked())], ['/2/files/list_folder/continue'])
    assert.ok(!(await paths()).includes('/rechnungen'))
    // Everything is listed once a day.
    await harness.tributary.sql(`update endpoint_sync set whole_at = 0 where whole_at is not null`)
    await syncAgain()
    const gone = new Set([folder.path, ...inside.map(({ path }) => path)])
    assert.deepEqual(
      (await paths()).sort(),
      all
        .map(({ path }) => path)
        .filter((path) => !gone.has(path))
        .sort(),
    )
  })

  test('a cursor that has ended is forgotten, and everything is listed from the start at once', async () => {
    const before = await paths()
    const { configure, data, requests } = harness.lab.services.dropbox
    configure({ resetCursors: true })
    data.add(PERSON, 'files', { path: '/After the reset.txt' })
    requests.clear()
    await syncAgain()
    // The run that learns of it ends; another one follows at once.
    await until('the new file is stored', paths, (now) => now.includes('/after the reset.txt'))
    await harness.tributary.idle('syncs')
    assert.deepEqual((await paths()).sort(), [...before, '/after the reset.txt'].sort())
    const { state, last_error: error } = (await harness.progress('dropbox', token))['files']!
    assert.deepEqual([state, error], ['done', undefined])
    assert.equal(asked()[0], '/2/files/list_folder/continue')
    assert.ok(asked().includes('/2/files/list_folder'))
    // The new cursor is a good one.
    requests.clear()
    await syncAgain()
    assert.deepEqual([...new Set(asked())], ['/2/files/list_folder/continue'])
  })
})

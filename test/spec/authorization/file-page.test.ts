import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { items } from '../../harness/read.ts'
import { get } from '../../harness/send.ts'
import { calendar, connectFile, type FileHarness, filesRead, startFileHarness } from './file-fixture.ts'

let harness: FileHarness
before(async () => {
  harness = await startFileHarness()
})
after(() => harness.tributary.stop())

suite('a person uploads a file', () => {
  test('from the page to a code, a profile and items', async () => {
    const { access_token: token } = await connectFile(harness, calendar({ uid: 'a@test', title: 'Meet' }))
    await filesRead(harness, token)
    const [event] = await items(harness, '/types/events', token)
    assert.equal((event as unknown as { map: { title: string } }).map?.title ?? JSON.stringify(event), 'Meet')
    console.log(JSON.stringify((await get(harness, '/profiles?full=true', token)).body, null, 1), JSON.stringify((await get(harness, '/sync', token)).body))
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { send } from '../../harness/send.ts'
import { until } from '../../harness/until.ts'
import { type BlueskyAccount, blueskyMissing } from '../../real/bluesky.ts'
import { type BlueskyHarness, startBlueskyHarness } from './sdks/bluesky-fixture.ts'

const skip = await blueskyMissing()

suite('proxied calls to a real Bluesky data server', { skip }, () => {
  let harness: BlueskyHarness
  let alice: BlueskyAccount
  let token: string
  before(async () => {
    harness = await startBlueskyHarness()
    ;({ alice, token } = harness)
  })
  after(() => harness.stop())

  const post = (text: string) =>
    send(harness, 'POST', '/proxy/bluesky/com.atproto.repo.createRecord', {
      token,
      json: {
        repo: alice.did,
        collection: 'app.bsky.feed.post',
        record: { $type: 'app.bsky.feed.post', text, createdAt: new Date().toISOString() },
      },
    })

  test('a post written through the proxy arrives by sync', async () => {
    const made = await post('Made through the proxy')
    assert.equal(made.status, 200, made.text)
    const uri = String(made.body['uri'])
    await send(harness, 'POST', '/profiles/bluesky/sync', { token })
    const posts = await until(
      'the post is stored',
      async () => (await send(harness, 'GET', '/services/bluesky/posts', { token })).text,
      (text) => text.includes(uri),
    )
    const [item] = (JSON.parse(posts) as { data: { uri: string; value: { text: string } } }[]).filter(
      ({ data }) => data.uri === uri,
    )
    assert.equal(item?.data.value.text, 'Made through the proxy')
  })

  test('a blob too large to buffer is uploaded as a stream, with a nonce fetched for it', async () => {
    const blob = Buffer.alloc(700_000, 7)
    const response = await fetch(`${harness.tributary.url}/proxy/bluesky/com.atproto.repo.uploadBlob`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: blob,
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    assert.equal((JSON.parse(text) as { blob: { size: number } }).blob.size, blob.length)
  })

  test('all pages are returned as one array', async () => {
    for (let i = 0; i < 3; i += 1) await post(`More ${i}`)
    const query = new URLSearchParams({ repo: alice.did, collection: 'app.bsky.feed.post', paginate: 'true' })
    const listed = await send(harness, 'GET', `/proxy/bluesky/com.atproto.repo.listRecords?${query.toString()}`, {
      token,
    })
    const texts = (JSON.parse(listed.text) as { value: { text: string } }[]).map(({ value }) => value.text)
    assert.deepEqual(texts, ['More 2', 'More 1', 'More 0', 'Made through the proxy'])
  })

  test('a refusal of the server is returned unchanged', async () => {
    const response = await send(harness, 'GET', '/proxy/bluesky/com.atproto.repo.getRecord?repo=x', { token })
    assert.equal(response.status, 400)
    assert.equal(response.body['error'], 'InvalidRequest')
  })
})

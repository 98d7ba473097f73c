import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClient } from '../../sdk/src/index.ts'
import { refusal, type Script, startScripted } from './scripted-server.ts'

const events =
  (...texts: string[]): Script =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(texts.join(''))
const progress = (items: number) => `event: progress\ndata: {"photos":{"items":${items}}}\n\n`
const done = 'event: done\ndata: {"photos":{"items":9}}\n\n'

async function followed(...script: Script[]) {
  const server = await startScripted(script)
  const ada = createClient({ baseUrl: server.url, clientId: 'app', retryBaseMs: 1 }).account('t')
  const seen: [event: string, items: number | undefined][] = []
  const ended = (async () => {
    for await (const { event, progress: now } of ada.profiles.follow('github')) seen.push([event, now['photos']?.items])
  })()
  const error = await ended.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  await server.close()
  return { seen, error, received: server.received }
}

suite('following a sync with the SDK', () => {
  test('a stream that ends early or breaks is opened again, and repeats nothing', async () => {
    const { seen, error, received } = await followed(
      events(progress(1), ': heartbeat\n\n', 'event: other\ndata: {}\n\n', progress(2)),
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`${progress(2)}event: done\ndata: {"photos"`, () => response.destroy())
      },
      refusal('database_unavailable', 503),
      events(progress(3), done),
    )
    assert.equal(error, undefined)
    assert.deepEqual(seen, [
      ['progress', 1],
      ['progress', 2],
      ['progress', 3],
      ['done', 9],
    ])
    assert.ok(received.every(({ headers }) => headers.accept === 'text/event-stream'))
  })

  test('what the server refuses ends it', async () => {
    const { seen, error, received } = await followed(events(progress(1)), refusal('no_profile', 404))
    assert.deepEqual(seen, [['progress', 1]])
    assert.equal((error as { reason: string }).reason, 'no_profile')
    assert.equal(received.length, 2)
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { send } from '../../../harness/send.ts'
import { until } from '../../../harness/until.ts'
import { blueskyMissing } from '../../../real/bluesky.ts'
import { packagesMissing } from '../../../real/packages.ts'
import { loadSdk } from '../../../real/sdks/load.ts'
import { type BlueskyHarness, startBlueskyHarness } from './bluesky-fixture.ts'
import { recordBytes } from './recorded-bytes.ts'
import { tokensThatLeft } from './tokens-that-left.ts'

interface Ref {
  uri: string
  cid: string
}
interface Listed {
  data: { records: { uri: string; value: { text: string } }[]; cursor?: string }
}
type Method<Result> = (given: object, options?: { headers: Record<string, string> }) => Promise<Result>

/** The parts of the vendor's client that the test uses. */
interface Agent {
  did: string
  post(record: object): Promise<Ref>
  uploadBlob(data: Uint8Array, options: { encoding: string }): Promise<{ data: { blob: { size: number } } }>
  com: {
    atproto: {
      repo: { listRecords: Method<Listed>; getRecord: Method<{ data: { cid: string; value: { text: string } } }> }
      server: { requestPasswordReset: Method<unknown> }
      sync: { getBlob: Method<{ data: Uint8Array }> }
    }
  }
}
interface Package {
  Agent: new (session: { did: string; fetchHandler: (path: string, init: RequestInit) => Promise<Response> }) => Agent
  XRPCError: new () => Error
  ComAtprotoRepoGetRecord: { RecordNotFoundError: new () => Error }
}

const COLLECTION = 'app.bsky.feed.post'
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** Credentials of the service and proofs: long random texts, in which anything may happen to be. */
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g

const skip = (await packagesMissing('sdks')) || (await blueskyMissing())

suite('@atproto/api with a real data server', { skip }, () => {
  let harness: BlueskyHarness
  let vendors: Package
  /** For this service; the account's is `harness.token`. */
  let token: string
  let recorded: ReturnType<typeof recordBytes>
  before(async () => {
    vendors = await loadSdk<Package>('@atproto/api')
    recorded = recordBytes()
    harness = await startBlueskyHarness({ isLimited: true })
    const made = await send(harness, 'POST', '/proxy-tokens', { token: harness.token, json: { service: 'bluesky' } })
    token = String(made.body['token'])
    assert.match(token, /^trp_/)
  })
  after(async () => {
    recorded?.stop()
    await harness?.stop()
  })

  const agentAt = (call: (path: string, init: RequestInit) => Promise<Response>) =>
    new vendors.Agent({
      did: harness.alice.did,
      fetchHandler: (path, init) => {
        const headers = new Headers(init.headers)
        headers.set('authorization', `Bearer ${token}`)
        return call(path, { ...init, headers })
      },
    })
  const agents: Record<string, () => Agent> = {
    'the origin of the service': () =>
      agentAt((path, init) => fetch(new URL(path, harness.tributary.proxyOrigin('bluesky')), init)),
    '/proxy': () =>
      agentAt((path, init) => fetch(`${harness.tributary.url}/proxy/bluesky${path.replace('/xrpc', '')}`, init)),
  }
  const listed = async (list: Method<Listed>): Promise<string[]> => {
    const found: string[] = []
    let cursor: string | undefined
    do {
      const { data } = await list({ repo: harness.alice.did, collection: COLLECTION, limit: 2, cursor })
      found.push(...data.records.map(({ uri, value }) => `${uri} ${value.text}`))
      cursor = data.cursor
    } while (cursor !== undefined)
    return found
  }
  const assertNothingLeft = () => {
    const body = recorded.to(Number(new URL(harness.network.pdsUrl).port))
    assert.match(body, /^dpop: eyJ/im)
    for (const each of [token, harness.token]) assert.ok(!body.includes(each))
    const request = { at: 0, method: '', target: '', path: '', query: [], headers: {}, rawHeaders: [] }
    assert.deepEqual(tokensThatLeft([{ ...request, body: body.replaceAll(JWT, '') }], [token, harness.token]), [])
  }

  for (const [where, agent] of Object.entries(agents))
    suite(`at ${where}`, () => {
      test('posts with a picture, reads it, and the next sync has it', async () => {
        const client = agent()
        const picture = Buffer.from(PNG, 'base64')
        const { blob } = (await client.uploadBlob(picture, { encoding: 'image/png' })).data
        assert.equal(blob.size, picture.length)
        const text = `With a picture, at ${where}`
        const images = [{ alt: 'A dot', image: blob }]
        const { uri } = await client.post({ text, embed: { $type: 'app.bsky.embed.images', images } })
        const [repo, collection, rkey] = uri.slice('at://'.length).split('/')
        const read = await client.com.atproto.repo.getRecord({ repo, collection, rkey })
        assert.equal(read.data.value.text, text)

        const progress = await send(harness, 'POST', '/profiles/bluesky/sync', { token: harness.token })
        assert.ok([200, 202].includes(progress.status), progress.text)
        const items = await until(
          'the post is stored',
          async () => (await send(harness, 'GET', '/services/bluesky/posts', { token: harness.token })).text,
          (body) => body.includes(uri),
        )
        assert.ok(items.includes(text))
        assertNothingLeft()
      })

      test('walks all pages, as the server itself has them', async () => {
        const client = agent()
        for (let i = 0; i < 4; i += 1) await client.post({ text: `Post ${i} at ${where}` })
        const found = await listed((given) => client.com.atproto.repo.listRecords(given))
        const direct = harness.alice.agent
        const own = await listed(async (given) => {
          const { data } = await direct.call('com.atproto.repo.listRecords', given)
          return { data: data as unknown as Listed['data'] }
        })
        assert.ok(found.length >= 4)
        assert.deepEqual(found, own)
        assertNothingLeft()
      })

      test('shows its own errors of a record that is not there and of a limit', async () => {
        const client = agent()
        const { XRPCError, ComAtprotoRepoGetRecord } = vendors
        const nothing = { repo: harness.alice.did, collection: COLLECTION, rkey: 'nothing' }
        await assert.rejects(client.com.atproto.repo.getRecord(nothing), ComAtprotoRepoGetRecord.RecordNotFoundError)

        const email = 'nobody@people.example'
        const refusals = []
        // The server takes fifteen in an hour, from anybody.
        for (let i = 0; i < 16; i += 1)
          refusals.push(
            await client.com.atproto.server.requestPasswordReset({ email }).catch((error: unknown) => error),
          )
        assert.ok(refusals.every((refusal) => refusal instanceof XRPCError))
        const last = refusals.at(-1) as { status?: number; error?: string }
        assert.deepEqual([last.status, last.error], [429, 'RateLimitExceeded'])
        assertNothingLeft()
      })
    })
})

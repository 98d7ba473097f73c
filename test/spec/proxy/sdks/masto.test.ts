import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { packagesMissing } from '../../../real/packages.ts'
import { loadSdk } from '../../../real/sdks/load.ts'
import { type SdkHarness, startSdkHarness } from './fixture.ts'

const skip = await packagesMissing('sdks')
/** One transparent point. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

interface Status {
  id: string
  content: string
  mediaAttachments: { id: string; description: string; url: string }[]
}

type Pages = AsyncIterable<Status[]> & PromiseLike<Status[]>
type List = { list: (parameters: object) => Pages }

/** What the test uses of masto, whose types are absent from a fresh clone. */
interface Masto {
  v1: {
    accounts: {
      verifyCredentials: () => Promise<{ id: string; username: string }>
      $select: (id: string) => Record<'statuses' | 'followers', List>
    }
    statuses: {
      create: (parameters: object) => Promise<Status>
      $select: (id: string) => { fetch: () => Promise<Status>; favourite: () => Promise<Status> }
    }
    favourites: List
    timelines: { home: List }
  }
  v2: { media: { create: (parameters: object) => Promise<{ id: string; url: string }> } }
}

interface HttpError extends Error {
  statusCode: number
}

interface Package {
  createRestAPIClient: (options: { url: string; accessToken: string }) => Masto
  MastoHttpError: new () => HttpError
}

// It resolves paths against the host of its address, so that it needs the origin of the service.
suite('masto', { skip }, () => {
  let harness: SdkHarness<'mastodon'>
  let sdk: Package
  let masto: Masto
  let direct: Masto
  let own: string
  let me: string
  before(async () => {
    harness = await startSdkHarness(['mastodon'])
    sdk = await loadSdk<Package>('masto')
    const signedIn = await harness.signIn('mastodon', { scope: 'read write' })
    own = signedIn.own
    masto = sdk.createRestAPIClient({ url: harness.originOf('mastodon'), accessToken: signedIn.token })
    me = (await masto.v1.accounts.verifyCredentials()).id
    const { url } = harness.lab.services.mastodon
    direct = sdk.createRestAPIClient({ url, accessToken: harness.credentialAt('mastodon') })
  })
  after(async () => {
    try {
      harness.assertNothingLeft()
    } finally {
      await harness.stop()
    }
  })

  const idsOf = async (pages: Pages) => {
    const ids: string[][] = []
    for await (const page of pages) ids.push(page.map(({ id }) => id))
    return ids
  }
  const refused = (call: PromiseLike<unknown>) =>
    call.then(
      () => assert.fail('The call succeeded.'),
      (error: HttpError) => {
        assert.ok(error instanceof sdk.MastoHttpError, String(error))
        return error
      },
    )

  test('lists every page to the end, as at the server', async () => {
    for (const listed of [
      (by: Masto) => by.v1.accounts.$select(me).statuses.list({ limit: 3 }),
      (by: Masto) => by.v1.accounts.$select(me).followers.list({ limit: 2 }),
      (by: Masto) => by.v1.favourites.list({ limit: 2 }),
      (by: Masto) => by.v1.timelines.home.list({ limit: 40 }),
    ]) {
      const pages = await idsOf(listed(masto))
      assert.ok(pages.length > 2, `${pages.length} pages`)
      assert.deepEqual(pages, await idsOf(listed(direct)))
    }
  })

  test('reads one record', async () => {
    const [first] = await masto.v1.accounts.$select(me).statuses.list({ limit: 1 })
    const status = await masto.v1.statuses.$select(first!.id).fetch()
    assert.deepEqual(status, await direct.v1.statuses.$select(first!.id).fetch())
  })

  test('meets what is not there: its error has status and message', async () => {
    const missing = (by: Masto) => refused(by.v1.statuses.$select('1').fetch())
    const { statusCode, message } = await missing(masto)
    assert.deepEqual([statusCode, message], [404, (await missing(direct)).message])
  })

  test('meets a limit of the server, and then that of Tributary, which has learned it', async () => {
    const other = await harness.signIn('mastodon', { person: 'ben' })
    const limited = sdk.createRestAPIClient({ url: harness.originOf('mastodon'), accessToken: other.token })
    const reset = new Date(Date.now() + 3_600_000).toISOString()
    harness.lab.services.mastodon.faults.add({
      path: '/api/v1/statuses/1',
      kind: 'response',
      status: 429,
      headers: { 'content-type': 'application/json', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
      body: '{"error":"Throttled"}',
    })
    const first = await refused(limited.v1.statuses.$select('1').fetch())
    assert.deepEqual([first.statusCode, first.message], [429, 'Throttled'])
    const next = await refused(limited.v1.statuses.$select('1').fetch())
    assert.equal(next.statusCode, 429)
    assert.notEqual(next.message, 'Throttled')
  })

  test('writes a status with a picture, which comes back by the next sync', async () => {
    const picture = await masto.v2.media.create({
      file: new Blob([PICTURE], { type: 'image/png' }),
      description: 'A point – “ä”',
    })
    const status = await masto.v1.statuses.create({ status: 'Written with masto', mediaIds: [picture.id] })
    assert.deepEqual(
      status.mediaAttachments.map(({ id, description }) => [id, description]),
      [[picture.id, 'A point – “ä”']],
    )
    assert.deepEqual(Buffer.from(await (await fetch(picture.url)).arrayBuffer()), PICTURE)
    const item = await harness.readBack('mastodon', 'statuses', own, ({ id }) => id === status.id)
    assert.match(String(item.data['content']), /Written with masto/)
    assert.match(JSON.stringify(item.data['media_attachments']), /A point – “ä”/)
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { packagesMissing } from '../../../real/packages.ts'
import { loadSdk } from '../../../real/sdks/load.ts'
import { type SdkHarness, startSdkHarness } from './fixture.ts'

const skip = await packagesMissing('sdks')
const READS = ['channels:read', 'channels:history', 'users:read', 'users.profile:read', 'files:read', 'reactions:read']
const SCOPE = [...READS, 'chat:write', 'files:write', 'reactions:write'].join()
const CHANNEL = 'C0GENERAL'

interface Answer {
  ok: boolean
  user_id: string
  ts: string
  messages?: { ts: string; text: string }[]
  members?: { id: string }[]
  files: { files: { id: string }[] }[]
}

/** What the test uses of the SDK, whose types are absent from a fresh clone. */
interface WebClient {
  auth: { test: () => Promise<Answer> }
  chat: { postMessage: (parameters: object) => Promise<Answer> }
  reactions: { add: (parameters: object) => Promise<Answer> }
  conversations: { history: (parameters: object) => Promise<Answer> }
  filesUploadV2: (parameters: object) => Promise<Answer>
  paginate: (method: string, parameters: object) => AsyncIterable<Answer>
}

interface WebApiError extends Error {
  code: string
  data: { error: string }
  retryAfter: number
}

interface Package {
  WebClient: new (token: string, options: object) => WebClient
  ErrorCode: Record<'PlatformError' | 'RateLimitedError', string>
}

suite('@slack/web-api', { skip }, () => {
  let harness: SdkHarness<'slack'>
  let sdk: Package
  let token: string
  let own: string
  before(async () => {
    harness = await startSdkHarness(['slack'])
    sdk = await loadSdk<Package>('@slack/web-api')
    ;({ token, own } = await harness.signIn('slack', { scope: SCOPE }))
  })
  after(() => harness.stop())

  const clientAt = (slackApiUrl: string, by: string) =>
    new sdk.WebClient(by, { slackApiUrl, rejectRateLimitedCalls: true, retryConfig: { retries: 0 } })
  const refused = (call: Promise<unknown>) =>
    call.then(
      () => assert.fail('The call succeeded.'),
      (error: WebApiError) => error,
    )

  for (const [where, addressOf] of [
    ['below /proxy', () => harness.addressOf('slack')],
    ['at the origin of the service', () => `${harness.originOf('slack')}/api`],
  ] as const)
    suite(where, () => {
      let slack: WebClient
      let direct: WebClient
      before(async () => {
        slack = clientAt(addressOf(), token)
        await slack.auth.test()
        direct = clientAt(`${harness.lab.services.slack.url}/api`, harness.credentialAt('slack'))
      })
      after(() => harness.assertNothingLeft())

      test('lists every page to the end, as at Slack', async () => {
        const walk = async (by: WebClient, method: string, parameters: object) => {
          const pages: string[][] = []
          for await (const { messages, members } of by.paginate(method, { ...parameters }))
            pages.push(messages?.map(({ ts }) => ts) ?? members!.map(({ id }) => id))
          return pages
        }
        for (const [method, parameters] of [
          ['conversations.history', { channel: CHANNEL, limit: 40 }],
          ['users.list', { limit: 3 }],
        ] as const) {
          const pages = await walk(slack, method, parameters)
          assert.ok(pages.length > 2, `${method}: ${pages.length} pages`)
          assert.deepEqual(pages, await walk(direct, method, parameters))
        }
      })

      test('reads one record', async () => {
        const { user_id: id } = await slack.auth.test()
        assert.equal(id, (await direct.auth.test()).user_id)
      })

      test('meets what is not there: its error has the word of Slack', async () => {
        const { code, data, message } = await refused(slack.conversations.history({ channel: 'C0NOBODY' }))
        assert.deepEqual([code, data?.error], [sdk.ErrorCode.PlatformError, 'channel_not_found'], message)
      })

      test('writes a message and a reaction, which come back by the next sync', async () => {
        // A sync reads only what is newer than what it has, so none may read the message before the reaction.
        await harness.settled('slack', 'messages', own)
        const { postMessage } = slack.chat
        const text = `Written ${where} – “ä”`
        const { ts } = await postMessage({ channel: CHANNEL, text })
        await slack.reactions.add({ channel: CHANNEL, timestamp: ts, name: 'tada' })
        const item = await harness.readBack('slack', 'messages', own, (message) => message['ts'] === ts)
        assert.equal(item.data['text'], text)
        assert.match(JSON.stringify(item.data['reactions']), /tada/)
      })

      test('uploads a file, which comes back by the next sync', async () => {
        const uploaded = await slack.filesUploadV2({
          channel_id: CHANNEL,
          initial_comment: 'See',
          filename: 'plan.bin',
          title: `Plan ${where}`,
          file: Buffer.alloc(300_000, 7),
        })
        const id = uploaded.files[0]?.files[0]?.id
        const item = await harness.readBack('slack', 'files', own, (file) => file['id'] === id)
        assert.deepEqual([item.data['title'], item.data['size']], [`Plan ${where}`, 300_000])
      })
    })

  test('meets a limit of Slack: its error says how long to wait', async () => {
    const limited = clientAt(harness.addressOf('slack'), token)
    harness.lab.services.slack.faults.add({
      path: '/api/auth.test',
      kind: 'status',
      status: 429,
      retryAfterSeconds: 3600,
      body: '{"ok":false,"error":"ratelimited"}',
    })
    const { code, retryAfter } = await refused(limited.auth.test())
    assert.deepEqual([code, retryAfter], [sdk.ErrorCode.RateLimitedError, 3600])
    harness.assertNothingLeft()
  })
})

import assert from 'node:assert/strict'
import { after, before, suite, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { until } from '../harness/until.ts'
import { selfSigned } from '../spec/push/kinds/certificate.ts'
import { type Attack, type Attacked, type Result, startAttacked } from './destination-attack.ts'
import { clickhouseCases, startHostileClickhouse } from './servers/clickhouse.ts'
import type { HostileServer } from './servers/listen.ts'
import { goodInfo, natsCases, natsReply, startFloodingNats, startHostileNats, startTlsNats } from './servers/nats.ts'
import { plainResponse, type RawResponse, startRawHttp } from './servers/raw-http.ts'
import { s3Cases, startHostileS3, startListingS3 } from './servers/s3.ts'
import { startHostileReceiver, webhookCases } from './servers/webhook.ts'

/** HOSTILE_CASES=10000 runs the long form. */
const CASES = Number(process.env['HOSTILE_CASES'] ?? 100)
const SEED = Number(process.env['HOSTILE_SEED'] ?? 20_261)
const AT_ONCE = 8
/** The heap of the process is limited to 192 MB, without code, stacks and buffers. */
const MAX_RSS = 450 * 1024 * 1024
/** For cases where the response must be read, however slow this machine is. */
const PATIENT_MS = 30_000
const STEPS = ['test', 'prepare', 'write', 'erase', 'drop']
/** The server stops after this, where code without limits would never end. */
const ENOUGH = 20_000

const natsUrl = ({ port }: HostileServer) => `nats://user:word@127.0.0.1:${port}?tls=false`
const s3Url = ({ port }: HostileServer) => `s3://key:secret@127.0.0.1:${port}/bucket/p?tls=false`
const clickhouseUrl = ({ port }: HostileServer) => `clickhouse://user:PassSecret44@127.0.0.1:${port}/db?sslmode=disable`
const hookUrl = ({ port }: HostileServer) => `http://127.0.0.1:${port}/hook`

/** A hundred at a time: ten thousand would need more memory than the code under test. */
function* numbered<Case>(cases: fc.Arbitrary<Case>): Generator<[number, Case]> {
  for (let first = 0; first < CASES; first += 100) {
    const sample = fc.sample(cases, { numRuns: Math.min(100, CASES - first), seed: SEED + first })
    for (const [number, kase] of sample.entries()) yield [first + number, kase]
  }
}

function textOf({ outcomes }: Result): string {
  for (const { ended, said } of outcomes) assert.notEqual(ended, 'broken', said)
  return outcomes.map(({ ended, said }) => `${ended}: ${said}`).join('\n')
}

suite('hostile NATS, S3, ClickHouse and webhook servers', () => {
  let attacked: Attacked
  before(() => {
    attacked = startAttacked()
  })
  after(async () => {
    const { code, wrote } = await attacked.end()
    // The process exited by itself, so no socket or timer was left. Nothing that a server sent was printed.
    assert.deepEqual({ code, wrote }, { code: 0, wrote: '' })
  })

  async function against(
    server: HostileServer,
    given: Pick<Attack, 'kind' | 'url' | 'steps'> & Partial<Attack>,
  ): Promise<string> {
    try {
      const result = await attacked.attack(given)
      assert.ok(result.rss < MAX_RSS, `${Math.round(result.rss / 1e6)} MB`)
      if (given.kind === 'nats') await until('every connection is closed', () => server.open() === 0)
      return textOf(result)
    } finally {
      await server.stop()
    }
  }

  async function generated<Case>(
    t: TestContext,
    cases: fc.Arbitrary<Case>,
    start: (kase: Case) => Promise<HostileServer>,
    target: (server: HostileServer) => Pick<Attack, 'kind' | 'url'>,
  ): Promise<void> {
    t.diagnostic(`HOSTILE_CASES=${CASES} HOSTILE_SEED=${SEED}`)
    const waiting = numbered(cases)
    const work = async () => {
      for (const [number, kase] of waiting) {
        const server = await start(kase)
        const text = await against(server, { ...target(server), steps: STEPS }).catch((error: unknown) => {
          throw new Error(`case ${number} (seed ${SEED}): ${JSON.stringify(kase).slice(0, 500)}`, { cause: error })
        })
        assert.notEqual(text, '')
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }

  suite('NATS', () => {
    test('a silent server: the connection is closed', async () => {
      const server = await startHostileNats({ greeting: '', welcome: '', replies: [], chunk: 0, ends: 'stays' })
      assert.match(await against(server, { kind: 'nats', url: natsUrl(server), steps: ['test'] }), /connect failed/)
    })

    test('an endless line', async () => {
      const server = await startFloodingNats('INFO {"version":"', 'x'.repeat(1000))
      const text = await against(server, { kind: 'nats', url: natsUrl(server), steps: ['test'], waitMs: PATIENT_MS })
      assert.match(text, /line/)
    })

    test('endless requests of the server', async () => {
      const server = await startFloodingNats(`${goodInfo}PONG\r\n`, 'PING\r\n'.repeat(1000))
      const text = await against(server, { kind: 'nats', url: natsUrl(server), steps: ['test'], waitMs: PATIENT_MS })
      assert.match(text, /far more than it was asked for/)
    })

    test('a message with 100,000 headers', async () => {
      const block = `NATS/1.0\r\n${Array.from({ length: 100_000 }, (_, i) => `h${i}:`).join('\r\n')}\r\n\r\n`
      const reply = `HMSG {inbox} {sid} ${block.length} ${block.length}\r\n${block}\r\n`
      const server = await startHostileNats({
        greeting: goodInfo,
        welcome: 'PONG\r\n',
        replies: [reply],
        chunk: 0,
        ends: 'stays',
      })
      const text = await against(server, { kind: 'nats', url: natsUrl(server), steps: ['test'], waitMs: PATIENT_MS })
      assert.match(text, /headers/)
    })

    test('a stream description with endless pages', async () => {
      let asked = 0
      const page = natsReply(
        '{"total":1000000000,"limit":1,"config":{"description":"x"},"state":{"subjects":{"a":1}},"streams":0}',
      )
      const server = await startHostileNats({
        greeting: goodInfo,
        welcome: 'PONG\r\n',
        get replies() {
          asked += 1
          return asked > ENOUGH ? [] : [page]
        },
        chunk: 0,
        ends: 'stays',
      })
      await against(server, { kind: 'nats', url: natsUrl(server), steps: ['test'], waitMs: PATIENT_MS })
      assert.ok(asked < 100, `${asked} requests`)
    })

    const certificate = selfSigned('localhost')
    after(() => certificate?.remove())
    for (const [what, before, bytes, says] of [
      ['an endless line inside TLS', '', 'x'.repeat(1000), /line/],
      ['messages without end inside TLS', '', 'PONG\r\n'.repeat(100), /far more than it was asked for/],
      ['bytes in the clear behind the greeting, before TLS', 'PONG\r\n', '', /before TLS|TLS:/],
    ] as const) {
      test(what, { skip: certificate === undefined && 'there is no program openssl' }, async () => {
        const server = await startTlsNats(certificate!, before, bytes)
        const url = `nats://user:word@localhost:${server.port}`
        const options = { ca: certificate!.cert }
        const text = await against(server, { kind: 'nats', url, steps: ['test'], options, waitMs: PATIENT_MS })
        assert.match(text, says)
      })
    }

    test('an error that contains our token', async () => {
      const server = await startHostileNats({
        greeting: goodInfo,
        welcome: "-ERR 'Authorization Violation for TokenSecret33'\r\n",
        replies: [],
        chunk: 0,
        ends: 'stays',
      })
      const url = `nats://TokenSecret33@127.0.0.1:${server.port}?tls=false`
      const text = await against(server, { kind: 'nats', url, steps: ['test', 'prepare'], waitMs: PATIENT_MS })
      assert.match(text, /failed: .*Authorization Violation/)
      assert.doesNotMatch(text, /TokenSecret33/)
    })

    test('generated frames', (t) =>
      generated(t, natsCases, startHostileNats, (server) => ({ kind: 'nats', url: natsUrl(server) })))
  })

  suite('S3', () => {
    test('test() reads one page of ten names', async () => {
      const server = await startListingS3((number) => ({
        keys: [],
        token: number < ENOUGH ? `t${number}` : undefined,
      }))
      await against(server, { kind: 'files', url: s3Url(server), steps: ['test'], waitMs: PATIENT_MS })
      assert.equal(server.listed(), 1)
      assert.equal(server.queries[0]!.get('max-keys'), '10')
    })

    test('the same page again and again', async () => {
      const server = await startListingS3((number) => ({
        keys: [],
        token: number < ENOUGH ? 'again' : undefined,
      }))
      const text = await against(server, { kind: 'files', url: s3Url(server), steps: ['drop'], waitMs: PATIENT_MS })
      assert.match(text, /failed: .*same/)
      assert.equal(server.listed(), 2)
    })

    test('endless pages', async () => {
      const server = await startListingS3((number) => ({
        keys: [],
        token: number < ENOUGH ? `t${number}` : undefined,
      }))
      const text = await against(server, { kind: 'files', url: s3Url(server), steps: ['drop'], waitMs: PATIENT_MS })
      assert.match(text, /failed: .*(pages|too long)/)
      assert.ok(server.listed() <= 1000)
    })

    test('names are removed while they are listed', async () => {
      const removedBefore: number[] = []
      const server = await startListingS3((number, query) => {
        removedBefore.push(server.removed())
        const keys = Array.from({ length: 50 }, (_, i) => `${query.get('prefix')}${number}-${i}`)
        return { keys, token: number < 3 ? `t${number}` : undefined }
      })
      const text = await against(server, { kind: 'files', url: s3Url(server), steps: ['drop'], waitMs: PATIENT_MS })
      assert.match(text, /^done/)
      assert.deepEqual([...removedBefore, server.removed()], [0, 50, 100, 150])
    })

    test('names outside the requested prefix', async () => {
      const server = await startListingS3((_, query) => ({
        keys: [`${query.get('prefix')}a`, 'elsewhere/b'],
        token: undefined,
      }))
      const text = await against(server, { kind: 'files', url: s3Url(server), steps: ['drop'], waitMs: PATIENT_MS })
      assert.match(text, /failed: .*not asked for/)
    })

    test('an endless listing', async () => {
      const server = await startHostileS3({
        put: [plainResponse(200, '')],
        get: [plainResponse(404, '')],
        list: [
          { bytes: 'HTTP/1.1 200 OK\r\n\r\n', endless: `<Key>${'x'.repeat(60_000)}</Key>`, chunk: 0, ends: 'stays' },
        ],
        remove: [plainResponse(204, '')],
      })
      const text = await against(server, { kind: 'files', url: s3Url(server), steps: ['test'], waitMs: PATIENT_MS })
      assert.match(text, /list failed: .*far more than it was asked for/)
    })

    test('close() ends requests in progress', async () => {
      const server = await startRawHttp(() => undefined)
      const text = await against(server, {
        kind: 'files',
        url: s3Url(server),
        steps: ['drop'],
        waitMs: 600_000,
        closeAfterMs: 200,
      })
      assert.match(text, /failed/)
    })

    test('generated responses', (t) =>
      generated(t, s3Cases, startHostileS3, (server) => ({ kind: 'files', url: s3Url(server) })))
  })

  suite('ClickHouse', () => {
    const clickhouse = (server: HostileServer, steps: string[], waitMs = PATIENT_MS) =>
      against(server, { kind: 'clickhouse', url: clickhouseUrl(server), steps, waitMs })
    const always = (response: RawResponse) => startRawHttp(() => response)
    const rowsOf = (...data: unknown[]) => plainResponse(200, JSON.stringify({ data, rows: data.length }))

    test('an endless response', async () => {
      const server = await always({
        bytes: 'HTTP/1.1 200 OK\r\n\r\n{"data":[',
        endless: `{"n":"${'x'.repeat(60_000)}"},`,
        chunk: 0,
        ends: 'stays',
      })
      assert.match(await clickhouse(server, ['test', 'write']), /far more than it was asked for/)
    })

    test('an error that contains our password, and one that contains a row', async () => {
      const secret = 'Code: 516. DB::Exception: PassSecret44 is wrong for user. (AUTHENTICATION_FAILED)'
      const server = await always(plainResponse(403, secret))
      const text = await clickhouse(server, ['test', 'prepare', 'write', 'erase', 'drop'])
      assert.match(text, /Code 516: \*\*\* is wrong for user/)
      assert.doesNotMatch(text, /PassSecret44/)
      const repeating = await startRawHttp(({ path }) =>
        path.includes('query=insert')
          ? plainResponse(
              500,
              `Code: 27, e.displayText() = DB::Exception: Cannot parse input: expected , before: ada@demo`,
            )
          : rowsOf(),
      )
      const said = await clickhouse(repeating, ['write'])
      assert.match(said, /^failed: Code 27: Cannot parse input$/)
    })

    test('removals that never end, and rows in the tables of others', async () => {
      const server = await startRawHttp(() => rowsOf({ n: 1, version: 1, id: 'x'.repeat(10_000) }))
      const text = await clickhouse(server, ['test', 'erase'], 300)
      assert.match(text, /not enough time/)
    })

    test('a checkpoint that no run of ours can have written', async () => {
      const server = await startRawHttp(() => rowsOf({ seq: '99999999999999999999', epoch: 'x', updated_at: {} }))
      assert.match(await clickhouse(server, ['write', 'erase']), /checkpoint at the destination cannot be read/)
    })

    test('a number of rows that does not match, and rows that are none', async () => {
      for (const body of ['{"data":[],"rows":1}', '{"data":[1],"rows":1}', '{"data":[[]],"rows":1}', '[]', 'null', ''])
        assert.match(
          await clickhouse(await always(plainResponse(200, body)), ['write']),
          /^failed: The response of the server cannot be read/,
        )
    })

    test('close() ends requests in progress', async () => {
      const server = await startRawHttp(() => undefined)
      const text = await against(server, {
        kind: 'clickhouse',
        url: clickhouseUrl(server),
        steps: ['drop'],
        waitMs: 600_000,
        closeAfterMs: 200,
      })
      assert.match(text, /failed/)
    })

    test('generated responses', (t) =>
      generated(t, clickhouseCases, startHostileClickhouse, (server) => ({
        kind: 'clickhouse',
        url: clickhouseUrl(server),
      })))
  })

  suite('webhook', () => {
    test('an endless body after a valid status', async () => {
      const server = await startHostileReceiver({
        responses: [{ bytes: 'HTTP/1.1 200 OK\r\n\r\n', endless: 'x'.repeat(65_536), chunk: 0, ends: 'stays' }],
      })
      assert.match(
        await against(server, { kind: 'webhook', url: hookUrl(server), steps: ['write'], waitMs: PATIENT_MS }),
        /^done/,
      )
    })

    test('a body that never arrives after a valid status', async () => {
      const server = await startHostileReceiver({
        responses: [{ bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n', endless: '', chunk: 0, ends: 'stays' }],
      })
      assert.match(
        await against(server, { kind: 'webhook', url: hookUrl(server), steps: ['write'], waitMs: PATIENT_MS }),
        /^done/,
      )
    })

    test('endless interim responses', async () => {
      const server = await startHostileReceiver({
        responses: [{ bytes: '', endless: 'HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n', chunk: 0, ends: 'stays' }],
      })
      const text = await against(server, { kind: 'webhook', url: hookUrl(server), steps: ['write'], waitMs: 600_000 })
      assert.match(text, /failed: .*interim/)
    })

    test('generated responses', (t) =>
      generated(t, webhookCases, startHostileReceiver, (server) => ({ kind: 'webhook', url: hookUrl(server) })))
  })
})

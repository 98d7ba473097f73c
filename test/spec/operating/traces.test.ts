import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { type LabHarness, startLabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { signIn } from '../../harness/sign-in.ts'
import { synced } from '../../harness/sync.ts'

interface WireSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, unknown> }[]
}

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

suite('traces', () => {
  const spans: WireSpan[] = []
  const resources: unknown[] = []
  const received: string[] = []
  let collector: Server
  let harness: LabHarness
  before(async () => {
    collector = createServer((request, response) => {
      received.push(
        `${request.method} ${request.url} ${request.headers['content-type']} ${String(request.headers['api-key'])}`,
      )
      void json(request).then((body) => {
        const { resourceSpans } = body as {
          resourceSpans: { resource: unknown; scopeSpans: { spans: WireSpan[] }[] }[]
        }
        for (const { resource, scopeSpans } of resourceSpans) {
          resources.push(resource)
          spans.push(...scopeSpans.flatMap((scope) => scope.spans))
        }
        response.end('{}')
      })
    }).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    harness = await startLabHarness({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=for%20the%20collector',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    })
  })
  after(() => collector.close())

  test('a proxied call: the caller’s trace, the span of our server, the span of the call; no token anywhere', async () => {
    const { access_token: token } = await signIn(harness, 'demo-social', 'ada')
    const { status } = await send(harness, 'GET', '/proxy/demo-social/me', {
      query: { access_token: token },
      headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` },
    })
    assert.equal(status, 200)
    await send(harness, 'GET', '/healthz', { headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-00` } })
    await synced(harness, token, 'demo-social')
    // Stopping exports what is left.
    await harness.stop()

    const spansOfCall = spans.filter(({ traceId }) => traceId === CALLER.traceId)
    const serverSpan = spansOfCall.find(({ kind }) => kind === 2)
    assert.equal(serverSpan?.parentSpanId, CALLER.spanId)
    assert.match(serverSpan.name, /^GET \/proxy\//)
    const out = spansOfCall.find(({ kind }) => kind === 3)
    assert.equal(out?.parentSpanId, serverSpan.spanId)
    assert.ok(BigInt(out.startTimeUnixNano) >= BigInt(serverSpan.startTimeUnixNano))
    assert.ok(BigInt(serverSpan.endTimeUnixNano) >= BigInt(serverSpan.startTimeUnixNano))
    assert.deepEqual(
      serverSpan.attributes.find(({ key }) => key === 'http.response.status_code'),
      { key: 'http.response.status_code', value: { intValue: '200' } },
    )
    assert.equal(spansOfCall.length, 2, 'what the caller does not sample is not sent')
    const runs = spans.filter(({ name }) => name === 'sync')
    assert.ok(runs.length > 0)
    assert.ok(spans.some(({ kind, parentSpanId }) => kind === 3 && runs.some(({ spanId }) => spanId === parentSpanId)))
    assert.ok(spans.every(({ traceId, spanId }) => /^[0-9a-f]{32}$/.test(traceId) && /^[0-9a-f]{16}$/.test(spanId)))

    assert.deepEqual(new Set(received), new Set(['POST /v1/traces application/json for the collector']))
    assert.match(JSON.stringify(resources[0]), /"service.name".*"tributary"|"deployment.environment"/)
    const everything = JSON.stringify([spans, resources])
    assert.ok(!everything.includes(token.slice(0, 20)) && !everything.includes('access_token='))
  })
})

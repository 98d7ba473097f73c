import { systemClock } from '../clock.ts'
import type { Log } from './log.ts'
import { type Attributes, createTracer, type Span, type Tracer } from './trace.ts'

interface OtlpOptions {
  /** The full address for traces. */
  url: string
  headers: Record<string, string>
  resource: Attributes
  log: Log
}

interface Exporter {
  record: (span: Span) => void
  /** Sends the remaining spans. */
  close(): Promise<void>
}

const KINDS = { internal: 1, server: 2, client: 3 } as const
const FAILED = 2
const BATCH = 512
const EVERY_MS = 5000
/** Limit: spans that wait while the collector cannot be reached; further ones are dropped and counted. */
const MAX_WAITING = 8192
const TIMEOUT_MS = 10_000

export interface TraceSettings {
  otlpUrl: string | undefined
  otlpTracesUrl: string | undefined
  otlpHeaders: Record<string, string>
  serviceName: string
  resourceAttributes: Attributes
  traceShare: number
  tracingOff: boolean
}

/** Opens the export of traces; undefined when no collector is configured. */
export function openTraces(
  config: TraceSettings,
  log: Log,
  version: string,
): { tracer: Tracer; close: () => Promise<void> } | undefined {
  const url = config.otlpTracesUrl ?? (config.otlpUrl === undefined ? undefined : `${config.otlpUrl}/v1/traces`)
  if (url === undefined || config.tracingOff) return undefined
  const resource = { ...config.resourceAttributes, 'service.name': config.serviceName, 'service.version': version }
  const exporter = createExporter({ url, headers: config.otlpHeaders, resource, log })
  return {
    tracer: createTracer({ clock: systemClock, share: config.traceShare, record: exporter.record }),
    close: () => exporter.close(),
  }
}

/**
 * Sends spans to an OpenTelemetry collector: OTLP over HTTP as JSON. An unreachable collector costs spans, never requests.
 * The operator chose its address, so the egress guard does not apply.
 */
function createExporter({ url, headers, resource, log }: OtlpOptions): Exporter {
  let waiting: Span[] = []
  let dropped = 0
  let sending: Promise<void> | undefined
  const timer = setInterval(() => void flush(), EVERY_MS).unref()

  function flush(): Promise<void> {
    sending ??= send().finally(() => {
      sending = undefined
    })
    return sending
  }

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      try {
        const { status } = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(writeSpans(resource, batch)),
          redirect: 'error',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        if (status >= 300) throw new Error(`the collector responded with status ${status}`)
      } catch (error) {
        dropped += batch.length
        log.warn('traces could not be delivered', { dropped, error })
        return
      }
    }
  }

  return {
    record: (span) => {
      if (waiting.length >= MAX_WAITING) dropped += 1
      else waiting.push(span)
      if (waiting.length >= BATCH) void flush()
    },
    close: async () => {
      clearInterval(timer)
      await sending
      await flush()
    },
  }
}

/** The shape of `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest`, with ids in hex as its JSON encoding requires. */
function writeSpans(resource: Attributes, spans: Span[]): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: writeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'tributary' }, spans: spans.map(writeSpan) }],
      },
    ],
  }
}

function writeSpan({ traceId, id, parentId, name, kind, beganMs, endedMs, attributes, failed }: Span): object {
  return {
    traceId,
    spanId: id,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanos(beganMs),
    endTimeUnixNano: nanos(endedMs),
    attributes: writeAttributes(attributes),
    status: failed ? { code: FAILED } : {},
  }
}

// Larger than 2^53, so written as text, which is the JSON encoding of 64-bit integers.
function nanos(ms: number): string {
  return `${Math.round(ms)}000000`
}

function writeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: writeValue(value) }))
}

function writeValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

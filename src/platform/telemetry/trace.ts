import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { systemChance } from '../chance.ts'
import type { Clock } from '../clock.ts'

export type SpanKind = 'internal' | 'server' | 'client'
export type Attributes = Record<string, string | number | boolean>

/** A span as defined by OpenTelemetry. */
export interface Span {
  traceId: string
  id: string
  parentId: string | undefined
  name: string
  kind: SpanKind
  beganMs: number
  endedMs: number
  attributes: Attributes
  failed: boolean
}

/** Records spans. Without a tracer, tracing costs nothing. */
export interface Tracer {
  /** Runs the work inside a new span, a child of the current one. */
  span<Result>(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result>
  /** For work that ends elsewhere: everything that `inside` starts belongs to the span. */
  begin(name: string, kind: SpanKind, traceparent: string | undefined, inside: (span: Span | undefined) => void): void
  end(span: Span, attributes: Attributes, failed: boolean): void
}

export interface TracerOptions {
  clock: Clock
  /** The share of traces beginning here that is recorded. For others, the caller's `traceparent` decides. */
  share: number
  record: (span: Span) => void
}

interface SpanContext {
  traceId: string
  id: string | undefined
  isSampled: boolean
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const SAMPLED = 1

export function createTracer({ clock, share, record }: TracerOptions): Tracer {
  const contexts = new AsyncLocalStorage<SpanContext>()

  const open = (name: string, kind: SpanKind, parent: SpanContext, attributes: Attributes): Span => ({
    traceId: parent.traceId,
    id: randomBytes(8).toString('hex'),
    parentId: parent.id,
    name,
    kind,
    beganMs: clock.now(),
    endedMs: 0,
    attributes,
    failed: false,
  })
  const root = (): SpanContext => ({
    traceId: randomBytes(16).toString('hex'),
    id: undefined,
    isSampled: systemChance() < share,
  })
  const within = (span: Span): SpanContext => ({ traceId: span.traceId, id: span.id, isSampled: true })
  const end = (span: Span, attributes: Attributes, failed: boolean) => {
    Object.assign(span.attributes, attributes)
    span.failed = failed
    span.endedMs = clock.now()
    record(span)
  }

  return {
    end,
    begin(name, kind, traceparent, inside) {
      const [, traceId, id, flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? []
      const parent =
        traceId === undefined ? root() : { traceId, id, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
      if (!parent.isSampled) return contexts.run(parent, () => inside(undefined))
      const span = open(name, kind, parent, {})
      return contexts.run(within(span), () => inside(span))
    },
    async span(name, kind, attributes, work) {
      const parent = contexts.getStore() ?? root()
      const span = open(name, kind, parent, attributes)
      if (!parent.isSampled) return contexts.run(parent, () => work(span))
      try {
        const result = await contexts.run(within(span), () => work(span))
        end(span, {}, span.failed)
        return result
      } catch (error) {
        end(span, { 'error.type': error instanceof Error ? error.name : 'unknown' }, true)
        throw error
      }
    },
  }
}

/** Like `Tracer.span`, where there may be no tracer. */
export function traced<Result>(
  tracer: Tracer | undefined,
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  return tracer === undefined ? work() : tracer.span(name, kind, attributes, work)
}

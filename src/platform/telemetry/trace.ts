import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { systemChance } from '../chance.ts'
import type { Clock } from '../clock.ts'

export type SpanKind = 'internal' | 'server' | 'client'
export type Attributes = Record<string, string | number | boolean>

/** A piece of work with a beginning and an end, as OpenTelemetry wants it. */
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

/** Follows work through the process. A process without a tracer pays nothing. */
export interface Tracer {
  /** Runs the work inside a span that is a child of the one it runs in. */
  span<Result>(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result>
  /** For work that ends elsewhere: everything that `inside` sets off belongs to the span. */
  begin(name: string, kind: SpanKind, traceparent: string | undefined, inside: (span: Span | undefined) => void): void
  end(span: Span, attributes: Attributes, failed: boolean): void
}

export interface TracerOptions {
  clock: Clock
  /** Which share of the traces that begin here is kept. Those that begin elsewhere are decided elsewhere. */
  share: number
  keep: (span: Span) => void
}

interface SpanContext {
  traceId: string
  id: string | undefined
  kept: boolean
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const SAMPLED = 1

export function createTracer({ clock, share, keep }: TracerOptions): Tracer {
  const places = new AsyncLocalStorage<SpanContext>()

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
    kept: systemChance() < share,
  })
  const within = (span: Span): SpanContext => ({ traceId: span.traceId, id: span.id, kept: true })
  const end = (span: Span, attributes: Attributes, failed: boolean) => {
    Object.assign(span.attributes, attributes)
    span.failed = failed
    span.endedMs = clock.now()
    keep(span)
  }

  return {
    end,
    begin(name, kind, traceparent, inside) {
      const [, traceId, id, flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? []
      const parent =
        traceId === undefined ? root() : { traceId, id, kept: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
      if (!parent.kept) return places.run(parent, () => inside(undefined))
      const span = open(name, kind, parent, {})
      return places.run(within(span), () => inside(span))
    },
    async span(name, kind, attributes, work) {
      const parent = places.getStore() ?? root()
      const span = open(name, kind, parent, attributes)
      if (!parent.kept) return places.run(parent, () => work(span))
      try {
        const result = await places.run(within(span), () => work(span))
        end(span, {}, span.failed)
        return result
      } catch (error) {
        end(span, { 'error.type': error instanceof Error ? error.name : 'unknown' }, true)
        throw error
      }
    },
  }
}

/** The same where there may be no tracer. */
export function traced<Result>(
  tracer: Tracer | undefined,
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  return tracer === undefined ? work() : tracer.span(name, kind, attributes, work)
}

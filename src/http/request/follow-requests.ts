import type { Span, Tracer } from '#platform/telemetry/trace.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'

/**
 * Creates a span for every request, a child of the caller's if it sent `traceparent`. Spans contain the route instead of the URL,
 * which may contain tokens.
 */
export function followRequests(tracer: Tracer) {
  const spans = new WeakMap<HttpRequest, Span>()
  return {
    begin: (request: HttpRequest, next: () => void): void => {
      const { traceparent } = request.headers
      const name = `${request.method} ${request.route.url ?? 'none'}`
      tracer.begin(name, 'server', typeof traceparent === 'string' ? traceparent : undefined, (span) => {
        if (span !== undefined) spans.set(request, span)
        next()
      })
    },
    end: (request: HttpRequest, reply: HttpReply): void => {
      const span = spans.get(request)
      if (span === undefined) return
      const attributes = {
        'http.request.method': request.method,
        'http.route': request.route.url ?? 'none',
        'http.response.status_code': reply.statusCode,
        'tributary.request_id': request.id,
      }
      tracer.end(span, attributes, reply.statusCode >= 500)
    },
  }
}

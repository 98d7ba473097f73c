import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Span, Tracer } from '#platform/telemetry/trace.ts'

/**
 * Creates a span for every request, a child of the caller's if it sent `traceparent`. Spans contain the route instead of the URL,
 * which may contain tokens.
 */
export function followRequests(server: FastifyInstance, tracer: Tracer): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  server.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const name = `${request.method} ${request.routeOptions.url ?? 'none'}`
    tracer.begin(name, 'server', typeof traceparent === 'string' ? traceparent : undefined, (span) => {
      if (span !== undefined) spans.set(request, span)
      done()
    })
  })
  server.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    if (span !== undefined) {
      const attributes = {
        'http.request.method': request.method,
        'http.route': request.routeOptions.url ?? 'none',
        'http.response.status_code': reply.statusCode,
        'tributary.request_id': request.id,
      }
      tracer.end(span, attributes, reply.statusCode >= 500)
    }
    done()
  })
}

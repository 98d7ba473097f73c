import { type Core, segment } from './core.ts'

/** As `fetch`, with paths of a service's API. */
export type ProxyFetch = (input: string | URL, init?: RequestInit & { timeoutMs?: number }) => Promise<Response>

/** On every response that comes from the service, and on none of Tributary's own. */
const FROM_SERVICE = 'x-tributary-retried'
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * A `fetch` that calls the API of a service as the person. `input` is a path of that API, or a complete address on one of its hosts.
 * Returns what the service responded, whatever the status; throws `TributaryError` when Tributary refused, with reasons such as
 * `needs_auth`, `no_profile` and `service_limited`. Only requests that read are sent again.
 */
export function createProxy({ transport, authorization }: Core, service: string): ProxyFetch {
  const prefix = `/proxy/${segment('service', service)}/`
  return async (input, { timeoutMs, ...init } = {}) => {
    const path = `${prefix}${String(input).replace(/^\/+/, '').replace(/#.*$/s, '')}`
    // `fetch` resolves `..`, which could lead from the service to our own API, with the person's token.
    if (
      !new URL(`${transport.baseUrl}${path}`).pathname.startsWith(
        `${new URL(transport.baseUrl).pathname.replace(/\/$/, '')}${prefix}`,
      )
    )
      throw new TypeError(`The path leaves the service: ${String(input)}`)
    const method = (init.method ?? 'GET').toUpperCase()
    const headers = Object.fromEntries(new Headers(init.headers))
    delete headers['authorization']
    return transport.send({
      method,
      path,
      headers,
      // `fetch` sets the content type of these bodies.
      body: init.body ?? undefined,
      authorization,
      ...(init.signal ? { signal: init.signal } : {}),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      redirect: init.redirect ?? 'follow',
      repeatable: 'always',
      ...(SAFE_METHODS.includes(method) ? {} : { retries: 0 }),
      isStream: true,
      accepts: (response) =>
        response.headers.has(FROM_SERVICE) || response.redirected || response.type === 'opaqueredirect',
    })
  }
}

/** The fields of a response that this middleware reads and changes. */
interface ResponseContext {
  response: { get(header: string): string }
  set(header: string, value: string): void
  path: string
  body: unknown
}

export type ResponseStep = (context: ResponseContext, next: () => Promise<void>) => Promise<void>

/**
 * Replaces (text) or removes (false) the `iss` parameter of every authorization response, like servers without RFC
 * 9207 or malicious ones.
 */
export function giveIssuer(issuer: string, iss: string | false): ResponseStep {
  return async (context, next) => {
    await next()
    if (iss === false && context.path === '/.well-known/openid-configuration') {
      const { authorization_response_iss_parameter_supported: _supported, ...rest } = context.body as Record<
        string,
        unknown
      >
      context.body = rest
    }
    const location = context.response.get('location')
    if (location === '' || !URL.canParse(location)) return
    const url = new URL(location)
    if (url.searchParams.get('iss') !== issuer) return
    if (iss === false) url.searchParams.delete('iss')
    else url.searchParams.set('iss', iss)
    context.set('location', url.href)
  }
}

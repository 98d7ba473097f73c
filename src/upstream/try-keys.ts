import type { Connector } from '#kit/connector/connector.ts'
import { locateService, type ServiceLocation } from './addresses/addresses.ts'
import type { KeyFinding } from './key-finding.ts'
import { keysFailure, tryTokenEndpoint } from './oauth2/try-token-endpoint.ts'
import { UpstreamError } from './request/errors.ts'
import type { Upstream, UpstreamRequest, UpstreamResponse } from './request/send.ts'
import type { ServiceKey } from './request/service-key.ts'
import { type BegunSignIn, beginSignIn } from './sign-in.ts'

export interface KeyTrial {
  connector: Connector
  key: ServiceKey
  callbackUrl: string
  instance?: Readonly<Record<string, string>> | undefined
}

/** Limit: milliseconds for each call of a test; a person waits for it. */
const MAX_CALL_MS = 10_000

/** Tries what can be tried without a person: the addresses, the sign-in page, and whether the service accepts the keys. */
export async function tryKeys(given: Upstream, trial: KeyTrial): Promise<KeyFinding[]> {
  const upstream: Upstream = { ...given, send: (request) => given.send({ timeoutMs: MAX_CALL_MS, ...request }) }
  const { auth } = trial.connector
  let location: ServiceLocation
  try {
    location = await locateService(upstream, trial)
  } catch (error) {
    return [failure('addresses', error)]
  }
  const hosts = new Set([location.addresses.authorizeUrl, location.addresses.tokenUrl].map((url) => new URL(url).host))
  const found: KeyFinding = {
    step: 'addresses',
    result: 'ok',
    reason: 'ok',
    detail: `Asked: ${[...hosts].join(', ')}.`,
  }
  let begun: BegunSignIn
  try {
    begun = await beginSignIn(upstream, { ...trial, state: upstream.random(16).toString('base64url') })
  } catch (error) {
    return [found, keysFailure(error)]
  }
  const page = await tryPage(upstream, { url: begun.url, trust: location.trust }, trial.callbackUrl)
  if (auth.kind !== 'oauth2') {
    const detail = 'The service issued a request token to this key.'
    return [found, { step: 'keys', result: 'ok', reason: 'ok', detail }, page]
  }
  const keys = await tryTokenEndpoint(upstream, { ...trial, auth, location }).catch(keysFailure)
  return [found, page, keys]
}

/** Opens the page as a browser would, without a session: it shows a login, or says what it refuses. */
async function tryPage(
  upstream: Upstream,
  page: Pick<UpstreamRequest, 'url' | 'trust'>,
  callbackUrl: string,
): Promise<KeyFinding> {
  let response: UpstreamResponse
  try {
    response = await upstream.send({ method: 'GET', ...page, headers: { accept: 'text/html,*/*;q=0.5' } })
  } catch (error) {
    // The page is there; only its size is not accepted.
    if (error instanceof UpstreamError && error.reason === 'answer_too_large')
      return pageFinding('ok', 'ok', 'It opens.')
    return failure('sign_in_page', error)
  }
  const { status } = response
  const refusal = refusalIn(response, callbackUrl)
  if (refusal !== undefined)
    return pageFinding('failed', 'request_refused', `The service redirects back with “${refusal}”.`)
  if (status < 400) return pageFinding('ok', 'ok', 'It opens.')
  const responded = `It responds ${status}`
  if (status === 404 || status === 410) return pageFinding('failed', 'address_wrong', `${responded}: nothing is there.`)
  if (status === 400 || status === 401)
    return pageFinding(
      'failed',
      'request_refused',
      `${responded}: the service does not know the key, the callback address or the scope.`,
    )
  if (status >= 500) return pageFinding('unknown', 'service_failed', `${responded}. Try again later.`)
  return pageFinding('unknown', 'unknown', `${responded}: it may open for browsers only.`)
}

/** The error of a redirect to our callback. A login page that redirects elsewhere is as good as a page. */
function refusalIn({ status, headers }: UpstreamResponse, callbackUrl: string): string | undefined {
  const target = status >= 300 && status < 400 ? headers['location'] : undefined
  if (target === undefined || !target.startsWith(callbackUrl)) return undefined
  const error = URL.parse(target)?.searchParams.get('error')
  if (error === null || error === undefined || /^(login|interaction|consent)_required$/.test(error)) return undefined
  return /^[a-z_]{1,60}$/.test(error) ? error : 'an error'
}

const pageFinding = (result: KeyFinding['result'], reason: KeyFinding['reason'], detail: string): KeyFinding => ({
  step: 'sign_in_page',
  result,
  reason,
  detail,
})

function failure(step: KeyFinding['step'], error: unknown): KeyFinding {
  if (!(error instanceof UpstreamError)) throw error
  return { step, result: 'failed', reason: error.reason, detail: `${error.message}.` }
}

import type { JsonObject, OAuth2, TokenAuth } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { createDpopKey } from '../dpop/proof.ts'
import type { KeyFinding } from '../key-finding.ts'
import { UpstreamError } from '../request/errors.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { errorCodeOf, tokenFailure } from '../request/token-error.ts'
import { presentCode } from './exchange.ts'
import { createVerifier } from './pkce.ts'
import type { TokenReply } from './token-request.ts'

export interface TokenEndpointTrial {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  callbackUrl: string
}

/** Ways to prove the secret for which a wrong secret can be made up. */
const SENT_SECRETS: readonly TokenAuth[] = ['post', 'basic', 'basic_raw', 'secret_basic', 'query', 'signed_nonce']

type Verdict = 'accepted' | 'refused' | 'unclear'

/**
 * Presents a made-up code with the app's keys. A service that checks the keys first refuses the keys or the code, and says which. Not every
 * service does: so a made-up secret is presented as well, which such a service must refuse in another way.
 */
export async function tryTokenEndpoint(upstream: Upstream, trial: TokenEndpointTrial): Promise<KeyFinding> {
  const { auth, key } = trial
  const { reply, secrets } = await presentMadeUpCode(upstream, trial)
  const verdict = verdictOf(auth, reply)
  const said = explain(auth, reply, secrets)
  if (verdict === 'refused')
    return finding('failed', 'keys_refused', `The service refuses the key or its secret. ${said}`)
  if (verdict === 'unclear')
    return finding('unknown', 'unknown', `The service does not tell whether the keys are right. ${said}`)
  if (key.secret === '')
    return finding('ok', 'ok', 'The service knows the key, which has no secret. It refused only the made-up code.')
  if (!SENT_SECRETS.includes(auth.tokenAuth))
    return finding('ok', 'ok', 'The service accepts the key. It refused only the made-up code.')
  const control = await presentMadeUpCode(upstream, { ...trial, key: { ...key, secret: madeUp(upstream) } })
  if (verdictOf(auth, control.reply) === 'accepted')
    return finding(
      'unknown',
      'unknown',
      'The service refuses a made-up code before it looks at the secret, so it cannot tell.',
    )
  return finding('ok', 'ok', 'The service accepts the key and its secret. It refused only the made-up code.')
}

async function presentMadeUpCode(
  upstream: Upstream,
  { auth, key, location, callbackUrl }: TokenEndpointTrial,
): Promise<{ reply: TokenReply; secrets: string[] }> {
  const dpopKey: JsonObject | undefined = auth.dpop ? await createDpopKey() : undefined
  const verifier = auth.pkce ? createVerifier(upstream.random) : undefined
  const code = madeUp(upstream)
  const reply = await presentCode(upstream, { auth, key, location, callbackUrl, code, verifier, scope: '', dpopKey })
  return { reply, secrets: [key.secret, code, ...(verifier === undefined ? [] : [verifier])] }
}

const madeUp = (upstream: Upstream): string => `tributary-test-${upstream.random(18).toString('base64url')}`

function verdictOf(auth: OAuth2, { response, fields }: TokenReply): Verdict {
  const code = errorCodeOf(fields, auth.errorField)
  if (code === undefined || response.status === 429 || response.status >= 500) return 'unclear'
  const declared = Object.hasOwn(auth.errors, code) ? auth.errors[code] : undefined
  if (declared === 'reauthorize' || (declared === undefined && code === 'invalid_grant')) return 'accepted'
  const isRefusal = declared === 'stop' || (declared === undefined && /^(invalid|unauthorized)_client$/.test(code))
  return isRefusal ? 'refused' : 'unclear'
}

/** A response without an error is not repeated: it could contain a token. */
function explain(auth: OAuth2, { response, fields, sentAtMs }: TokenReply, secrets: string[]): string {
  if (response.status < 300 && errorCodeOf(fields, auth.errorField) === undefined)
    return `It responded ${response.status} to a made-up code.`
  const { message } = tokenFailure(response, fields, { auth, what: 'made-up code', nowMs: sentAtMs, secrets })
  return `${message}.`
}

const finding = (result: KeyFinding['result'], reason: KeyFinding['reason'], detail: string): KeyFinding => ({
  step: 'keys',
  result,
  reason,
  detail,
})

/** What a call that failed says about the keys. OAuth 1 refuses wrong keys like any other call. */
export function keysFailure(error: unknown): KeyFinding {
  if (!(error instanceof UpstreamError)) throw error
  const isRefusal = error.reason === 'keys_refused' || error.reason === 'service_refused'
  if (isRefusal) return finding('failed', 'keys_refused', `${error.message}.`)
  const isPassing = error.recovery === 'retry'
  return finding(isPassing ? 'unknown' : 'failed', error.reason, `${error.message}.`)
}

import type { AppCheck, Credential, OAuth2 } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { UpstreamError } from '../request/errors.ts'
import { responseFailure } from '../request/response-failure.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { requireToken } from './require-token.ts'
import { sendDeclared } from './token-exchange.ts'
import { requestAsApp } from './token-request.ts'

interface VerifyApp {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
}

/**
 * Refuses a token that was issued to another app, because the operator of that app could use it to impersonate its
 * people. False where the service has no way to tell.
 */
export async function verifyApp(upstream: Upstream, { auth, ...at }: VerifyApp): Promise<boolean> {
  if (!auth.verifyApp) return false
  const check = auth.verifyApp
  const expected = check.likeOwn === true ? await ownName(upstream, check, { auth, ...at }) : at.key.key
  if (expected === undefined) return false
  if ((await nameOfApp(upstream, check, at)) !== expected)
    throw new UpstreamError('reauthorize', 'The token was not issued to this app', {
      reason: 'service_refused',
    })
  return true
}

async function nameOfApp(
  upstream: Upstream,
  check: AppCheck,
  { key, location, credential }: Omit<VerifyApp, 'auth'>,
): Promise<string | undefined> {
  const { response, fields } = await sendDeclared(upstream, { key, location, credential, tokenExchange: check })
  if (response.status < 200 || response.status >= 300) {
    const secrets = [key.secret, credential.token]
    throw responseFailure(response, {
      what: 'token check',
      nowMs: upstream.clock.now(),
      refused: 'reauthorize',
      secrets,
    })
  }
  return fields === undefined ? undefined : check.read(fields)
}

/** What the service calls this app: it says so to a token of the app itself. */
async function ownName(
  upstream: Upstream,
  check: AppCheck,
  { auth, key, location }: VerifyApp,
): Promise<string | undefined> {
  const { tokenUrl, issuer } = location.addresses
  const reply = await requestAsApp(upstream, {
    auth,
    key,
    url: tokenUrl,
    trust: location.trust,
    parameters: { grant_type: 'client_credentials' },
    audience: issuer ?? tokenUrl,
  })
  const own = requireToken(reply, { auth, what: 'token of the app', secrets: [key.secret], dpop: false })
  return nameOfApp(upstream, check, { key, location, credential: { token: own.token } })
}

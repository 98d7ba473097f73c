import type { Credential, OAuth2 } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { UpstreamError } from '../request/errors.ts'
import { responseFailure } from '../request/response-failure.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { sendDeclared } from './token-exchange.ts'

/**
 * Refuses a token that was issued to another app, because the operator of that app could use it to impersonate its
 * people.
 */
export async function verifyApp(
  upstream: Upstream,
  {
    auth,
    key,
    location,
    credential,
  }: { auth: OAuth2; key: ServiceKey; location: ServiceLocation; credential: Credential },
): Promise<void> {
  if (!auth.verifyApp) return
  const { response: reply, fields } = await sendDeclared(upstream, {
    key,
    location,
    credential,
    tokenExchange: auth.verifyApp,
  })
  if (reply.status < 200 || reply.status >= 300) {
    const secrets = [key.secret, credential.token]
    throw responseFailure(reply, { what: 'token check', nowMs: upstream.clock.now(), refused: 'reauthorize', secrets })
  }
  const owner = fields === undefined ? undefined : auth.verifyApp.read(fields)
  if (owner !== key.key)
    throw new UpstreamError('reauthorize', 'The token was not issued to this app', {
      reason: 'service_refused',
    })
}

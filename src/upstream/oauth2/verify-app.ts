import type { Credential, OAuth2 } from '#kit/auth.ts'
import type { Place } from '../addresses.ts'
import { answerFailure } from '../answer-failure.ts'
import { UpstreamError } from '../errors.ts'
import type { Upstream } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { askDeclared } from './trade.ts'

/** Refuses a token that the service gave to another app: whoever runs that app could otherwise pass as its people here. */
export async function verifyApp(
  upstream: Upstream,
  { auth, key, place, credential }: { auth: OAuth2; key: ServiceKey; place: Place; credential: Credential },
): Promise<void> {
  if (!auth.verifyApp) return
  const { answer, fields } = await askDeclared(upstream, { key, place, credential, trade: auth.verifyApp })
  if (answer.status < 200 || answer.status >= 300) {
    const secrets = [key.secret, credential.token]
    throw answerFailure(answer, { what: 'token check', nowMs: upstream.clock.now(), refused: 'reauthorize', secrets })
  }
  const owner = fields === undefined ? undefined : auth.verifyApp.read(fields)
  if (owner !== key.key)
    throw new UpstreamError('reauthorize', 'The service did not give this token to this app', {
      reason: 'service_refused',
    })
}

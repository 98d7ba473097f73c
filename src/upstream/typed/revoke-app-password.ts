import type { RevocationScope } from '#kit/auth/auth.ts'
import type { AppPassword } from '#kit/auth/typed.ts'
import type { RevocationResult } from '#model/accounts/revocation.ts'
import { callService, type ServiceCaller } from '../call/call-service.ts'
import { fillPlaceholders } from '../request/fill-placeholders.ts'
import { parseObject } from '../request/parse-object.ts'
import { responseFailure } from '../request/response-failure.ts'

/** Deletes the password at its server. Other passwords of the same person stay. */
export async function revokeAppPassword(
  caller: ServiceCaller,
  { revoke }: AppPassword,
  scope: RevocationScope | 'nothing',
): Promise<RevocationResult> {
  if (revoke === undefined) return 'not_offered'
  if (scope === 'nothing') return 'kept'
  const ended = scope === 'token' ? 'token_ended' : 'revoked'
  const found = await callService(caller, { method: 'GET', path: revoke.find })
  // The server does not know the password any more.
  if (found.status === 401) return ended
  const id = found.status === 200 ? revoke.id(parseObject(found.text) ?? {}) : undefined
  if (id === undefined) return refusedOrFailed(caller, found)
  const path = fillPlaceholders(revoke.path, { id }, encodeURIComponent)
  const deleted = await callService(caller, { method: 'DELETE', path })
  return deleted.status === 200 || deleted.status === 204 ? ended : refusedOrFailed(caller, deleted)
}

/** Throws for a server that failed and may be asked again. */
function refusedOrFailed({ upstream }: ServiceCaller, response: Parameters<typeof responseFailure>[0]): 'refused' {
  if (response.status >= 500 || response.status === 429)
    throw responseFailure(response, { what: 'revocation', nowMs: upstream.clock.now(), refused: 'stop' })
  return 'refused'
}

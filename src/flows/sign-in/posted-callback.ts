import type { IdentityDeps } from '#identity/deps.ts'
import { readPending, writePending } from '#identity/pending-value.ts'
import { ApiError } from '#model/errors.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import { insertPending, takePending } from '#store/identity/pending.ts'
import { type CallbackAddress, isAt } from './callback.ts'

/** Limit: characters of all parameters together that a service posts to the callback; more is refused. */
const MAX_POSTED = 32_000

/**
 * Keeps what a service posted to the callback until the browser comes with its cookie: browsers do not send it with a
 * form of another site. The result is the name under which the GET that follows finds it, so that neither the code nor
 * the state are in an address. The state is used up; whether it is the right browser is checked by the GET.
 */
export async function keepPosted(
  deps: IdentityDeps,
  at: CallbackAddress,
  posted: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { service } = at
  const connector = deps.registry.find(service)
  const { state } = posted
  const isUsable =
    connector?.auth.kind === 'oauth2' &&
    connector.auth.responseMode === 'form_post' &&
    typeof state === 'string' &&
    JSON.stringify(posted).length <= MAX_POSTED
  const pending = isUsable
    ? await takePending(deps.database, deps.keyring, deps.hasher.hash('pending', `state ${state}`))
    : undefined
  const sent = pending && readPending(pending)
  if (pending === undefined || sent?.kind !== 'sent' || !isAt(pending, at) || pending.expiresAt < deps.clock.now()) {
    deps.log.warn('a posted callback was refused', { service, known: pending !== undefined })
    throw new ApiError('session_expired')
  }
  const ticket = randomSecret()
  const texts = Object.entries(posted).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  await insertPending(deps.database, deps.keyring, deps.hasher.hash('pending', `posted ${ticket}`), {
    ...pending,
    value: writePending(sent.kind, { ...sent, kind: 'posted', posted: Object.fromEntries(texts) }),
  })
  return ticket
}

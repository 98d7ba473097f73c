import { createHash } from 'node:crypto'
import type { IdentityDeps, SignInDeps } from '#identity/deps.ts'
import { revokeUnused } from '#identity/expire-consents.ts'
import { ticketShard } from '#model/accounts/access-token.ts'
import { ApiError } from '#model/errors.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import { revokeAccessToken } from '#store/identity/access-tokens.ts'
import { deleteConsent, lockConsent } from '#store/identity/consents.ts'
import { findServiceUser } from '#store/identity/service-users.ts'
import { exchangeCode } from '../sign-in/exchange-code.ts'
import type { OutcomeOf } from '../sign-in/outcome.ts'
import { type StartInput, startSignIn } from '../sign-in/start.ts'
import {
  type AgentApp,
  AgentRefusal,
  type AgentRequest,
  findAgentPending,
  replaceAgentPending,
  storeAgentPending,
} from './request.ts'

/** Where the person returns to after the sign-in, on the way to the consent. */
export function signedInAddress({ config }: Pick<IdentityDeps, 'config'>): string {
  return `${config.baseUrl}/oauth/agents/signed-in`
}

/** Sends the person to one of the app's services to sign in. The request of the agent waits for the browser to return. */
export async function signInForAgent(
  deps: SignInDeps,
  app: AgentApp,
  request: AgentRequest,
  input: Pick<StartInput, 'service' | 'answers'>,
  browser: Buffer,
  ip: string,
): Promise<OutcomeOf<'started'>> {
  const [ticket, verifier] = [randomSecret(), randomSecret()]
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const to = { redirectUri: signedInAddress(deps), state: ticket, locale: request.locale }
  const start = { ...input, code_challenge: challenge, code_challenge_method: 'S256' }
  // First, because it refuses too many unfinished sign-ins.
  const outcome = await startSignIn(deps, app, to, start, browser, ip)
  await storeAgentPending(deps, ticket, app, browser, { ...request, verifier })
  return outcome
}

/**
 * The person has signed in: exchanges our own code and remembers the account. Only for people who have an account already, because an
 * agent reads what an app has synced. Repeating it changes nothing.
 */
export async function finishAgentSignIn(
  deps: SignInDeps,
  ticket: string,
  code: string,
  browser: Buffer | undefined,
): Promise<{ accountId: string }> {
  const { app, value } = await findAgentPending(deps, ticket, browser)
  if (value.accountId !== undefined) return { accountId: value.accountId }
  await requireKnownPerson(deps, app, code)
  const exchange = { code, redirectUri: signedInAddress(deps), codeVerifier: value.verifier, isAuthenticated: true }
  const { account, tokenHash } = await exchangeCode(deps, app, exchange)
  // Nobody has seen this token. The agent gets one of another kind, after the consent.
  await revokeAccessToken(deps.database, account.shard, tokenHash, deps.clock.now())
  await replaceAgentPending(deps, ticket, { ...value, accountId: account.id })
  return { accountId: account.id }
}

async function requireKnownPerson(deps: IdentityDeps, app: AgentApp, code: string): Promise<void> {
  const shard = ticketShard('trc', code)
  if (shard === undefined) throw new ApiError('session_expired')
  const hash = deps.hasher.hash('code', code)
  const unknown = await deps.database.transaction(async (tx) => {
    const consent = await lockConsent(tx, deps.keyring, shard, hash)
    if (consent === undefined || consent.appId !== app.id || consent.usedAt !== undefined)
      throw new ApiError('session_expired')
    const { appId, service, nativeId } = consent
    if ((await findServiceUser(tx, { appId, service, nativeId })).length > 0) return undefined
    await deleteConsent(tx, consent)
    return consent
  })
  if (unknown === undefined) return
  await revokeUnused(deps, unknown)
  throw new AgentRefusal('access_denied', `The person has no account in ${app.name} yet: they sign in there first.`)
}

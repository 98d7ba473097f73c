import { isIP } from 'node:net'
import { type Operator, requireRecentSignIn } from '#model/apps/operator.ts'
import { ApiError } from '#model/errors.ts'
import {
  type Assertion,
  challengeIn,
  type NewPasskey,
  type Registration,
  type RelyingParty,
  verifyAssertion,
  verifyRegistration,
  WebAuthnError,
} from '#platform/crypto/webauthn.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditInstallation } from '#store/audit.ts'
import { findOperator } from '#store/operators/operators.ts'
import * as passkeys from '#store/operators/passkeys.ts'
import { isOurChallenge, newChallenge, useChallenge } from './challenges.ts'
import type { AddressedDeps, Browser, OperatorDeps } from './deps.ts'
import { openSession } from './sessions.ts'

const SIGN_IN = 'sign_in'
/** COSE numbers of ES256, EdDSA and RS256. */
const ALGORITHMS = [-7, -8, -257]

/** Undefined where passkeys are impossible: an address with a number instead of a name. */
export function relyingParty({ config }: Pick<AddressedDeps, 'config'>): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(config.baseUrl)
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return isSecure && isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? { id: hostname, origin } : undefined
}

/** What the browser asks any passkey of this installation to sign. */
export function signInOptions(deps: AddressedDeps) {
  const party = requireParty(deps)
  return { challenge: newChallenge(deps, SIGN_IN), rp_id: party.id }
}

/** The value of the new session's cookie. */
export async function signInWithPasskey(deps: AddressedDeps, given: Assertion, browser: Browser): Promise<string> {
  const party = requireParty(deps)
  return refusing(() => {
    const challenge = requireChallenge(deps, SIGN_IN, given.clientDataJson)
    return deps.database.transaction(async (tx) => {
      const known = await passkeys.lockPasskey(tx, given.id)
      const operator = known && (await findOperator(tx, known.operatorId))
      if (known === undefined || operator === undefined) throw new WebAuthnError('the passkey is unknown')
      const counter = verifyAssertion(party, challenge, given, known)
      await useChallenge(deps, tx, challenge)
      await passkeys.markPasskeyUsed(tx, known.id, counter, deps.clock.now())
      return openSession(deps, tx, operator, 'passkey', browser)
    })
  })
}

/** What the browser passes to an authenticator that creates a passkey for this user. */
export async function creationOptions(deps: AddressedDeps, purpose: string, user: { id: string; name: string }) {
  const party = requireParty(deps)
  const known = await passkeys.listPasskeys(deps.database)
  return {
    challenge: newChallenge(deps, purpose),
    rp: { id: party.id, name: 'Tributary' },
    user: { id: Buffer.from(user.id).toString('base64url'), name: user.name },
    algorithms: ALGORITHMS,
    exclude: known.filter(({ operatorId }) => operatorId === user.id).map(({ id }) => id),
  }
}

/** Verifies a new passkey; `storePasskey` then stores it. */
export async function readRegistration(
  deps: AddressedDeps,
  purpose: string,
  given: Registration,
): Promise<{ passkey: NewPasskey; challenge: string }> {
  const party = requireParty(deps)
  return refusing(async () => {
    const challenge = requireChallenge(deps, purpose, given.clientDataJson)
    return { challenge, passkey: verifyRegistration(party, challenge, given) }
  })
}

export async function storePasskey(
  deps: OperatorDeps,
  tx: Queries,
  operatorId: string,
  name: string,
  { passkey, challenge }: { passkey: NewPasskey; challenge: string },
): Promise<void> {
  await useChallenge(deps, tx, challenge)
  const isNew = await passkeys.insertPasskey(tx, { ...passkey, operatorId, name, createdAt: deps.clock.now() })
  if (!isNew) throw new ApiError('already_exists', 'This passkey is known already.')
}

/** Adds a passkey of the caller. */
export async function addPasskey(
  deps: AddressedDeps,
  caller: Operator,
  name: string,
  given: Registration,
): Promise<string> {
  const operatorId = ownId(caller)
  requireRecentSignIn(caller, deps.clock.now())
  const made = await readRegistration(deps, addingPurpose(operatorId), given)
  await deps.database.transaction(async (tx) => {
    await storePasskey(deps, tx, operatorId, name, made)
    const detail = { passkey: name }
    await auditInstallation(tx, {
      at: deps.clock.now(),
      actor: caller.actor,
      action: 'operator.add_passkey',
      detail,
    })
  })
  return made.passkey.id
}

export function addingOptions(deps: AddressedDeps, caller: Operator) {
  const id = ownId(caller)
  return creationOptions(deps, addingPurpose(id), { id, name: caller.name })
}

export async function listOwnPasskeys(deps: OperatorDeps, caller: Operator) {
  const operatorId = ownId(caller)
  const all = await passkeys.listPasskeys(deps.database)
  return all
    .filter((each) => each.operatorId === operatorId)
    .map(({ id, name, createdAt, usedAt }) => ({ id, name, created_at: createdAt, used_at: usedAt }))
}

/** The last way to sign in stays: without a password one passkey must remain. */
export async function removePasskey(deps: OperatorDeps, caller: Operator, id: string): Promise<void> {
  const operatorId = ownId(caller)
  requireRecentSignIn(caller, deps.clock.now())
  await deps.database.transaction(async (tx) => {
    const own = (await passkeys.listPasskeys(tx)).filter((each) => each.operatorId === operatorId)
    const operator = await findOperator(tx, operatorId)
    if (operator?.password === undefined && own.length === 1)
      throw new ApiError('bad_request', 'This is the only way to sign in. Add a passkey or a password first.')
    if (!(await passkeys.deletePasskey(tx, operatorId, id)))
      throw new ApiError('not_found', 'There is no such passkey.')
    const { actor } = caller
    await auditInstallation(tx, { at: deps.clock.now(), actor, action: 'operator.delete_passkey', detail: { id } })
  })
}

function ownId({ session }: Operator): string {
  if (session === undefined) throw new ApiError('signed_out')
  return session.operatorId
}

function addingPurpose(operatorId: string): string {
  return `add ${operatorId}`
}

function requireParty(deps: Pick<AddressedDeps, 'config'>): RelyingParty {
  const party = relyingParty(deps)
  if (party === undefined)
    throw new ApiError('passkey_refused', 'Passkeys require https and a host name in BASE_URL; use a password here.')
  return party
}

function requireChallenge(deps: OperatorDeps, purpose: string, clientDataJson: string): string {
  const challenge = challengeIn(clientDataJson)
  if (!isOurChallenge(deps, purpose, challenge)) throw new WebAuthnError('the challenge is not ours, or has ended')
  return challenge
}

/** The caller learns that the passkey was refused; why is the cause. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WebAuthnError)) throw error
    throw new ApiError('passkey_refused', undefined, { cause: error })
  }
}

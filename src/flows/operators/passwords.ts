import { MAX_PASSWORD, MIN_PASSWORD, type Operator, requireRecentSignIn } from '#model/apps/operator.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { hashPassword, isOutdated, isPassword, PasswordsBusy } from '#platform/crypto/password.ts'
import { weaknessOf } from '#platform/crypto/weak-secret.ts'
import { auditInstallation } from '#store/audit.ts'
import {
  findOperatorByName,
  hasPasswordForm,
  loginOf,
  replaceOperatorPassword,
  setOperatorPassword,
} from '#store/operators/operators.ts'
import { deleteSessionsOf } from '#store/operators/sessions.ts'
import type { Browser, OperatorDeps } from './deps.ts'
import { openSession } from './sessions.ts'

/** What guesses are counted for: every way of writing a name is the same operator. */
export function guessedOperator(name: string): string {
  return `operator ${loginOf(name)}`
}

/** The value of the new session's cookie; undefined if the name or the password is wrong, both after the same time. */
export async function signInWithPassword(
  deps: OperatorDeps,
  given: { name: string; password: string },
  browser: Browser,
): Promise<string | undefined> {
  const { database, passwordCost: cost } = deps
  const operator = await findOperatorByName(database, given.name)
  const isScryptInUse = await hasPasswordForm(database, 'scrypt')
  // Many strangers who guess do not keep out an operator who comes back.
  const queue = operator !== undefined && browser.knownAs === operator.id ? 'known' : 'strangers'
  const isRight = await refusingWhenBusy(() =>
    isPassword(peppered(deps, given.password), operator?.password, { queue, cost, isScryptInUse }),
  )
  if (!isRight || operator?.password === undefined) return undefined
  const before = operator.password
  const renewed = isOutdated(before, cost) ? await hashUnlessBusy(deps, given.password) : undefined
  const cookie = await database.transaction(async (tx) => {
    const isCurrent =
      renewed === undefined || (await replaceOperatorPassword(tx, operator.id, { before, password: renewed }))
    return isCurrent ? openSession(deps, tx, operator, 'password', browser) : undefined
  })
  // Another sign-in renewed the hash meanwhile, or the operator changed the password, which may be another one now.
  return cookie ?? signInWithPassword(deps, given, browser)
}

/** The new hash of a password whose stored hash is outdated; undefined when too many wait, and then the next sign-in renews it. */
async function hashUnlessBusy(deps: OperatorDeps, password: string): Promise<string | undefined> {
  try {
    return await hashPassword(peppered(deps, password), deps.passwordCost)
  } catch (error) {
    if (!(error instanceof PasswordsBusy)) throw error
    return undefined
  }
}

/** The stored form of a new password. A copy of the table alone is useless for guessing: it is hashed with our key first. */
export async function encodePassword(
  deps: Pick<OperatorDeps, 'hasher' | 'passwordCost'>,
  password: string,
): Promise<string> {
  const weakness = weaknessOfPassword(password)
  if (weakness !== undefined) throw invalidInput('bad_body', 'password', weakness)
  return refusingWhenBusy(() => hashPassword(peppered(deps, password), deps.passwordCost))
}

/** Sets the caller's own password, and ends their other sessions. */
export async function changePassword(deps: OperatorDeps, caller: Operator, password: string): Promise<number> {
  const { session } = caller
  if (session === undefined) throw new ApiError('signed_out')
  requireRecentSignIn(caller, deps.clock.now())
  const encoded = await encodePassword(deps, password)
  return deps.database.transaction(async (tx) => {
    await setOperatorPassword(tx, session.operatorId, encoded)
    const ended = await deleteSessionsOf(tx, session.operatorId, session.id)
    const { actor } = caller
    await auditInstallation(tx, { at: deps.clock.now(), actor, action: 'operator.password', detail: { ended } })
    return ended
  })
}

function weaknessOfPassword(password: string): string | undefined {
  const { length } = Array.from(password)
  if (length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters.`
  if (length > MAX_PASSWORD) return `must have at most ${MAX_PASSWORD} characters.`
  const weakness = weaknessOf(Buffer.from(password))
  return weakness && `${weakness}.`
}

function peppered({ hasher }: Pick<OperatorDeps, 'hasher'>, password: string): Buffer {
  return hasher.hash('operator_password', password.normalize('NFKC'))
}

async function refusingWhenBusy<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PasswordsBusy)) throw error
    throw new ApiError('too_many_attempts', 'Too many passwords are being compared; try again.', { retryAfterS: 2 })
  }
}

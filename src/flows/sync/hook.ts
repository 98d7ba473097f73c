import { createHmac } from 'node:crypto'
import type { Hook, Sign } from '#kit/connector.ts'
import type { Endpoint } from '#kit/endpoint.ts'
import { ApiError } from '#model/errors.ts'
import type { Profile } from '#model/profile.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { findServiceUser } from '#store/identity/service-users.ts'
import type { SyncDeps } from './deps.ts'
import { requestSync } from './progress.ts'

export interface HookCall {
  service: string
  appId: string
  query: Record<string, string>
  headers: Record<string, string>
  body: string
}

/** Runs a comparison of secrets whose failures count against the caller; refuses the call when it fails. */
export type Guarded = <Result>(compare: () => Promise<Result | undefined>) => Promise<Result>

/** Answers the request with which a service verifies the address of a hook. */
export async function respondToHandshake(deps: SyncDeps, call: HookCall, guarded: Guarded): Promise<string> {
  const { hook, hookSecret: secret } = await hookOf(deps, call)
  return guarded(async () => hook.handshake?.(call.query, secret, signWith(secret)))
}

/**
 * Handles a change reported by the service. It only makes syncs due: the changes are fetched from the service. Returns
 * how many.
 */
export async function receiveHook(deps: SyncDeps, call: HookCall, guarded: Guarded): Promise<number> {
  const { hook, keySecret, hookSecret } = await hookOf(deps, call)
  const secret = hook.signedWith === 'key' ? keySecret : hookSecret
  const { headers, body } = call
  await guarded(async () => hook.verify({ headers, body, secret, sign: signWith(secret) }) || undefined)
  let due = 0
  for (const nativeId of peopleIn(hook, body)) due += await makeDue(deps, call, nativeId)
  return due
}

/** Limit: people that one call of a hook may name; further ones are ignored until their next scheduled sync. */
const MAX_PEOPLE = 1000
/** Limit: characters of a person's id in a hook; a longer one is ignored. */
const MAX_PERSON_ID = 500

/** The native ids that the body names. It is signed, but may still be malformed. */
function peopleIn(hook: Hook, text: string): string[] {
  const people = readPeople(hook, readBody(text))
  if (!Array.isArray(people)) throw new ApiError('bad_body', 'The body names no person.')
  const ids = people
    .filter((id) => typeof id === 'string' || typeof id === 'number')
    .map(String)
    .filter((id) => id !== '' && id.length <= MAX_PERSON_ID && !id.includes('\0'))
  return [...new Set(ids)].slice(0, MAX_PEOPLE)
}

function readPeople(hook: Hook, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return undefined
  try {
    return hook.people(body)
  } catch {
    // The caller refuses a body without people, and the service sees the refusal.
    return undefined
  }
}

/** In every account of the app with this service user: each has its own profile and items. */
async function makeDue(deps: SyncDeps, call: HookCall, nativeId: string): Promise<number> {
  const { appId } = call
  const connector = deps.registry.find(call.service)
  const service = connector?.service ?? call.service
  const except = wholePaidLists(connector?.endpoints ?? {})
  let due = 0
  for (const accountId of await findServiceUser(deps.database, { appId, service, nativeId })) {
    const account = await findAccountById(deps.database, accountId)
    const profiles = account === undefined ? [] : await listProfiles(deps.database, account)
    const isNamed = (each: Profile) => each.service === service && each.nativeId === nativeId && each.state !== 'paused'
    for (const profile of profiles.filter(isNamed)) {
      await requestSync(deps, profile, { confirmDeletes: false, except })
      due += 1
    }
  }
  return due
}

/** Lists that are paid for and read as a whole keep their interval: somebody's every post would cost the price of all followers. */
function wholePaidLists(endpoints: Record<string, Endpoint>): string[] {
  return Object.entries(endpoints)
    .filter(([, { price, checkpoint }]) => price !== undefined && checkpoint === undefined)
    .map(([name]) => name)
}

async function hookOf(deps: SyncDeps, { service, appId }: HookCall) {
  const connector = deps.registry.find(service)
  const key = connector && (await findServiceKey(deps.database, deps.keyring, appId, connector.service))
  if (connector?.hook === undefined || key === undefined) throw new ApiError('not_found')
  return { hook: connector.hook, keySecret: key.secret, hookSecret: key.hookSecret ?? key.secret }
}

function signWith(secret: string): Sign {
  return (algorithm, text, encoding = 'hex') => createHmac(algorithm, secret).update(text).digest(encoding)
}

// Services send JSON or a form; people() knows which.
function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so it is a form.
    return Object.fromEntries(new URLSearchParams(text))
  }
}

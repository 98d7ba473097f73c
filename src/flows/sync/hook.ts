import { createHmac } from 'node:crypto'
import { markNeedsAuth } from '#access/needs-auth.ts'
import type { Connector, HandshakeResponse, Hook, Sign } from '#kit/connector/connector.ts'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { HookRequestInput } from '#kit/hooks/hook-life-cycle.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { ApiError } from '#model/errors.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { findServiceUser } from '#store/identity/service-users.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { SyncDeps } from './deps.ts'
import { endedGrants, idsIn, readBody, readNames } from './hooks/read-body.ts'
import { readItems, storeItems } from './hooks/store-items.ts'
import { requestSync } from './progress.ts'

export interface HookCall extends HookRequestInput {
  service: string
  appId: string
}

/** Runs a comparison of secrets whose failures count against the caller; refuses the call when it fails. */
export type Guarded = <Result>(compare: () => Promise<Result | undefined>) => Promise<Result>

/** Limit: difference between the time that a service signed and ours; a webhook beyond it may be repeated by somebody, and is refused. */
const MAX_SIGNED_AGE_MS = 5 * 60_000

/** Answers the request with which a service verifies the address of a hook. */
export async function respondToHandshake(deps: SyncDeps, call: HookCall, guarded: Guarded): Promise<HandshakeResponse> {
  const found = await hookOf(deps, call)
  return guarded(async () => handshakeOf(found, call))
}

/** Signs challenges only: otherwise a handshake would sign webhooks for anybody. */
const CHALLENGE = /^[A-Za-z0-9+/_-]{1,512}={0,2}$/

function handshakeOf({ hook, hookSecret }: FoundHook, call: HookCall): HandshakeResponse | undefined {
  const sign = signWith(hookSecret)
  // Other texts are only compared, for which any function of the secret will do.
  const signChallenge: Sign = (algorithm, text, encoding) =>
    sign(algorithm, CHALLENGE.test(text) ? text : `not a challenge\0${text}`, encoding)
  const { method, query, headers, body } = call
  try {
    return hook.handshake?.(query, hookSecret, signChallenge, { method, query, headers, body })
  } catch {
    // Anybody can call the hook, so a request that the connector cannot read is expected.
    return undefined
  }
}

export type HookResult = { handshake: HandshakeResponse } | { woken: number }

/**
 * Handles a change reported by the service: makes syncs due, and stores the records that the body contains for the next run of
 * their profile. Returns how many profiles it concerns, or the response to a handshake by POST.
 */
export async function receiveHook(deps: SyncDeps, call: HookCall, guarded: Guarded): Promise<HookResult> {
  const found = await hookOf(deps, call)
  const { hook, connector } = found
  // Both in one guess: a handshake may compare a secret as well.
  const { handshake } = await guarded(async () => {
    const response = handshakeOf(found, call)
    return response !== undefined || isSigned(deps, found, call) ? { handshake: response } : undefined
  })
  if (handshake !== undefined) return { handshake }
  const body = readBody(call.body)
  const people = idsIn(readNames(() => hook.people(body), body))
  const endpoints = readNames(() => hook.endpoints?.(body), body)
  const { byPerson, isTooMany } = readItems(connector, hook, call.body)
  const ended = endedGrants(hook, body)
  const named = new Set([...people, ...byPerson.keys(), ...ended.keys()])
  let concerned = 0
  for (const nativeId of named)
    for (const profile of await profilesOf(deps, call, connector, nativeId)) {
      const endedAt = ended.get(nativeId)
      if (endedAt !== undefined) await endGrant(deps, profile, endedAt)
      if (profile.state === 'paused') continue
      const items = byPerson.get(nativeId)
      if (items !== undefined) await storeItems(deps, profile, items)
      if (people.includes(nativeId) || (items !== undefined && isTooMany))
        await requestSync(deps, profile, {
          confirmDeletes: false,
          isHook: true,
          endpoints: isTooMany ? undefined : endpoints,
          except: wholePaidLists(connector.endpoints),
        })
      concerned += 1
    }
  return { woken: concerned }
}

function isSigned(
  deps: SyncDeps,
  { hook, keySecret, hookSecret }: FoundHook,
  { headers, query, body }: HookCall,
): boolean {
  const secret = hook.signedWith === 'key' ? keySecret : hookSecret
  if (secret === '' || !hook.verify({ headers, query, body, secret, sign: signWith(secret) })) return false
  if (hook.signedAt === undefined) return true
  const signedAt = hook.signedAt({ headers, body })
  return signedAt !== undefined && Math.abs(deps.clock.now() - signedAt) <= MAX_SIGNED_AGE_MS
}

/** The person took back the app's access before they connected again: a repeated webhook does not end a newer grant. */
async function endGrant(deps: SyncDeps, profile: Profile, endedAt: number): Promise<void> {
  if (profile.connectedAt >= endedAt) return
  const why = 'The person took back the access of the app at the service.'
  await markNeedsAuth(deps, profile, new UpstreamError('reauthorize', why, { reason: 'grant_refused' }))
}

/** In every account of the app with this service user: each has its own profile and items. */
async function profilesOf(
  deps: SyncDeps,
  { appId }: HookCall,
  { service }: Connector,
  nativeId: string,
): Promise<Profile[]> {
  const found: Profile[] = []
  for (const accountId of await findServiceUser(deps.database, { appId, service, nativeId })) {
    const account = await findAccountById(deps.database, accountId)
    const profiles = account === undefined ? [] : await listProfiles(deps.database, account)
    found.push(...profiles.filter((each) => each.service === service && each.nativeId === nativeId))
  }
  return found
}

/** Lists that are paid for and read as a whole keep their interval: somebody's every post would cost the price of all followers. */
function wholePaidLists(endpoints: Record<string, Endpoint>): string[] {
  return Object.entries(endpoints)
    .filter(([, { price, checkpoint }]) => price !== undefined && checkpoint === undefined)
    .map(([name]) => name)
}

interface FoundHook {
  connector: Connector
  hook: Hook
  keySecret: string
  hookSecret: string
}

async function hookOf(deps: SyncDeps, { service, appId }: HookCall): Promise<FoundHook> {
  const connector = deps.registry.find(service)
  const key = connector && (await findServiceKey(deps.database, deps.keyring, appId, connector.service))
  if (connector?.hook === undefined || key === undefined) throw new ApiError('not_found')
  const hookSecret = key.hookSecret ?? key.secret
  // The HMAC of an empty secret proves nothing.
  if (hookSecret === '') throw new ApiError('hook_refused', 'The app has no secret for the webhooks of this service.')
  return { connector, hook: connector.hook, keySecret: key.secret, hookSecret }
}

function signWith(secret: string): Sign {
  return (algorithm, text, encoding = 'hex') => createHmac(algorithm, secret).update(text).digest(encoding)
}

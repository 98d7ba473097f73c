import { createHmac } from 'node:crypto'
import { partOf } from '#base/ids.ts'
import type { Sign } from '#kit/connector.ts'
import { ApiError } from '#model/errors.ts'
import { findAccount } from '#store/accounts.ts'
import { listProfiles } from '#store/profiles.ts'
import { findServiceKey } from '#store/service-keys.ts'
import { findServiceUser } from '#store/service-users.ts'
import type { SyncNeed } from './need.ts'
import { requestSync } from './progress.ts'

export interface HookCall {
  service: string
  appId: string
  query: Record<string, string>
  headers: Record<string, string>
  body: string
}

/** Runs a comparison of secrets where guesses are counted; a wrong one is refused. */
export type Guarded = <Result>(compare: () => Promise<Result | undefined>) => Promise<Result>

/** The service asks whether this address is ours; undefined when the question is not one of its own. */
export async function answerHandshake(need: SyncNeed, call: HookCall, guarded: Guarded): Promise<string> {
  const { hook, hookSecret: secret } = await hookOf(need, call)
  return guarded(async () => hook.handshake?.(call.query, secret, signWith(secret)))
}

/** The service says that something changed. It only makes a sync due: what changed is read the usual way, signed and checked. */
export async function takeHook(need: SyncNeed, call: HookCall, guarded: Guarded): Promise<number> {
  const { hook, keySecret, hookSecret } = await hookOf(need, call)
  const secret = hook.signedWith === 'key' ? keySecret : hookSecret
  const { headers, body } = call
  await guarded(async () => hook.verify({ headers, body, secret, sign: signWith(secret) }) || undefined)
  const people = hook.people(readBody(body))
  let woken = 0
  for (const nativeId of new Set(people)) woken += await wake(need, call, nativeId)
  return woken
}

/** In every account that has this service user: each has its own profile and items. */
async function wake(need: SyncNeed, { appId, service }: HookCall, nativeId: string): Promise<number> {
  let woken = 0
  for (const accountId of await findServiceUser(need.database, { appId, service, nativeId })) {
    const account = await findAccount(need.database, partOf(accountId)!, accountId)
    const profiles = account === undefined ? [] : await listProfiles(need.database, account)
    for (const profile of profiles.filter((each) => each.service === service && each.nativeId === nativeId)) {
      await requestSync(need, profile)
      woken += 1
    }
  }
  return woken
}

async function hookOf(need: SyncNeed, { service, appId }: HookCall) {
  const connector = need.registry.find(service)
  const key = connector && (await findServiceKey(need.database, need.keyring, appId, connector.service))
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
    return Object.fromEntries(new URLSearchParams(text))
  }
}

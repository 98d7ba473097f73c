// The token buckets of a service's rate limits: their names, shared by all processes, and their sizes.

import { type CallCost, PLAIN_CALL } from '#kit/connector/call-cost.ts'
import type { Connector, RateWindow } from '#kit/connector/connector.ts'
import type { BucketSize } from '#store/sync/rate-limits.ts'

/** Share of a service's limit that is used: its clock differs from ours, and it may count calls that we do not see. */
const USED_SHARE = 0.8
/** Share of a bucket that is reserved for interactive calls. */
const INTERACTIVE_SHARE = 0.1
/**
 * `grantMs`: how long a process may use a grant before it expires. `burstShare`: the share of a window that may be used
 * at once; the rest refills evenly. Calls of one person come from one worker at a time, many in the first sync and few
 * afterwards.
 */
const SHARED_POLICY: BucketPolicy = { grantMs: 1000, burstShare: 0.1 }
const PERSON_POLICY: BucketPolicy = { grantMs: 20_000, burstShare: 0.5 }
/** Limit of one app at a service whose connector declares none. */
const DEFAULT_LIMIT = { calls: 3000, perS: 60 }
/**
 * Practically unlimited: such a bucket only exists to be blocked. The long window prevents that one grant empties it.
 */
const UNLIMITED = { calls: 1_000_000_000, perS: 1000 }

export interface Bucket {
  name: string
  size: BucketSize
  grantMs: number
  /** Only some calls of the profile count here, so that others may still be made when it is empty. */
  isPartial: boolean
}

interface BucketPolicy {
  grantMs: number
  burstShare: number
}

/** Whose calls are counted. */
export interface Caller {
  appId: string
  connector: Connector
  profileId?: string | undefined
  /** The person's own server, if the service has many: then each server has its own buckets. */
  server?: string | undefined
}

export const appBucket = ({ appId, connector: { service }, server }: Caller): string =>
  server === undefined ? `${appId} ${service}` : `${appId} ${service} @${server}`
export const personBucket = ({ appId, connector: { service }, profileId = '' }: Caller): string =>
  `${appId} ${service} ${profileId}`
export const groupBucket = (base: string, group: string | undefined): string => `${base} #${group ?? ''}`
export const serviceBucket = ({ connector: { service }, server }: Caller): string =>
  server === undefined ? `* ${service}` : `* ${service} @${server}`

/** The narrowest bucket first: a person without calls left takes none from the app's bucket. */
export function bucketsOf(caller: Caller, cost: CallCost): Bucket[] {
  const { person, app, service } = plansFor(caller, cost)
  return [
    ...named(person, personBucket, caller),
    ...named(app, appBucket, caller),
    ...named(service, serviceBucket, caller),
  ]
}

/** The buckets of each scope; instead of a name each has what follows the name of the scope. */
interface Plans {
  person: readonly Bucket[]
  app: readonly Bucket[]
  service: readonly Bucket[]
}

/** Their sizes depend on the connector alone, and every call asks for them. */
const plans = new WeakMap<Connector, Map<string, Plans>>()

function plansFor({ connector, profileId }: Caller, cost: CallCost): Plans {
  const known = plans.get(connector) ?? new Map<string, Plans>()
  plans.set(connector, known)
  const key = `${profileId !== undefined} ${cost.isRead} ${cost.weight > 1} ${cost.group ?? ''}`
  const plan = known.get(key) ?? planFor(connector, profileId !== undefined, cost)
  known.set(key, plan)
  return plan
}

function planFor(connector: Connector, isOfPerson: boolean, cost: CallCost): Plans {
  const { limits, rate } = connector.api
  const inWindows = (limit: RateWindow | readonly RateWindow[], policy: BucketPolicy) =>
    windowBuckets(connector, '', limit, policy, cost)
  // Without a limit per person, the bucket only exists to be blocked by headers about the person.
  const blockable = rate === undefined ? [] : [bucket(connector, '', UNLIMITED, SHARED_POLICY)]
  const person = limits?.person === undefined ? blockable : inWindows(limits.person, PERSON_POLICY)
  return {
    person: isOfPerson ? person : [],
    app: inWindows(appLimit(connector), SHARED_POLICY),
    service: limits?.service === undefined ? [] : inWindows(limits.service, SHARED_POLICY),
  }
}

function named(planned: readonly Bucket[], baseOf: (caller: Caller) => string, caller: Caller): Bucket[] {
  if (planned.length === 0) return []
  const base = baseOf(caller)
  return planned.map(({ name, size, grantMs, isPartial }) => ({ name: base + name, size, grantMs, isPartial }))
}

export function appBuckets(caller: Caller, cost: CallCost = PLAIN_CALL): Bucket[] {
  const { connector } = caller
  return windowBuckets(connector, appBucket(caller), appLimit(connector), SHARED_POLICY, cost)
}

/** If a service limits only persons or everything, the app's bucket only exists to be blocked. */
function appLimit({ api: { limits } }: Connector): RateWindow | readonly RateWindow[] {
  return limits?.app ?? (limits?.person === undefined && limits?.service === undefined ? DEFAULT_LIMIT : UNLIMITED)
}

/** One bucket per window in which the call counts. The plain name always exists: blocks of the whole scope use it. */
function windowBuckets(
  connector: Connector,
  base: string,
  limit: RateWindow | readonly RateWindow[],
  policy: BucketPolicy,
  cost: CallCost,
): Bucket[] {
  const names = new Set<string>()
  const counted = [limit]
    .flat()
    .filter(({ reads, group }) => (reads === undefined || cost.isRead) && (group === undefined || group === cost.group))
  const buckets = counted.map((window) => {
    const isOfGroup = window.per === 'group' || window.group !== undefined
    const scope = isOfGroup ? groupBucket(base, cost.group) : base
    const plain = window.reads === undefined ? scope : `${scope} reads`
    const name = names.has(plain) ? `${plain} /${window.perS}` : plain
    names.add(name)
    const made = bucket(connector, name, window, policy)
    return { ...made, isPartial: isOfGroup || cost.weight > 1 }
  })
  return names.has(base) ? buckets : [bucket(connector, base, UNLIMITED, SHARED_POLICY), ...buckets]
}

/**
 * Sized so that no window of the service, whenever it starts, has more calls than allowed: the burst, the refill during
 * the window, and a grant that was taken before the window and used in it. The burst has room for the heaviest call.
 */
function bucket(
  connector: Connector,
  name: string,
  { calls, perS }: RateWindow,
  { grantMs, burstShare }: BucketPolicy,
): Bucket {
  const allowed = calls * USED_SHARE
  const burst = Math.max(1, allowed * burstShare, Math.min(heaviest(connector), allowed))
  const perMs = Math.max(allowed - burst, allowed / 2) / (perS * 1000 + grantMs)
  return { name, size: { burst, perMs }, grantMs, isPartial: false }
}

function heaviest({ endpoints }: Connector): number {
  return Math.max(1, ...Object.values(endpoints).map(({ weight }) => weight))
}

/** What is left for calls that a person waits for. As much as the heaviest call is never reserved, or no sync could make it. */
export function interactiveReserve(connector: Connector, { burst }: BucketSize): number {
  return Math.max(0, Math.min(burst * INTERACTIVE_SHARE, burst - heaviest(connector)))
}

/** The narrowest limit that the connector declares for calls of a person, in its shortest window. */
export function narrowestLimit({ api: { limits } }: Connector): RateWindow {
  const declared: RateWindow | readonly RateWindow[] = limits?.person ?? limits?.app ?? limits?.service ?? DEFAULT_LIMIT
  // Windows of single groups of endpoints say nothing about other calls.
  return [declared].flat().find(({ group, per }) => group === undefined && per === undefined) ?? DEFAULT_LIMIT
}

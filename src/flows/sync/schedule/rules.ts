import { endpointFault } from '#kit/connector/endpoint-fault.ts'
import { duration } from '#kit/endpoints/endpoint.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import type { IntervalRule, OptionalClass, SyncRules } from '#model/sync/sync-rules.ts'
import { MAX_CRON, parseCron } from '#platform/formats/cron.ts'
import { findAppSync, lockAppSync, setAppSync } from '#store/apps/apps.ts'
import { auditApp } from '#store/audit.ts'
import { requestAppWake } from '#store/sync/app-wakes.ts'
import type { SyncDeps } from '../deps.ts'
import { wakeApp } from './wake-app.ts'

/** As the app writes them. */
export interface RulesInput {
  off?: OptionalClass[] | undefined
  /** `{"github/events": "5m", "demo-social/*": "0 6 * * * Europe/Berlin"}` */
  pace?: Record<string, string> | undefined
}

/** Sets when the profiles of an app are synced; in effect from the next run of each. */
export async function setRules(
  { database, clock, registry }: Pick<SyncDeps, 'database' | 'clock' | 'registry'>,
  appId: string,
  input: RulesInput,
  actor: string,
): Promise<RulesInput> {
  const pace = Object.fromEntries(
    Object.entries(input.pace ?? {}).map(([name, text]) => [checkEndpoint(registry, name), parseInterval(name, text)]),
  )
  const rules = { off: input.off ?? [], pace }
  const now = clock.now()
  await database.transaction(async (tx) => {
    // What the app pays for is set elsewhere, and stays.
    const stored = await lockAppSync(tx, appId)
    if (stored === undefined) throw new ApiError('not_found', `There is no app ${appId}.`)
    await setAppSync(tx, appId, { ...stored, ...rules })
    await requestAppWake(tx, appId, now)
    await auditApp(tx, appId, { at: now, actor, action: 'app.sync_rules', detail: { ...input } })
  })
  await wakeApp({ database, clock }, appId, now)
  return toInput(rules)
}

export async function getRules({ database }: Pick<SyncDeps, 'database'>, appId: string): Promise<RulesInput> {
  return toInput(await findAppSync(database, appId))
}

function toInput({ off, pace }: Pick<SyncRules, 'off' | 'pace'>): RulesInput {
  return {
    ...(off.length === 0 ? {} : { off }),
    ...(Object.keys(pace).length === 0
      ? {}
      : { pace: Object.fromEntries(Object.entries(pace).map(([name, { text }]) => [name, text])) }),
  }
}

function checkEndpoint(registry: SyncDeps['registry'], name: string): string {
  const [service = '', endpoint = ''] = name.split('/')
  const connector = registry.find(service)
  if (connector !== undefined && (endpoint === '*' || endpointFault(registry, service, endpoint) === undefined))
    return `${connector.service}/${endpoint}`
  throw invalidInput('bad_body', `pace.${name}`, 'unknown endpoint.')
}

/** Limit (sync): shortest time between two syncs that an app may set; less is refused with 400. */
const MIN_RULE_MS = 30_000

/** Limit: longest time between two syncs that an app may set; more is refused with 400. */
const MAX_RULE_MS = 366 * 86_400_000

/** Reads an interval such as `15m`, or a cron expression with an optional time zone. */
export function parseInterval(name: string, text: string): IntervalRule {
  if (text.length > MAX_CRON)
    throw invalidInput('bad_body', `pace.${name}`, `must have at most ${MAX_CRON} characters.`)
  if (/^\d+[smhd]$/.test(text)) {
    const everyMs = duration(text)
    if (everyMs < MIN_RULE_MS) throw invalidInput('bad_body', `pace.${name}`, 'at most every 30s.')
    if (everyMs > MAX_RULE_MS) throw invalidInput('bad_body', `pace.${name}`, 'at least every 366d.')
    return { text, everyMs }
  }
  const cron = parseCron(text)
  if (!('fault' in cron)) return { text, ...cron }
  throw invalidInput('bad_body', `pace.${name}`, `“${text}” is not an interval such as “15m”, and ${cron.fault}.`)
}

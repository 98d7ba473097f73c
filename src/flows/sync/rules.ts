import { Cron } from 'croner'
import { partFor } from '#base/ids.ts'
import { duration } from '#kit/endpoint.ts'
import { ApiError } from '#model/errors.ts'
import type { OptionalClass, PaceRule, SyncRules } from '#model/sync-rules.ts'
import { findAppSync, setAppSync } from '#store/apps.ts'
import { writeAudit } from '#store/audit.ts'
import { wakeEndpointsOf } from '#store/sync-endpoints.ts'
import type { SyncNeed } from './need.ts'

/** As an app writes them. */
export interface RulesInput {
  off?: OptionalClass[] | undefined
  /** `{"github/events": "5m", "demo-social/*": "0 6 * * * Europe/Berlin"}` */
  pace?: Record<string, string> | undefined
}

/** Sets how the profiles of an app's people are synced; it takes effect with the next run of each. */
export async function setRules(
  { database, clock, registry }: Pick<SyncNeed, 'database' | 'clock' | 'registry'>,
  appId: string,
  input: RulesInput,
  actor: string,
): Promise<RulesInput> {
  const pace = Object.fromEntries(
    Object.entries(input.pace ?? {}).map(([name, text]) => [checkName(registry, name), readPace(name, text)]),
  )
  const rules: SyncRules = { off: input.off ?? [], pace }
  const now = clock.now()
  await database.transaction(async (tx) => {
    if (!(await setAppSync(tx, appId, rules))) throw new ApiError('not_found', `There is no app ${appId}.`)
    await wakeEndpointsOf(tx, appId, now)
    await writeAudit(tx, {
      part: partFor(appId),
      at: now,
      actor,
      action: 'app.sync_rules',
      appId,
      detail: { ...input },
    })
  })
  return written(rules)
}

export async function getRules({ database }: Pick<SyncNeed, 'database'>, appId: string): Promise<RulesInput> {
  return written(await findAppSync(database, appId))
}

function written({ off, pace }: SyncRules): RulesInput {
  return {
    ...(off.length === 0 ? {} : { off }),
    ...(Object.keys(pace).length === 0
      ? {}
      : { pace: Object.fromEntries(Object.entries(pace).map(([name, { text }]) => [name, text])) }),
  }
}

function checkName(registry: SyncNeed['registry'], name: string): string {
  const [service = '', endpoint = ''] = name.split('/')
  const connector = registry.find(service)
  if (connector !== undefined && (endpoint === '*' || Object.hasOwn(connector.endpoints, endpoint)))
    return `${connector.service}/${endpoint}`
  throw new ApiError('bad_body', `pace.${name}: there is no such endpoint.`)
}

/** Limit: shortest time between two syncs that an app may ask for; less is answered with 400. */
const MIN_RULE_MS = 30_000

/** Limit: longest time between two syncs that an app may ask for; more is answered with 400. */
const MAX_RULE_MS = 366 * 86_400_000
/** Limit: characters of a pace; a longer one is answered with 400. */
const MAX_PACE = 200

/** Reads a time such as `15m` or a cron line with an optional zone. */
export function readPace(name: string, text: string): PaceRule {
  const tooOften = new ApiError('bad_body', `pace.${name}: at most every 30s.`)
  if (text.length > MAX_PACE) throw new ApiError('bad_body', `pace.${name}: must have at most ${MAX_PACE} characters.`)
  if (/^\d+[smhd]$/.test(text)) {
    const everyMs = duration(text)
    if (everyMs < MIN_RULE_MS) throw tooOften
    if (everyMs > MAX_RULE_MS) throw new ApiError('bad_body', `pace.${name}: at least every 366d.`)
    return { text, everyMs }
  }
  const fields = text.trim().split(/\s+/)
  const hasZone = fields.length > 5 && /^([A-Za-z_]+\/[\w/+-]+|UTC)$/.test(fields.at(-1)!)
  const zone = hasZone ? fields.pop()! : undefined
  const cron = fields.join(' ')
  const [first, second] = runsOf(cron, zone)
  if (first === undefined)
    throw new ApiError(
      'bad_body',
      `pace.${name}: “${text}” is no time such as 15m and no cron line such as 0 6 * * * Europe/Berlin.`,
    )
  if (second !== undefined && second.getTime() - first.getTime() < MIN_RULE_MS) throw tooOften
  return { text, cron, ...(zone === undefined ? {} : { zone }) }
}

/** The next two times of a cron line; none when it is none, or never comes. */
function runsOf(cron: string, zone = 'UTC'): Date[] {
  try {
    return new Cron(cron, { timezone: zone }).nextRuns(2)
  } catch {
    return []
  }
}

import { Cron } from 'croner'
import { z } from 'zod'
import { duration } from '#kit/endpoint.ts'
import { ApiError } from '#model/errors.ts'

const QUIET = 'must be {"from": "22:00", "to": "07:00", "zone"?}'
const time = z.string({ error: QUIET }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: QUIET })

/** Every day from one time to another, in a zone: nothing is delivered then. */
export const quietHours = z.strictObject(
  {
    from: time,
    to: time,
    zone: z
      .string({ error: QUIET })
      .refine(isZone, { error: ({ input }) => `“${String(input)}” is no time zone` })
      .optional(),
  },
  { error: QUIET },
)
type QuietHours = z.output<typeof quietHours>

const EVERY = /^every (\d+[smhd])$/
const ZONE = /^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+)$/

/** Limit: shortest interval of a schedule; a shorter one is answered with 400. */
const MIN_EVERY_MS = 10_000
/** Limit: longest interval of a schedule; a longer one is answered with 400. */
const MAX_EVERY_MS = 366 * 86_400_000
/** Limit: characters of a schedule; a longer one is answered with 400. */
const MAX_SCHEDULE = 200

export function checkSchedule(schedule: string): string {
  if (schedule.length > MAX_SCHEDULE)
    throw new ApiError('bad_body', `schedule: must have at most ${MAX_SCHEDULE} characters.`)
  const plain = schedule.trim().replaceAll(/\s+/g, ' ')
  if (plain === 'on_change' || plain === 'manual') return plain
  const everyMs = intervalOf(plain)
  if (everyMs !== undefined && everyMs >= MIN_EVERY_MS && everyMs <= MAX_EVERY_MS) return plain
  try {
    if (everyMs === undefined && cronOf(plain)?.nextRun() != null) return plain
  } catch {
    // Falls through to the one message below.
  }
  throw new ApiError(
    'bad_body',
    `schedule: “${schedule}” is none of on_change, manual, “every 15m” (10s to 366d), “0 6 * * * Europe/Berlin”.`,
  )
}

function intervalOf(schedule: string): number | undefined {
  const interval = EVERY.exec(schedule)?.[1]
  return interval === undefined ? undefined : duration(interval)
}

/** Five fields, and a zone if they mean another than UTC. */
function cronOf(schedule: string): Cron | undefined {
  const words = schedule.split(' ')
  const zone = words.length === 6 && ZONE.test(words[5] ?? '') ? words[5] : undefined
  const fields = words.slice(0, 5)
  if (words.length > (zone === undefined ? 5 : 6) || fields.length < 5) return undefined
  return new Cron(fields.join(' '), { timezone: zone ?? 'UTC' })
}

export function isPaced(schedule: string): boolean {
  return schedule !== 'on_change'
}

/** When a destination with a schedule is due next; undefined when only a change or somebody's word makes it due. */
export function nextDue(schedule: string, nowMs: number): number | undefined {
  if (schedule === 'on_change' || schedule === 'manual') return undefined
  const everyMs = intervalOf(schedule)
  if (everyMs !== undefined) return nowMs + Math.round(everyMs * (0.95 + Math.random() * 0.1))
  return cronOf(schedule)?.nextRun(new Date(nowMs))?.getTime()
}

/** The end of the quiet time that this moment lies in; undefined when it lies in none. */
export function quietUntil(quiet: QuietHours | undefined, nowMs: number): number | undefined {
  if (quiet === undefined) return undefined
  const time = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: quiet.zone ?? 'UTC',
  }).format(nowMs)
  const inside = quiet.from <= quiet.to ? time >= quiet.from && time < quiet.to : time >= quiet.from || time < quiet.to
  if (!inside) return undefined
  const [hour = '0', minute = '0'] = quiet.to.split(':')
  return new Cron(`${Number(minute)} ${Number(hour)} * * *`, { timezone: quiet.zone ?? 'UTC' })
    .nextRun(new Date(nowMs))
    ?.getTime()
}

const stored = z.object({ quiet_hours: quietHours.optional() })

/** Of a destination as it is stored. */
export function readQuiet(options: Record<string, unknown>): QuietHours | undefined {
  return stored.parse(options).quiet_hours
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0)
    return true
  } catch {
    return false
  }
}

import { z } from 'zod'
import { duration } from '#kit/endpoints/endpoint.ts'
import { invalidInput } from '#model/errors.ts'
import { type Chance, systemChance } from '#platform/chance.ts'
import { isTimeZone, MAX_CRON, nextRun, parseCron } from '#platform/formats/cron.ts'

const QUIET = 'must be {"from": "22:00", "to": "07:00", "zone"?}'
const time = z.string({ error: QUIET }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: QUIET })

/** Nothing is delivered between these two times of the day, in a time zone. */
export const quietHours = z.strictObject(
  {
    from: time,
    to: time,
    zone: z
      .string({ error: QUIET })
      .refine(isTimeZone, { error: ({ input }) => `“${String(input)}” is not a known time zone` })
      .optional(),
  },
  { error: QUIET },
)
type QuietHours = z.output<typeof quietHours>

const EVERY = /^every (\d+[smhd])$/

/** Limit (push): shortest interval of a schedule; a shorter one is refused with 400. */
const MIN_EVERY_MS = 10_000
/** Limit: longest interval of a schedule; a longer one is refused with 400. */
const MAX_EVERY_MS = 366 * 86_400_000

export function checkSchedule(schedule: string): string {
  if (schedule.length > MAX_CRON)
    throw invalidInput('bad_body', 'schedule', `must have at most ${MAX_CRON} characters.`)
  const normalized = schedule.trim().replaceAll(/\s+/g, ' ')
  if (normalized === 'on_change' || normalized === 'manual') return normalized
  const everyMs = intervalOf(normalized)
  if (everyMs !== undefined && everyMs >= MIN_EVERY_MS && everyMs <= MAX_EVERY_MS) return normalized
  const cron = parseCron(normalized)
  if (!('fault' in cron)) return normalized
  throw invalidInput(
    'bad_body',
    'schedule',
    `“${schedule}” is not on_change, not manual, not “every 15m” (10s to 366d), and ${cron.fault}.`,
  )
}

function intervalOf(schedule: string): number | undefined {
  const interval = EVERY.exec(schedule)?.[1]
  return interval === undefined ? undefined : duration(interval)
}

export function hasSchedule(schedule: string): boolean {
  return schedule !== 'on_change'
}

/** When a destination with a schedule is due next; undefined when only a change or a command makes it due. */
export function nextDue(schedule: string, nowMs: number, chance: Chance = systemChance): number | undefined {
  if (schedule === 'on_change' || schedule === 'manual') return undefined
  const everyMs = intervalOf(schedule)
  if (everyMs !== undefined) return nowMs + Math.round(everyMs * (0.95 + chance() * 0.1))
  const cron = parseCron(schedule)
  return 'fault' in cron ? undefined : nextRun(cron, nowMs)
}

/** The end of the current quiet hours; undefined outside of them. */
export function quietUntil(quiet: QuietHours | undefined, nowMs: number): number | undefined {
  if (quiet === undefined) return undefined
  const time = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: quiet.zone ?? 'UTC',
  }).format(nowMs)
  const isInside =
    quiet.from <= quiet.to ? time >= quiet.from && time < quiet.to : time >= quiet.from || time < quiet.to
  if (!isInside) return undefined
  const [hour = '0', minute = '0'] = quiet.to.split(':')
  return nextRun({ cron: `${Number(minute)} ${Number(hour)} * * *`, zone: quiet.zone ?? 'UTC' }, nowMs)
}

const stored = z.object({ quiet_hours: quietHours.optional() })

/** The quiet hours in the stored options of a destination. */
export function readQuiet(options: Record<string, unknown>): QuietHours | undefined {
  return stored.parse(options).quiet_hours
}

import { z } from 'zod'
import type { Kind } from '#destinations/contract.ts'
import { readOptions } from '#destinations/options.ts'
import type { Destination } from '#model/apps/destination.ts'
import { invalidInput } from '#model/errors.ts'
import { PUSH_EVENTS, type PushEventType } from '#store/push/events.ts'
import { quietHours } from '../schedule.ts'

const ofAllKinds = {
  quiet_hours: quietHours
    .optional()
    .describe('hours without deliveries; see [Schedules](#schedules)')
    .meta({ examples: [{ from: '22:00', to: '07:00', zone: 'Europe/Berlin' }] }),
}
const isEventType = (name: unknown): name is PushEventType =>
  typeof name === 'string' && Object.hasOwn(PUSH_EVENTS, name)
const EVENTS_ERROR = 'must be true or false, or a list of events'
const ofEventKinds = {
  events: z
    .union([z.boolean(), z.array(z.string().refine(isEventType)).min(1)], { error: EVENTS_ERROR })
    .default(false)
    .describe('`true`: also send [events](#events); a list of their names: only these')
    .meta({ examples: [true] }),
}

/** All options of a kind of destination: the kind's own, and those that every kind has. */
export function optionsOf({ options, takesEvents }: Pick<Kind, 'options' | 'takesEvents'>): z.ZodObject {
  return options.extend(takesEvents ? { ...ofEventKinds, ...ofAllKinds } : ofAllKinds)
}

/** Checks options when they are set. Stored options are not checked again, so that they stay usable after an upgrade. */
export function checkOptions(name: Destination['kind'], kind: Kind, given: Record<string, unknown>): void {
  const schema = optionsOf(kind)
  const unknown = Object.keys(given).find((option) => !Object.hasOwn(schema.shape, option))
  if (unknown !== undefined) {
    const known = Object.keys(schema.shape).toSorted().join(', ')
    throw invalidInput('bad_body', `options.${unknown}`, `Unknown option “${unknown}” of ${name}. Known: ${known}.`)
  }
  readOptions(schema, given)
}

export function wantsEvents({ takesEvents }: Kind, { events }: Record<string, unknown>): boolean {
  return takesEvents && (events === true || Array.isArray(events))
}

import type { z } from 'zod'
import type { Kind } from '#destinations/contract.ts'
import { flagOption, readOptions } from '#destinations/options.ts'
import type { DestinationKind } from '#model/destination.ts'
import { ApiError } from '#model/errors.ts'
import { quietHours } from '../schedule.ts'

const forAll = { quiet_hours: quietHours.optional().describe('nothing is delivered then; see [Schedules](#schedules)') }
const ofTellers = { events: flagOption().default(false).describe('`true`: also tell [events](#events)') }

/** Everything that may be set for a destination of a kind: the kind's own options, and those that we act upon ourselves. */
export function optionsOf({ options, takesEvents }: Pick<Kind, 'options' | 'takesEvents'>): z.ZodObject {
  return options.extend(takesEvents ? { ...ofTellers, ...forAll } : forAll)
}

/** For what somebody sets. What is stored already is not looked at again, so that it still opens after an upgrade. */
export function checkOptions(name: DestinationKind, kind: Kind, given: Record<string, unknown>): void {
  const schema = optionsOf(kind)
  const unknown = Object.keys(given).find((option) => !Object.hasOwn(schema.shape, option))
  if (unknown !== undefined) {
    const known = Object.keys(schema.shape).toSorted().join(', ')
    throw new ApiError('bad_body', `options.${unknown}: Unknown option “${unknown}” of ${name}. Known: ${known}.`)
  }
  readOptions(schema, given)
}

export function wantsEvents({ takesEvents }: Kind, { events }: Record<string, unknown>): boolean {
  return takesEvents && events === true
}
